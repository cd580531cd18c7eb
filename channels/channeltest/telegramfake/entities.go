package telegramfake

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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

var htmlTypes = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "tg-spoiler": "spoiler",
	"span": "spoiler", "a": "text_link", "tg-emoji": "custom_emoji", "code": "code", "pre": "pre", "blockquote": "blockquote",
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
				return fmt.Errorf("Unclosed start tag at byte offset %d", i)
			}
			tag := s[i+1 : i+end]
			if name, ok := strings.CutPrefix(tag, "/"); ok {
				name = strings.ToLower(strings.TrimSpace(name))
				if len(stack) == 0 {
					return fmt.Errorf("Unexpected end tag at byte offset %d", i)
				}
				top := stack[len(stack)-1]
				if name != "" && name != top.name {
					return fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", i, top.name, name)
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
		return fmt.Errorf("Can't find end tag corresponding to start tag %q", stack[len(stack)-1].name)
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
		return t, fmt.Errorf("Unsupported start tag %q", t.name)
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
		value := after
		if after != "" && (after[0] == '"' || after[0] == '\'') {
			end := strings.IndexByte(after[1:], after[0])
			if end < 0 {
				return t, errors.New("Unclosed start tag")
			}
			value, rest = after[1:1+end], after[end+2:]
		} else {
			value, rest, _ = strings.Cut(after, " ")
		}
		t.attrs[strings.ToLower(key)] = unescapeHTML(value)
	}
	if t.name == "span" && t.attrs["class"] != "tg-spoiler" {
		return t, errors.New(`Tag "span" must have class "tg-spoiler"`)
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

const reservedV2 = "_*[]()~`>#+-=|{}.!"

type openMark struct {
	mark  string
	start int
	at    int
}

var marksV2 = map[string]string{"*": "bold", "_": "italic", "__": "underline", "~": "strikethrough", "||": "spoiler"}

var markNames = map[string]string{"*": "Bold", "_": "Italic", "__": "Underline", "~": "Strikethrough", "||": "Spoiler", "[": "TextUrl", "`": "Code", "```": "Pre", "![": "CustomEmoji"}

func (b *builder) markdownV2(s string) error {
	var stack []openMark
	quoteStart, quoting := 0, false
	lineStart := true
	for i := 0; i < len(s); {
		c := s[i]
		if lineStart {
			lineStart = false
			if strings.HasPrefix(s[i:], "**>") && !quoting {
				quoting, quoteStart = true, b.length
				i += 3
				continue
			}
			if c == '>' {
				if !quoting {
					quoting, quoteStart = true, b.length
				}
				i++
				continue
			}
			if quoting {
				b.close(quoteStart, "blockquote", nil)
				quoting = false
			}
		}
		switch {
		case c == '\\' && i+1 < len(s) && s[i+1] > 0 && s[i+1] <= 126:
			b.write(s[i+1 : i+2])
			i += 2
			continue
		case c == '\n':
			b.write("\n")
			i++
			lineStart = true
			continue
		case strings.HasPrefix(s[i:], "```"), c == '`':
			n, err := b.codeV2(s[i:], i)
			if err != nil {
				return err
			}
			i += n
			continue
		}
		mark := markAt(s[i:], stack)
		if mark == "" {
			if strings.IndexByte(reservedV2, c) >= 0 {
				return fmt.Errorf("Character '%c' is reserved and must be escaped with the preceding '\\'", c)
			}
			_, n := utf8.DecodeRuneInString(s[i:])
			b.write(s[i : i+n])
			i += n
			continue
		}
		if mark == "]" {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			n, url, err := linkTarget(s[i+1:])
			if err != nil {
				return fmt.Errorf("%w at byte offset %d", err, i)
			}
			if top.mark == "![" {
				b.close(top.start, "custom_emoji", fakekit.Object{"custom_emoji_id": strings.TrimPrefix(url, "tg://emoji?id=")})
			} else if url != "" {
				b.close(top.start, "text_link", fakekit.Object{"url": url})
			}
			i += 1 + n
			continue
		}
		if len(stack) > 0 && stack[len(stack)-1].mark == mark {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			b.close(top.start, marksV2[mark], nil)
		} else {
			stack = append(stack, openMark{mark, b.length, i})
		}
		i += len(mark)
	}
	if len(stack) > 0 {
		top := stack[len(stack)-1]
		return fmt.Errorf("Can't find end of %s entity at byte offset %d", markNames[top.mark], top.at)
	}
	if quoting {
		b.close(quoteStart, "blockquote", nil)
	}
	return nil
}

// markAt returns the markup that s starts with, "" if none.
func markAt(s string, stack []openMark) string {
	switch {
	case strings.HasPrefix(s, "__"):
		return "__"
	case strings.HasPrefix(s, "||"):
		return "||"
	case strings.HasPrefix(s, "!["):
		return "!["
	case s[0] == '*', s[0] == '_', s[0] == '~', s[0] == '[':
		return s[:1]
	case s[0] == ']' && len(stack) > 0 && strings.HasSuffix(stack[len(stack)-1].mark, "["):
		return "]"
	}
	return ""
}

// linkTarget reads "(url)" and returns how many bytes it took.
func linkTarget(s string) (int, string, error) {
	if !strings.HasPrefix(s, "(") {
		return 0, "", nil
	}
	var url strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			url.WriteByte(s[i])
		case s[i] == ')':
			return i + 1, url.String(), nil
		default:
			url.WriteByte(s[i])
		}
	}
	return 0, "", errors.New("Can't find end of a URL")
}

func (b *builder) codeV2(s string, at int) (int, error) {
	fence, typ := "`", "code"
	if strings.HasPrefix(s, "```") {
		fence, typ = "```", "pre"
	}
	start := b.length
	i := len(fence)
	attrs := fakekit.Object{}
	if typ == "pre" {
		n := strings.IndexFunc(s[i:], func(r rune) bool { return unicode.IsSpace(r) || r == '`' })
		if n > 0 && s[i+n] == '\n' {
			attrs["language"] = s[i : i+n]
		} else {
			n = 0
		}
		i += n
		if i < len(s) && s[i] == '\n' {
			i++
		}
	}
	for i < len(s) {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			b.write(s[i+1 : i+2])
			i += 2
		case strings.HasPrefix(s[i:], fence):
			b.close(start, typ, attrs)
			return i + len(fence), nil
		case s[i] == '`':
			return 0, fmt.Errorf("Character '`' is reserved and must be escaped with the preceding '\\'")
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b.write(s[i : i+n])
			i += n
		}
	}
	return 0, fmt.Errorf("Can't find end of %s entity at byte offset %d", markNames[fence], at)
}

// markdown parses the legacy mode, in which entities do not nest.
func (b *builder) markdown(s string) error {
	for i := 0; i < len(s); {
		c := s[i]
		if c == '\\' && i+1 < len(s) && strings.IndexByte("_*`[", s[i+1]) >= 0 {
			b.write(s[i+1 : i+2])
			i += 2
			continue
		}
		if strings.IndexByte("_*`[", c) < 0 {
			_, n := utf8.DecodeRuneInString(s[i:])
			b.write(s[i : i+n])
			i += n
			continue
		}
		mark, end := s[i:i+1], s[i:i+1]
		if strings.HasPrefix(s[i:], "```") {
			mark, end = "```", "```"
		} else if c == '[' {
			end = "]"
		}
		body := s[i+len(mark):]
		n := strings.Index(body, end)
		if n < 0 {
			return fmt.Errorf("Can't find end of the entity starting at byte offset %d", i)
		}
		start := b.length
		b.write(body[:n])
		i += len(mark) + n + len(end)
		switch mark {
		case "*":
			b.close(start, "bold", nil)
		case "_":
			b.close(start, "italic", nil)
		case "`":
			b.close(start, "code", nil)
		case "```":
			b.close(start, "pre", nil)
		case "[":
			used, url, err := linkTarget(s[i:])
			if err != nil {
				return err
			}
			i += used
			if url != "" {
				b.close(start, "text_link", fakekit.Object{"url": url})
			}
		}
	}
	return nil
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
