package telegramfake

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const reservedV2 = "_*[]()~`>#+-=|{}.!"

type openMark struct {
	mark  string
	start int
	at    int
}

var marksV2 = map[string]string{"*": "bold", "_": "italic", "__": "underline", "~": "strikethrough", "||": "spoiler"}

var markNames = map[string]string{
	"*": "Bold", "_": "Italic", "__": "Underline", "~": "Strikethrough", "||": "Spoiler",
	"[": "TextUrl", "`": "Code", "```": "Pre", "![": "CustomEmoji",
}

// v2Parser reads a text in MarkdownV2.
type v2Parser struct {
	*builder
	s         string
	at        int // byte offset of the next character
	stack     []openMark
	lineStart bool
	// quoting tells that a block quotation is open, which began at quoteStart.
	quoting    bool
	quoteStart int
}

func (b *builder) markdownV2(s string) error {
	p := &v2Parser{builder: b, s: s, lineStart: true}
	for p.at < len(s) {
		if p.lineStart {
			p.lineStart = false
			if p.quotation() {
				continue
			}
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	if len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		return worded("Can't find end of %s entity at byte offset %d", markNames[top.mark], top.at)
	}
	if p.quoting {
		b.close(p.quoteStart, "blockquote", nil)
	}
	return nil
}

// quotation reads the mark of a block quotation at the start of a line, and
// ends the quotation before lines that have none.
func (p *v2Parser) quotation() bool {
	rest := p.s[p.at:]
	switch {
	case !p.quoting && strings.HasPrefix(rest, "**>"):
		p.quoting, p.quoteStart = true, p.length
		p.at += len("**>")
		return true
	case rest[0] == '>':
		if !p.quoting {
			p.quoting, p.quoteStart = true, p.length
		}
		p.at++
		return true
	case p.quoting:
		p.close(p.quoteStart, "blockquote", nil)
		p.quoting = false
	}
	return false
}

// step reads a character, a mark or a piece of code.
func (p *v2Parser) step() error {
	rest := p.s[p.at:]
	switch c := rest[0]; {
	case c == '\\' && len(rest) > 1 && rest[1] > 0 && rest[1] <= 126:
		p.write(rest[1:2])
		p.at += 2
		return nil
	case c == '\n':
		p.write("\n")
		p.at++
		p.lineStart = true
		return nil
	case c == '`':
		n, err := p.codeV2(rest, p.at)
		p.at += n
		return err
	}
	switch mark := markAt(rest, p.stack); mark {
	case "":
		if strings.IndexByte(reservedV2, rest[0]) >= 0 {
			return worded("Character '%c' is reserved and must be escaped with the preceding '\\'", rest[0])
		}
		_, n := utf8.DecodeRuneInString(rest)
		p.write(rest[:n])
		p.at += n
		return nil
	case "]":
		return p.endLink()
	default:
		p.mark(mark)
		return nil
	}
}

// mark opens an entity, or closes the innermost one if it has the same mark.
func (p *v2Parser) mark(mark string) {
	if top := len(p.stack) - 1; top >= 0 && p.stack[top].mark == mark {
		p.close(p.stack[top].start, marksV2[mark], nil)
		p.stack = p.stack[:top]
	} else {
		p.stack = append(p.stack, openMark{mark, p.length, p.at})
	}
	p.at += len(mark)
}

// endLink reads the end of a link or a custom emoji.
func (p *v2Parser) endLink() error {
	top := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	n, target, err := linkTarget(p.s[p.at+1:])
	if err != nil {
		return fmt.Errorf("%w at byte offset %d", err, p.at)
	}
	if top.mark == "![" {
		id := strings.TrimPrefix(target, "tg://emoji?id=")
		p.close(top.start, "custom_emoji", fakekit.Object{"custom_emoji_id": id})
	} else if target != "" {
		p.close(top.start, "text_link", fakekit.Object{"url": target})
	}
	p.at += 1 + n
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
	var target strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			target.WriteByte(s[i])
		case s[i] == ')':
			return i + 1, target.String(), nil
		default:
			target.WriteByte(s[i])
		}
	}
	return 0, "", worded("Can't find end of a URL")
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
			return 0, worded("Character '`' is reserved and must be escaped with the preceding '\\'")
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b.write(s[i : i+n])
			i += n
		}
	}
	return 0, worded("Can't find end of %s entity at byte offset %d", markNames[fence], at)
}
