package terminal

import (
	"errors"
	"io"
	"os"
	"sync"
)

// hangup notices the end of an input whose reader, the editor's loop, would wait for ever for more.
type hangup struct {
	io.Reader
	gone chan struct{} // closed at the end of the input
	once sync.Once
}

func newHangup(in io.Reader) *hangup {
	return &hangup{Reader: in, gone: make(chan struct{})}
}

func (h *hangup) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		h.once.Do(func() { close(h.gone) })
	}
	return n, err
}

// input is what the loop reads. For a file it is still one, since only a file can be put into raw mode.
func (h *hangup) input() io.Reader {
	if f, ok := h.Reader.(*os.File); ok {
		return &hangupFile{File: f, hangup: h}
	}
	return h
}

type hangupFile struct {
	*os.File
	hangup *hangup
}

func (f *hangupFile) Read(p []byte) (int, error) { return f.hangup.Read(p) }
