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

// Message is a person's message with what belongs to it.
type Message struct {
	*channels.Inbound
	Role   string   // what the person may do; empty is left out
	Notes  []string // what the program has to say about it
	Turn   int64    // inbox number of the message that starts the turn
	Source int64    // inbox number of this one
	Zone   *time.Location
	Heard  Heard
}

// Heard is what people said to each other before a message, not to the agent.
type Heard struct {
	Messages []channels.Inbound
	Omitted  int // how many earlier ones are left out
}

// UserEntry is a person's message as an entry of the session: what others said before, the header line, what the
// message answers, the text, and the attachments. Pictures that models take are shown, the text of text files is told,
// every other file is named with the reason why it is not. Times are told in Zone, in UTC if nil.
func UserEntry(m Message) session.Entry {
	if m.Zone == nil {
		m.Zone = time.UTC
	}
	text := heard(&m) + Header(m.Sender, m.Role, m.SentAt.In(m.Zone))
	if m.Revises != "" {
		text += "\n" + session.Note("This person changed an earlier message. It reads now:")
	}
	if m.ReplyTo != nil {
		text += "\n" + quoted(m.ReplyTo)
	}
	if said := body(m.Text); said != "" {
		text += "\n" + said
	}
	for _, n := range m.Notes {
		text += "\n\n" + session.Note(n)
	}
	var pictures []llm.Part
	for i := range m.Attachments {
		note, picture := attachment(&m.Attachments[i])
		text += "\n\n" + session.Note(note)
		if picture != nil {
			pictures = append(pictures, llm.Part{Image: picture})
		}
	}
	return session.Entry{
		Turn:    m.Turn,
		Source:  m.Source,
		Kind:    session.KindMessage,
		Message: llm.Message{Role: llm.User, Parts: append([]llm.Part{{Text: text}}, pictures...)},
		At:      m.SentAt,
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
