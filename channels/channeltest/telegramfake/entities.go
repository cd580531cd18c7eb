package telegramfake

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// UTF16Len returns the length of a text in UTF-16 code units, the unit of
// entity offsets.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// ParseText splits formatted text into plain text and message entities, the
// way the Bot API does for a parse_mode: "HTML", "MarkdownV2", "Markdown" or "".
func ParseText(mode, s string) (string, []fakekit.Object, error) {
	var (
		b   builder
		err error
	)
	switch strings.ToLower(mode) {
	case "":
		return s, nil, nil
	case "html":
		err = b.html(s)
	case "markdownv2":
		err = b.markdownV2(s)
	case "markdown":
		err = b.markdown(s)
	default:
		return "", nil, errors.New("unsupported parse_mode")
	}
	if err != nil {
		return "", nil, err
	}
	slices.SortStableFunc(b.entities, func(x, y fakekit.Object) int {
		if d := x["offset"].(int) - y["offset"].(int); d != 0 {
			return d
		}
		return y["length"].(int) - x["length"].(int)
	})
	return b.text.String(), b.entities, nil
}

// builder collects plain text and entities.
type builder struct {
	text     strings.Builder
	length   int // UTF-16
	entities []fakekit.Object
}

func (b *builder) write(s string) {
	b.text.WriteString(s)
	b.length += UTF16Len(s)
}

func (b *builder) close(start int, typ string, attrs fakekit.Object) {
	if b.length == start || typ == "" {
		return
	}
	e := fakekit.Object{"type": typ, "offset": start, "length": b.length - start}
	for k, v := range attrs {
		e[k] = v
	}
	b.entities = append(b.entities, e)
}

// detectEntities finds the commands and mentions that Telegram marks in plain
// text.
func detectEntities(text string) []any {
	var out []any
	offset := 0
	prev := ' '
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		if (r == '/' || r == '@') && !isWord(prev) && prev != '/' && prev != '@' {
			j := i + 1
			for j < len(runes) && (isWord(runes[j]) || r == '/' && runes[j] == '@') {
				j++
			}
			if n := j - i; n > 1 {
				typ := "bot_command"
				if r == '@' {
					typ = "mention"
				}
				if r == '/' || n > 3 {
					out = append(out, fakekit.Object{"type": typ, "offset": offset, "length": n})
				}
				offset += n
				prev = runes[j-1]
				i = j
				continue
			}
		}
		offset += max(1, utf16.RuneLen(r))
		prev = r
		i++
	}
	return out
}

func isWord(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
