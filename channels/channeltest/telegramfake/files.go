package telegramfake

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// fileStore holds the files of a server.
type fileStore struct {
	byID, byPath map[string]*storedFile
	count        int
}

type storedFile struct {
	name, path string
	data       []byte
	size       int64 // as told by getFile; may exceed len(data)
}

func newFileStore() fileStore {
	return fileStore{byID: map[string]*storedFile{}, byPath: map[string]*storedFile{}}
}

// add stores a file and returns its id.
func (fs *fileStore) add(name string, data []byte, size int64) string {
	fs.count++
	id := fmt.Sprintf("BQACAgFake%06d", fs.count)
	path := fmt.Sprintf("documents/file_%d_%s", fs.count, strings.ReplaceAll(name, " ", "_"))
	f := &storedFile{name: name, path: path, data: data, size: max(size, int64(len(data)))}
	fs.byID[id], fs.byPath[path] = f, f
	return id
}

// AddFile stores a file that the bot can fetch. A size above len(data) is
// reported but never sent, to test the download limit.
func (s *Server) AddFile(name string, data []byte, size int64) (fileID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.add(name, data, size)
}

func (s *Server) getFile(call fakekit.Call) (any, error) {
	id := call.String("file_id")
	f := s.files.byID[id]
	if f == nil {
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	}
	if f.size > MaxDownload {
		return nil, badRequest("file is too big")
	}
	return fakekit.Object{"file_id": id, "file_unique_id": "u" + id, "file_size": f.size, "file_path": f.path}, nil
}

// serveFile answers a download.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, path string) {
	call := fakekit.Call{
		Time: time.Now(), Method: "downloadFile", Verb: r.Method, Path: r.URL.Path,
		Params: fakekit.Object{"file_path": path}, Header: r.Header, Status: http.StatusOK,
	}
	if fault, ok := s.TakeFault(call.Method, ""); ok {
		call.Fault = fault.Name()
		fakekit.Pause(r.Context(), fault.Delay)
		if fault.Drop || fault.DropResponse {
			call.Status = 0
			s.Add(call)
			fakekit.Drop(w)
			return
		}
		if fault.Status != 0 {
			call.Status = fault.Status
			s.Add(call)
			http.Error(w, http.StatusText(fault.Status), fault.Status)
			return
		}
	}
	s.mu.Lock()
	f := s.files.byPath[path]
	s.mu.Unlock()
	if f == nil {
		call.Status = http.StatusNotFound
		s.Add(call)
		fakekit.WriteJSON(w, http.StatusNotFound, errorBody(&Error{Code: 404, Description: "Not Found"}))
		return
	}
	s.Add(call)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(f.data) //nolint:errcheck // the client is gone
}
