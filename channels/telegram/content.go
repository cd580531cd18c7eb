package telegram

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// attachments are the files of a message, without their content: that is fetched when it is needed.
func attachments(m *message) []channels.Attachment {
	named := func(f *file, name, mediaType string) []channels.Attachment {
		return []channels.Attachment{{
			Name:      cmp.Or(f.Name, fmt.Sprintf("%s-%d%s", name, m.ID, extension(mediaType))),
			MediaType: cmp.Or(f.MimeType, mediaType), Ref: f.ID, Size: f.Size,
		}}
	}
	switch {
	case len(m.Photo) > 0:
		largest := m.Photo[0]
		for _, p := range m.Photo[1:] {
			if p.Width*p.Height > largest.Width*largest.Height || p.Size > largest.Size {
				largest = p
			}
		}
		return named(&largest, "photo", "image/jpeg")
	case m.Animation != nil:
		return named(m.Animation, "animation", "video/mp4")
	case m.Document != nil:
		return named(m.Document, "document", "application/octet-stream")
	case m.Voice != nil: // named .oga by Telegram, which services that write speech down refuse
		a := named(m.Voice, "voice", "audio/ogg")
		a[0].Name = fmt.Sprintf("voice-%d.ogg", m.ID)
		return a
	case m.Audio != nil:
		return named(m.Audio, "audio", "audio/mpeg")
	case m.Video != nil:
		return named(m.Video, "video", "video/mp4")
	case m.VideoNote != nil:
		return named(m.VideoNote, "video-message", "video/mp4")
	case m.Sticker != nil && !m.Sticker.IsAnimated:
		return named(m.Sticker, "sticker", stickerType(m.Sticker))
	}
	return nil
}

func stickerType(f *file) string {
	if f.IsVideo {
		return "video/webm"
	}
	return "image/webp"
}

func extension(mediaType string) string {
	switch mediaType {
	case "image/jpeg":
		return ".jpg"
	case "audio/mpeg":
		return ".mp3"
	case "audio/ogg":
		return ".ogg"
	case "application/octet-stream":
		return ""
	}
	return "." + path.Base(mediaType)
}

// describe tells in words what a message holds beside text and files.
func describe(m *media) string {
	switch {
	case m.Sticker != nil:
		return strings.TrimSpace("(a sticker " + m.Sticker.Emoji + ")")
	case m.Contact != nil:
		return fmt.Sprintf("(a contact: %s, %s)",
			strings.TrimSpace(m.Contact.FirstName+" "+m.Contact.LastName), m.Contact.PhoneNumber)
	case m.Venue != nil:
		return fmt.Sprintf("(a place: %s, %s, at %f, %f)", m.Venue.Title, m.Venue.Address,
			m.Venue.Location.Latitude, m.Venue.Location.Longitude)
	case m.Location != nil:
		return fmt.Sprintf("(a location: %f, %f)", m.Location.Latitude, m.Location.Longitude)
	case m.Poll != nil:
		var options []string
		for _, o := range m.Poll.Options {
			options = append(options, o.Text)
		}
		return fmt.Sprintf("(a poll: %s; options: %s)", m.Poll.Question, strings.Join(options, "; "))
	case m.Dice != nil:
		return fmt.Sprintf("(a throw of %s: %d)", m.Dice.Emoji, m.Dice.Value)
	case m.Voice != nil:
		return "(a voice message)"
	case m.VideoNote != nil:
		return "(a video message)"
	case m.Story != nil, m.PaidMedia != nil, m.Checklist != nil, m.Game != nil, m.Gift != nil, m.Rich != nil:
		return "(a message of a kind that can't be read here)"
	}
	return ""
}
