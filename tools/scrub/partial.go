package scrub

import "strings"

// longestTail is how much of the end of a growing text is held back at most.
const longestTail = 1024

// Partial is Text of a text that still grows: what could become a part of a secret at its end is held back.
func (s *Scrubber) Partial(text string) string {
	return s.Text(text[:s.safe(text)])
}

// safe is how much of a growing text can be shown.
func (s *Scrubber) safe(text string) int {
	cut := len(text)
	for cut > 0 && len(text)-cut < longestTail && text[cut-1] > ' ' && text[cut-1] <= '~' {
		cut--
	}
	if len(text)-cut == longestTail { // that is no word: nothing of it is a secret, or all of it was seen
		cut = len(text)
	}
	if line := text[strings.LastIndexByte(text[:cut], '\n')+1 : cut]; len(line) < longestTail {
		if at := strings.Index(line, pemBegin); at >= 0 { // the line says at its end whether a key follows
			cut -= len(line) - at
		}
	}
	for _, f := range s.Find(text) {
		if f.Start < cut && f.End > cut {
			cut = f.Start
		}
	}
	known := s.known()
	for i := max(0, cut-known.longest); i < cut; i++ { // values may have blanks and letters of any script
		for _, v := range known.original {
			if rest := text[i:]; len(rest) < len(v) && strings.HasPrefix(v, rest) {
				return i
			}
		}
	}
	return cut
}
