package telegramfake

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

var htmlTypes = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "tg-spoiler": "spoiler",
	"span": "spoiler", "a": "text_link", "tg-emoji": "custom_emoji", "code": "code", "pre": "pre",
	"blockquote": "blockquote",
}

type openTag struct {
	name  string
	start int
	attrs map[string]string
}

func (b *builder) html(s string) error {
	var stack []openTag
	for i := 0; i < len(s); {
		switch s[i] {
		case '&':
			text, n := htmlEntity(s[i:])
			b.write(text)
			i += n
		case '<':
			end := strings.IndexByte(s[i:], '>')
			if end < 0 {
				return worded("Unclosed start tag at byte offset %d", i)
			}
			tag := s[i+1 : i+end]
			if name, ok := strings.CutPrefix(tag, "/"); ok {
				name = strings.ToLower(strings.TrimSpace(name))
				if len(stack) == 0 {
					return worded("Unexpected end tag at byte offset %d", i)
				}
				top := stack[len(stack)-1]
				if name != "" && name != top.name {
					return worded("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", i, top.name, name)
				}
				stack = stack[:len(stack)-1]
				b.closeTag(top, stack)
			} else {
				open, err := parseTag(tag)
				if err != nil {
					return fmt.Errorf("%w at byte offset %d", err, i)
				}
				open.start = b.length
				stack = append(stack, open)
			}
			i += end + 1
		default:
			n := strings.IndexAny(s[i:], "&<")
			if n < 0 {
				n = len(s) - i
			}
			b.write(s[i : i+n])
			i += n
		}
	}
	if len(stack) > 0 {
		return worded("Can't find end tag corresponding to start tag %q", stack[len(stack)-1].name)
	}
	return nil
}

func (b *builder) closeTag(t openTag, outer []openTag) {
	attrs := fakekit.Object{}
	typ := htmlTypes[t.name]
	switch t.name {
	case "a":
		if t.attrs["href"] == "" {
			return
		}
		attrs["url"] = t.attrs["href"]
	case "tg-emoji":
		attrs["custom_emoji_id"] = t.attrs["emoji-id"]
	case "blockquote":
		if _, ok := t.attrs["expandable"]; ok {
			typ = "expandable_blockquote"
		}
	case "code":
		// <pre><code class="language-x"> is one pre entity.
		if len(outer) > 0 && outer[len(outer)-1].name == "pre" && outer[len(outer)-1].start == t.start {
			if lang, ok := strings.CutPrefix(t.attrs["class"], "language-"); ok {
				outer[len(outer)-1].attrs["language"] = lang
				return
			}
		}
	case "pre":
		if lang := t.attrs["language"]; lang != "" {
			attrs["language"] = lang
		}
	}
	b.close(t.start, typ, attrs)
}

func parseTag(tag string) (openTag, error) {
	name, rest, _ := strings.Cut(tag, " ")
	t := openTag{name: strings.ToLower(strings.TrimSuffix(name, "/")), attrs: map[string]string{}}
	if htmlTypes[t.name] == "" {
		return t, worded("Unsupported start tag %q", t.name)
	}
	for rest = strings.TrimSpace(rest); rest != "" && rest != "/"; rest = strings.TrimSpace(rest) {
		key, after, hasValue := strings.Cut(rest, "=")
		if sp := strings.IndexByte(rest, ' '); sp >= 0 && (!hasValue || sp < len(key)) {
			t.attrs[strings.ToLower(rest[:sp])] = ""
			rest = rest[sp:]
			continue
		}
		if !hasValue {
			t.attrs[strings.ToLower(rest)] = ""
			break
		}
		var value string
		if after != "" && (after[0] == '"' || after[0] == '\'') {
			end := strings.IndexByte(after[1:], after[0])
			if end < 0 {
				return t, worded("Unclosed start tag")
			}
			value, rest = after[1:1+end], after[end+2:]
		} else {
			value, rest, _ = strings.Cut(after, " ")
		}
		t.attrs[strings.ToLower(key)] = unescapeHTML(value)
	}
	if t.name == "span" && t.attrs["class"] != "tg-spoiler" {
		return t, worded(`Tag "span" must have class "tg-spoiler"`)
	}
	return t, nil
}

func unescapeHTML(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '&' {
			out.WriteByte(s[i])
			i++
			continue
		}
		text, n := htmlEntity(s[i:])
		out.WriteString(text)
		i += n
	}
	return out.String()
}

// htmlEntity decodes the entity that s starts with. Only the four names that
// Telegram knows and numeric ones are decoded.
func htmlEntity(s string) (string, int) {
	end := strings.IndexByte(s, ';')
	if end < 2 || end > 10 {
		return "&", 1
	}
	switch name := s[1:end]; {
	case name == "lt":
		return "<", end + 1
	case name == "gt":
		return ">", end + 1
	case name == "amp":
		return "&", end + 1
	case name == "quot":
		return `"`, end + 1
	case name[0] == '#':
		num, base := name[1:], 10
		if strings.HasPrefix(num, "x") {
			num, base = num[1:], 16
		}
		if n, err := strconv.ParseInt(num, base, 32); err == nil && n > 0 && utf8.ValidRune(rune(n)) {
			return string(rune(n)), end + 1
		}
	}
	return "&", 1
}
