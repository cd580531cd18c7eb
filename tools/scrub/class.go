package scrub

// class is a set of bytes.
type class [256]bool

// classOf is a set of ranges, "a-z", and of single signs, "._-".
func classOf(ranges ...string) *class {
	var c class
	for _, r := range ranges {
		if len(r) == 3 && r[1] == '-' {
			for b := int(r[0]); b <= int(r[2]); b++ {
				c[b] = true
			}
			continue
		}
		for i := range len(r) {
			c[r[i]] = true
		}
	}
	return &c
}

var (
	alnum  = classOf("a-z", "A-Z", "0-9")
	word   = classOf("a-z", "A-Z", "0-9", "_")
	token  = classOf("a-z", "A-Z", "0-9", "_-")
	dotted = classOf("a-z", "A-Z", "0-9", "-_.")
	hex    = classOf("a-f", "A-F", "0-9")
	lowHex = classOf("a-f", "0-9")
	upper  = classOf("A-Z", "0-9")
	base64 = classOf("a-z", "A-Z", "0-9", "+/=")
	digits = classOf("0-9")
)

// run is how many bytes of text from i on are in the class, at most most.
func (c *class) run(text string, i, most int) int {
	n := 0
	for i+n < len(text) && n < most && c[text[i+n]] {
		n++
	}
	return n
}

// back is how many bytes of text before i, and not before from, are in the class, at most most.
func (c *class) back(text string, i, from, most int) int {
	n := 0
	for i-n > from && n < most && c[text[i-n-1]] {
		n++
	}
	return n
}

// mixed tells whether a text has a digit and a letter.
func mixed(s string) bool {
	var digit, letter bool
	for i := range len(s) {
		digit = digit || digits[s[i]]
		letter = letter || alnum[s[i]] && !digits[s[i]]
	}
	return digit && letter
}
