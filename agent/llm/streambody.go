package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// streamBody reads a streamed response under the exchange's idle watch. The watch runs only while a read waits: a slow
// consumer is no silent provider.
type streamBody struct {
	x       *Exchange
	cause   func() error // why the request was cancelled
	cancel  context.CancelCauseFunc
	watch   *time.Timer
	body    io.ReadCloser
	sniffed bool
}

func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.read(p)
	if !b.sniffed {
		if start := bytes.TrimLeft(p[:n], " \t\r\n\ufeff"); len(start) > 0 {
			b.sniffed = true
			if bytes.IndexByte([]byte("{[<"), start[0]) >= 0 {
				return 0, b.noStream(start)
			}
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.x.broken(b.cause(), err)
		return n, io.EOF
	}
	return n, err
}

func (b *streamBody) read(p []byte) (int, error) {
	b.watch.Reset(b.x.idle)
	defer b.watch.Stop()
	return b.body.Read(p)
}

// noStream handles a 200 whose body is JSON or HTML instead of events: some gateways report their failures so.
func (b *streamBody) noStream(start []byte) error {
	rest, _ := io.ReadAll(io.LimitReader(quietReader{b}, maxReport))
	b.x.body = append(bytes.Clone(start), rest...)
	b.x.err = b.x.judge(0, nil, b.x.body)
	return io.EOF
}

func (b *streamBody) Close() error {
	b.watch.Stop()
	b.cancel(nil)
	return b.body.Close()
}

// quietReader reads a body that is wanted only for its error text, under the same watch; whatever came before a broken
// connection is enough.
type quietReader struct{ b *streamBody }

func (q quietReader) Read(p []byte) (int, error) { return q.b.read(p) }
