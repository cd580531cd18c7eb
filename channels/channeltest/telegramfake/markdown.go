package telegramfake

import (
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
			return worded("Can't find end of the entity starting at byte offset %d", i)
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
