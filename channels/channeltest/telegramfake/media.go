package telegramfake

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// mediaKinds maps each send method to the kind of its file, which names both
// the parameter and the field of the message.
func mediaKinds() map[string]string {
	return map[string]string{
		"sendDocument": "document", "sendPhoto": "photo", "sendAudio": "audio", "sendVideo": "video", "sendVoice": "voice",
		"sendAnimation": "animation", "sendVideoNote": "video_note", "sendSticker": "sticker",
	}
}

// media is a file as one message shows it.
type media struct {
	id, name, mime string
	size           int64
}

// attach puts a file into the field of a message that its kind has.
func (s *Server) attach(m fakekit.Object, kind string, f media) error {
	switch kind {
	case "photo":
		m[kind] = s.photoSizes(f)
		return nil
	case "document":
		m[kind] = f.object("", fakekit.Object{"file_name": f.name})
	case "audio":
		m[kind] = f.object("audio/mpeg", fakekit.Object{"file_name": f.name, "duration": 1})
	case "voice":
		m[kind] = f.object("audio/ogg", fakekit.Object{"duration": 1})
	case "video":
		m[kind] = f.object("video/mp4", fakekit.Object{"file_name": f.name, "duration": 1, "width": 90, "height": 60})
	case "animation":
		object := f.object("video/mp4", fakekit.Object{"file_name": f.name, "duration": 1, "width": 90, "height": 60})
		// Animations come as documents too, for clients that do not know them.
		m[kind], m["document"] = object, media{f.id, f.name, fakekit.Text(object["mime_type"]), f.size}.object(
			"", fakekit.Object{"file_name": f.name})
	case "video_note":
		m[kind] = media{id: f.id, size: f.size}.object("", fakekit.Object{"duration": 1, "length": 60})
	case "sticker":
		m[kind] = media{id: f.id, size: f.size}.object("", fakekit.Object{
			"type": "regular", "width": 512, "height": 512, "is_animated": false, "is_video": false,
		})
	default:
		return fmt.Errorf("unknown kind of file %q", kind)
	}
	return nil
}

// object returns the description of a file with further fields, leaving out
// texts that are empty.
func (f media) object(defaultMIME string, fields fakekit.Object) fakekit.Object {
	fields["file_id"], fields["file_unique_id"], fields["file_size"] = f.id, "u"+f.id, f.size
	fields["mime_type"] = f.mime
	if f.mime == "" {
		fields["mime_type"] = defaultMIME
	}
	for _, name := range []string{"mime_type", "file_name"} {
		if fields[name] == "" {
			delete(fields, name)
		}
	}
	return fields
}

// photoSizes returns the sizes of a photo, of which the last is the file
// itself. The smaller ones can be fetched too and hold something else, so that
// taking the wrong one shows.
func (s *Server) photoSizes(f media) []any {
	var sizes []any
	for _, width := range []int{90, 320} {
		id := s.files.add(fmt.Sprintf("thumbnail_%d.jpg", width), fmt.Appendf(nil, "%s in a width of %d", f.id, width), 0)
		small := media{id: id, size: s.files.byID[id].size}
		sizes = append(sizes, small.object("", fakekit.Object{"width": width, "height": width * 2 / 3}))
	}
	largest := media{id: f.id, size: f.size}
	return append(sizes, largest.object("", fakekit.Object{"width": 1280, "height": 853}))
}

// mediaOf resolves the file parameter of a call: an upload, a file_id or a URL.
func (s *Server) mediaOf(call fakekit.Call, kind string) (media, *Error) {
	if i := slices.IndexFunc(call.Files, func(f fakekit.File) bool { return f.Field == kind }); i >= 0 {
		f := call.Files[i]
		if f.Size == 0 {
			return media{}, badRequest("file must be non-empty")
		}
		return media{s.files.add(f.Name, f.Data, 0), f.Name, f.ContentType, int64(f.Size)}, nil
	}
	value := call.String(kind)
	switch {
	case value == "":
		return media{}, badRequest("there is no %s in the request", strings.ReplaceAll(kind, "_", " "))
	case strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://"):
		u, err := url.Parse(value)
		if err != nil {
			return media{}, badRequest("wrong HTTP URL specified")
		}
		name := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		return media{id: s.files.add(name, []byte("content of "+value), 0), name: name, size: 1}, nil
	default:
		f := s.files.byID[value]
		if f == nil {
			return media{}, badRequest("wrong file identifier/HTTP URL specified")
		}
		return media{id: value, name: f.name, size: f.size}, nil
	}
}
