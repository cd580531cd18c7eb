package prompt

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/channels"
)

// maxInlineText is the most of one attached text file that is told to the model, in bytes.
const maxInlineText = 32 << 10

// UserEntry is a person's message as an entry of the session: the header line, the text, and the attachments. Pictures
// that models take are shown, the text of text files is told, every other file is named with the reason why it is not.
// Turn is the inbox number of the message that starts the turn, source that of this one; loc is the zone in which the
// header tells the time, UTC if nil.
func UserEntry(in *channels.Inbound, role string, turn, source int64, loc *time.Location) session.Entry {
	if loc == nil {
		loc = time.UTC
	}
	text := Header(in.Sender, role, in.SentAt.In(loc))
	if said := body(in.Text); said != "" {
		text += "\n" + said
	}
	var pictures []llm.Part
	for i := range in.Attachments {
		note, picture := attachment(&in.Attachments[i])
		text += "\n\n" + session.Note(note)
		if picture != nil {
			pictures = append(pictures, llm.Part{Image: picture})
		}
	}
	return session.Entry{
		Turn:    turn,
		Source:  source,
		Kind:    session.KindMessage,
		Message: llm.Message{Role: llm.User, Parts: append([]llm.Part{{Text: text}}, pictures...)},
		At:      in.SentAt,
	}
}

// attachment tells about a file that came with a message. The type is judged by the content: messengers name it wrong,
// or not at all.
func attachment(a *channels.Attachment) (note string, picture *llm.Image) {
	name := oneLine(a.Name)
	if name == "" {
		name = "unnamed"
	}
	kind := mimetype.Detect(a.Data).String()
	file := fmt.Sprintf("File %q (%s, %s)", name, kind, byteCount(len(a.Data)))
	switch {
	case len(a.Data) == 0:
		return fmt.Sprintf("File %q came empty.", name), nil
	case strings.HasPrefix(kind, "image/"):
		picture, err := session.Picture(name, a.Data)
		if err != nil {
			return fmt.Sprintf("%s came with the message. It can't be shown: %v.", file, err), nil
		}
		return fmt.Sprintf("Image %q came with the message.", name), picture
	case strings.HasPrefix(kind, "text/") && utf8.Valid(a.Data):
		told := strings.ToValidUTF8(string(a.Data[:min(len(a.Data), maxInlineText)]), "")
		if len(a.Data) > maxInlineText {
			return fmt.Sprintf("%s came with the message. It begins:\n%s\n%s", file, body(told),
				session.Note("The rest of the file is left out.")), nil
		}
		return fmt.Sprintf("%s came with the message:\n%s", file, body(told)), nil
	default:
		return file + " came with the message. Its content is not shown here.", nil
	}
}

func byteCount(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
