package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut divides a block that does not fit after the given ones, so that its head does.
func (p pager) cut(before []Block, b Block) (head, tail Block, ok bool) {
	switch b.Kind {
	case Table:
		return p.cutTable(before, b)
	case Rule:
		return b, b, false
	}
	text := b.Text.first(p.mostBytes() + 4)
	page := append(append(make([]Block, 0, len(before)+1), before...), b)
	longest := runeStart(text, most(0, min(len(text), p.mostBytes()), func(n int) bool {
		page[len(before)].Text, _ = b.Text.divide(runeStart(text, n))
		return p.fits(page)
	}))
	at := 0
	if b.Kind == Code {
		at = codeEnd(text, longest, len(text) >= p.mostBytes())
	} else {
		at = proseEnd(b.Text, text, longest)
	}
	if at == 0 && len(before) == 0 {
		at = clusterStart(text, longest)
	}
	if at == 0 {
		return b, b, false
	}
	head, tail = b.divide(at)
	return head, tail, true
}

// divide cuts the block's text. Between words, the space there is left out.
func (b Block) divide(at int) (head, tail Block) {
	head, tail = b, b
	head.Text, tail.Text = b.Text.divide(at)
	tail.Marker, tail.Task, tail.Tight = "", NoTask, false
	if b.Kind != Code {
		for len(tail.Text) > 0 {
			tail.Text[0].Text = strings.TrimLeftFunc(tail.Text[0].Text, unicode.IsSpace)
			if tail.Text[0].Text != "" {
				break
			}
			tail.Text = tail.Text[1:]
		}
	}
	return head, tail
}

// cutTable divides a table between two rows. Both parts have the header.
func (p pager) cutTable(before []Block, b Block) (head, tail Block, ok bool) {
	page := append(append(make([]Block, 0, len(before)+1), before...), b)
	rows := most(0, min(len(b.Rows), p.mostBytes()), func(n int) bool {
		page[len(before)].Rows = b.Rows[:n]
		return p.fits(page)
	})
	if rows < 2 {
		return b, b, false
	}
	head, tail = b, b
	head.Rows = b.Rows[:rows]
	tail.Rows = append([][]Spans{b.Rows[0]}, b.Rows[rows:]...)
	tail.Tight = false
	return head, tail, true
}

// codeEnd is the end of the last whole line in text[:longest], 0 if there is none. Neither part may be blank: a
// platform would refuse it. If there is more text after text, that is taken to be seen.
func codeEnd(text string, longest int, more bool) int {
	for end := longest; end > 0; end-- {
		end = strings.LastIndexByte(text[:end], '\n') + 1
		if end == 0 || blank(text[:end]) {
			break
		}
		if more || !blank(text[end:]) {
			return end
		}
	}
	return 0
}

// proseEnd is the best place in text[:longest] to end a message: the last end of a line, a sentence or a word, in this
// order, in the second half; else the last end of a word. Links, addresses and inline code are cut only if there is
// nothing else. It is 0 if the text is a single word.
func proseEnd(all Spans, text string, longest int) int {
	const line, sentence, word, classes = 0, 1, 2, 3
	var late, atomic [classes]int
	early, previous := 0, rune(0)
	whole := atoms(all)
	for i, r := range text {
		if i > longest {
			break
		}
		class := -1
		switch {
		case i == 0:
		case r == '\n':
			class = line
		case unicode.IsSpace(r) && strings.ContainsRune(".!?…:;", previous), strings.ContainsRune("。！？", previous):
			class = sentence
		case unicode.IsSpace(r):
			class = word
		}
		previous = r
		if class < 0 {
			continue
		}
		switch {
		case whole(i):
			atomic[word] = i
		case i > longest/2:
			late[class] = i
		default:
			early = i
		}
	}
	for _, at := range []int{late[line], late[sentence], late[word], early, atomic[word]} {
		if at > 0 && !blank(text[:at]) {
			return at
		}
	}
	return 0
}

// atoms returns a function that tells whether a byte offset is inside a span that should not be cut. It must be asked
// in ascending order.
func atoms(spans Spans) func(at int) bool {
	i, start := 0, 0
	return func(at int) bool {
		for i < len(spans) && start+len(spans[i].Text) <= at {
			start += len(spans[i].Text)
			i++
		}
		return i < len(spans) && at > start && (spans[i].Link != "" || spans[i].Style&(Bare|Mono) != 0)
	}
}

// runeStart moves a byte offset back to the start of a rune.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// clusterStart moves a cut back so that combining marks and joined emoji stay with what they belong to.
func clusterStart(text string, at int) int {
	const longest = 64 // bytes; what is longer is not one visible character
	for i := at; i > 0 && at-i < longest; {
		if i >= len(text) || !joined(text, i) {
			return i
		}
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return at
}

// graphemeEnd is the length of the first visible character of s.
func graphemeEnd(s string) int {
	_, end := utf8.DecodeRuneInString(s)
	for end < len(s) && joined(s, end) {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return end
}

// joined tells whether the runes around a byte offset are shown as one.
func joined(s string, at int) bool {
	const joiner, selector = '\u200d', '\ufe0f'
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return before == joiner || after == joiner || after == selector || unicode.In(after, unicode.M) ||
		after >= 0x1F3FB && after <= 0x1F3FF // skin tones
}
