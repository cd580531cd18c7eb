package slackfake

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

type file struct {
	id, name string
	length   int
	data     []byte
	uploaded bool
	info     fakekit.Object
}

func (s *Server) uploadURL(call fakekit.Call) (fakekit.Object, error) {
	if call.Int("length") <= 0 {
		return nil, errors.New("invalid_arguments")
	}
	f := &file{id: s.newID("F"), name: call.String("filename"), length: int(call.Int("length"))}
	s.files[f.id] = f
	return fakekit.Object{"upload_url": s.URL + "/upload/v1/" + f.id, "file_id": f.id}, nil
}

func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	call := fakekit.Call{
		Time: time.Now(), Method: "upload", Verb: r.Method, Path: r.URL.Path, Params: fakekit.Object{"file_id": id},
		Header: r.Header, Status: http.StatusOK,
	}
	if s.faultOfURL(w, r, &call) {
		return
	}
	data, name, err := readUpload(r)
	s.mu.Lock()
	f := s.files[id]
	switch {
	case err != nil:
		call.Violations = append(call.Violations, err.Error())
		call.Status = http.StatusBadRequest
	case f == nil:
		call.Status = http.StatusNotFound
	default:
		if len(data) != f.length {
			call.Violations = append(call.Violations, fmt.Sprintf("%d bytes uploaded, %d announced", len(data), f.length))
		}
		f.data, f.uploaded = data, true
		call.Files = []fakekit.File{{Name: name, Size: len(data), Data: data}}
	}
	s.mu.Unlock()
	s.Add(call)
	w.WriteHeader(call.Status)
	fmt.Fprintf(w, "OK - %d", len(data))
}

// readUpload reads a file sent raw or as the only file of a form.
func readUpload(r *http.Request) ([]byte, string, error) {
	mt, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if mt != "multipart/form-data" {
		data, err := io.ReadAll(io.LimitReader(r.Body, fakekit.MaxBody))
		return data, "", err
	}
	mr := multipart.NewReader(r.Body, params["boundary"])
	for {
		part, err := mr.NextPart()
		if err != nil {
			return nil, "", fmt.Errorf("no file in the form: %w", err)
		}
		if part.FileName() != "" {
			data, err := io.ReadAll(io.LimitReader(part, fakekit.MaxBody))
			return data, part.FileName(), err
		}
	}
}

func (s *Server) completeUpload(call fakekit.Call) (fakekit.Object, error) {
	decoded, _ := decode(call.Params["files"])
	list, _ := decoded.([]any)
	var out []any
	var files []*file
	for _, item := range list {
		entry, _ := item.(fakekit.Object)
		f := s.files[fakekit.Text(entry["id"])]
		if f == nil || !f.uploaded {
			return nil, errFileNotFound
		}
		title := fakekit.Text(entry["title"])
		if title == "" {
			title = f.name
		}
		s.describe(f, title)
		out, files = append(out, f.info), append(files, f)
	}
	if len(out) == 0 {
		return nil, errors.New("invalid_arguments")
	}
	channels := strings.Split(call.String("channels"), ",")
	if id := call.String("channel_id"); id != "" {
		channels = []string{id}
	}
	for _, id := range channels {
		if id == "" {
			continue
		}
		c := s.channels[id]
		if c == nil {
			return nil, errChannelNotFound
		}
		if err := c.closed(); err != nil {
			return nil, err
		}
		m := s.botMessage()
		m["subtype"], m["files"], m["upload"], m["text"] = "file_share", out, true, call.String("initial_comment")
		if err := s.thread(c, m, call); err != nil {
			return nil, err
		}
		s.store(c, m)
		for _, f := range files {
			f.share(c, m)
		}
	}
	return fakekit.Object{"files": out}, nil
}

// share notes on a file that a message shows it. The message keeps what was
// known before.
func (f *file) share(c *conversation, m fakekit.Object) {
	list, shares := "channels", "public"
	switch c.Kind {
	case "im":
		list, shares = "ims", "private"
	case "group", "mpim":
		list, shares = "groups", "private"
	}
	f.info = maps.Clone(f.info)
	ids, _ := f.info[list].([]any)
	f.info[list] = append(slices.Clone(ids), c.ID)
	place := fakekit.Object{"ts": m["ts"]}
	if thread := m["thread_ts"]; thread != nil {
		place["thread_ts"] = thread
	}
	f.info["shares"] = fakekit.Object{shares: fakekit.Object{c.ID: []any{place}}}
}

func (s *Server) describe(f *file, title string) {
	url := s.URL + "/files-pri/" + TeamID + "-" + f.id + "/" + f.name
	f.info = fakekit.Object{
		"id": f.id, "name": f.name, "title": title, "size": max(f.length, len(f.data)), "mode": "hosted",
		"mimetype": "application/octet-stream",
		"filetype": f.name[strings.LastIndexByte(f.name, '.')+1:], "user": BotUserID, "url_private": url,
		"url_private_download": url, "created": time.Now().Unix(),
	}
}

// AddFile stores a file that a user can share, and returns its id.
func (s *Server) AddFile(name, mimetype string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &file{id: s.newID("F"), name: name, length: len(data), data: data, uploaded: true}
	s.files[f.id] = f
	s.describe(f, name)
	f.info["mimetype"] = mimetype
	return f.id
}

func (s *Server) fileInfo(call fakekit.Call) (fakekit.Object, error) {
	f := s.files[call.String("file")]
	if f == nil || f.info == nil {
		return nil, errFileNotFound
	}
	return fakekit.Object{"file": f.info}, nil
}

func (s *Server) deleteFile(call fakekit.Call) (fakekit.Object, error) {
	if s.files[call.String("file")] == nil {
		return nil, errFileNotFound
	}
	delete(s.files, call.String("file"))
	return nil, nil
}

// serveFile downloads a file. Without the bot's token it redirects to the
// sign-in page, which answers 200 with HTML.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	call := fakekit.Call{
		Time: time.Now(), Method: "downloadFile", Verb: r.Method, Path: r.URL.Path, Header: r.Header, Status: http.StatusOK,
	}
	if r.Header.Get("Authorization") != "Bearer "+BotToken {
		call.Status = http.StatusFound
		call.Violations = append(call.Violations, "the download needs the bot token as a bearer token")
		s.Add(call)
		http.Redirect(w, r, "/?redir="+r.URL.Path, http.StatusFound)
		return
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files-pri/"), "-")
	id, _, _ := strings.Cut(rest, "/")
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil {
		call.Status = http.StatusNotFound
		s.Add(call)
		http.NotFound(w, r)
		return
	}
	s.Add(call)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(f.data) //nolint:errcheck // the client is gone
}
