package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNesting bounds the depth of objects and arrays in repaired arguments.
const maxNesting = 100

var (
	errCutOff = errors.New("they seem to be cut off")
	fenced    = regexp.MustCompile("(?s)^```[a-zA-Z0-9]*\\s*(.*?)\\s*```$")
)

// repairArguments reads what strict JSON does not allow but models write: code fences around the object, an object
// inside a JSON string, nothing at all for no arguments, single quotes, unquoted names, line breaks in strings,
// trailing commas, True and None, and closing brackets that are missing at the end.
//
// It never guesses a value: a string without its end, or a number at the very end, may have been cut off, and half a
// value that looks like a whole one is worse than an error.
func repairArguments(raw []byte) (json.RawMessage, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(raw), "\uFEFF"))
	if m := fenced.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	var inner string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil
	}
	r := repairer{in: text}
	if r.peek() != '{' {
		return nil, errors.New("they must be one JSON object")
	}
	if err := r.value(0); err != nil {
		return nil, err
	}
	if r.peek() != 0 || r.pos < len(r.in) {
		return nil, fmt.Errorf("there is more after the end of the object, at byte %d", r.pos)
	}
	out := r.out.Bytes()
	if !json.Valid(out) {
		return nil, errors.New("they can't be read even with the usual mistakes mended")
	}
	return out, nil
}

// repairer copies tolerant JSON from in to out as strict JSON.
type repairer struct {
	in  string
	pos int
	out bytes.Buffer
}

// peek skips white space and gives the next byte; 0 at the end.
func (r *repairer) peek() byte {
	for r.pos < len(r.in) {
		c, size := utf8.DecodeRuneInString(r.in[r.pos:])
		if !unicode.IsSpace(c) {
			return r.in[r.pos]
		}
		r.pos += size
	}
	return 0
}

func (r *repairer) value(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("they are nested deeper than %d", maxNesting)
	}
	switch c := r.peek(); c {
	case '{':
		return r.list('}', func() error { return r.member(depth + 1) })
	case '[':
		return r.list(']', func() error { return r.value(depth + 1) })
	case '"', '\'':
		return r.quoted()
	case 0:
		return errCutOff
	default:
		return r.bare()
	}
}

// list copies an object or an array, whose opening bracket is next. The end of the input closes it after a whole item.
func (r *repairer) list(closing byte, item func() error) error {
	r.out.WriteByte(r.in[r.pos])
	r.pos++
	for first := true; ; first = false {
		switch c := r.peek(); {
		case c == closing:
			r.pos++
			r.out.WriteByte(closing)
			return nil
		case c == 0 && r.pos == len(r.in):
			return errCutOff
		}
		if !first {
			r.out.WriteByte(',')
		}
		if err := item(); err != nil {
			return err
		}
		switch c := r.peek(); {
		case c == ',':
			r.pos++
		case c == 0 && r.pos == len(r.in):
			r.out.WriteByte(closing)
			return nil
		case c != closing:
			return r.unexpected()
		}
	}
}

func (r *repairer) member(depth int) error {
	switch c := r.peek(); c {
	case '"', '\'':
		if err := r.quoted(); err != nil {
			return err
		}
	default:
		name := r.word()
		if name == "" {
			return r.unexpected()
		}
		r.write(name)
	}
	if c := r.peek(); c != ':' {
		return r.unexpected()
	}
	r.pos++
	r.out.WriteByte(':')
	return r.value(depth)
}

// quoted copies a string in either kind of quotes.
func (r *repairer) quoted() error {
	quote := r.in[r.pos]
	var b strings.Builder
	for i := r.pos + 1; i < len(r.in); i++ {
		switch c := r.in[i]; {
		case c == quote:
			r.pos = i + 1
			r.write(b.String())
			return nil
		case c == '\\' && i+1 < len(r.in):
			n := unescape(&b, r.in[i:])
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return errCutOff
}

// unescape writes the escape at the start of s and gives its length. A backslash that begins no escape stands for
// itself, as in C:\dir.
func unescape(b *strings.Builder, s string) int {
	length := 2
	if s[1] == '\'' {
		b.WriteByte('\'')
		return length
	}
	if s[1] == 'u' {
		length = 6
		if strings.HasPrefix(s[min(6, len(s)):], `\u`) && len(s) >= 12 {
			length = 12 // possibly a surrogate pair
		}
	}
	var decoded string
	if len(s) >= length && json.Unmarshal([]byte(`"`+s[:length]+`"`), &decoded) == nil {
		b.WriteString(decoded)
		return length
	}
	b.WriteByte('\\')
	return 1
}

// bare copies a number or a literal. Python's spelling of literals counts.
func (r *repairer) bare() error {
	start := r.pos
	word := r.word()
	switch word {
	case "true", "false", "null":
		r.out.WriteString(word)
		return nil
	case "True", "False":
		r.out.WriteString(strings.ToLower(word))
		return nil
	case "None":
		r.out.WriteString("null")
		return nil
	}
	if word == "" || !json.Valid([]byte(word)) {
		r.pos = start
		return r.unexpected()
	}
	if r.pos == len(r.in) {
		return errCutOff
	}
	r.out.WriteString(word)
	return nil
}

// word takes letters, digits and the signs that numbers and unquoted names have.
func (r *repairer) word() string {
	start := r.pos
	for r.pos < len(r.in) {
		c, size := utf8.DecodeRuneInString(r.in[r.pos:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_$+-.", c) {
			break
		}
		r.pos += size
	}
	return r.in[start:r.pos]
}

func (r *repairer) write(s string) {
	quoted, err := json.Marshal(s)
	if err != nil {
		quoted = []byte(`""`) // can't be: every string has a JSON form
	}
	r.out.Write(quoted)
}

func (r *repairer) unexpected() error {
	if r.pos >= len(r.in) {
		return errCutOff
	}
	c, _ := utf8.DecodeRuneInString(r.in[r.pos:])
	return fmt.Errorf("unexpected %q at byte %d", c, r.pos)
}
