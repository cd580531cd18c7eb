package discord

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// link is a session of the gateway, with one connection after the other.
//
// It does not trust the session to notice or to end by itself: it holds the network connection below, and cuts it when
// the session takes too long. What the session tells of its end counts for nothing, because it may come late and mean
// an earlier connection.
type link struct {
	dg     *discordgo.Session
	api    http.RoundTripper
	timing timing
	ready  chan struct{} // a token when the session was opened or resumed
	ended  chan struct{} // a token when the session noticed the end of a connection
	dead   atomic.Bool   // the session was abandoned: what it still tells is not heard

	mu   sync.Mutex
	line *line // the connection
}

const (
	shakeTimeout = 15 * time.Second
	stuckTimeout = time.Second             // for the session to come back once its connection is cut
	endTimeout   = 3 * time.Second         // for the session to notice the end of a connection; it sleeps one of them
	closeTimeout = 1300 * time.Millisecond // for a good-bye; the session sleeps most of it
)

var (
	errStuck  = errors.New("the session is stuck")
	errZombie = errors.New("heartbeats are not answered")
	errEnded  = errors.New("the connection ended")
)

func (c *Channel) newLink(on func(kind string, raw []byte)) (*link, error) {
	dg, err := newSession(c.api.token)
	if err != nil {
		return nil, err
	}
	dg.Identify.Compress = false // events are small, and the library would make a decompressor for each
	dg.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages |
		discordgo.IntentsDirectMessages | discordgo.IntentMessageContent
	l := &link{
		dg: dg, api: c.api.transport, timing: c.timing, ready: make(chan struct{}, 1), ended: make(chan struct{}, 1),
	}
	dg.AddHandler(func(_ *discordgo.Session, _ *discordgo.Disconnect) { signal(l.ended) })
	dg.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) {
		if l.dead.Load() {
			return
		}
		on(e.Type, e.RawData)
		if e.Type == "READY" || e.Type == "RESUMED" {
			signal(l.ready)
		}
	})
	return l, nil
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func drain(ch chan struct{}) {
	select {
	case <-ch:
	default:
	}
}

// open connects. After errStuck the link must not be used any more: the library holds its own lock for ever, which a
// request to reconnect right after a resume brings about.
func (l *link) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.timing.open)
	defer cancel()
	drain(l.ready)
	drain(l.ended)
	l.dg.Client = &http.Client{Transport: bound{ctx, l.api}, CheckRedirect: stay}
	l.dg.Ratelimiter = discordgo.NewRatelimiter() // one that was used may sleep
	l.dg.Dialer = &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: shakeTimeout,
		NetDialContext: func(_ context.Context, network, addr string) (net.Conn, error) { return l.dial(ctx, network, addr) },
	}
	done := make(chan error, 1)
	go func() { done <- l.dg.Open() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	l.cut()
	select {
	case err := <-done:
		return errors.Join(context.Cause(ctx), err)
	case <-time.After(stuckTimeout):
		l.dead.Store(true)
		return errStuck
	}
}

func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = &line{Conn: conn, down: make(chan struct{})}
	return l.line, nil
}

// cut ends the connection at once, in a way after which the session can be resumed.
func (l *link) cut() {
	if line := l.current(); line != nil {
		_ = line.Close()
	}
}

func (l *link) current() *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}

// wait waits until the connection has ended and says why; nil when ctx is done first.
func (l *link) wait(ctx context.Context) error {
	why := errEnded
	look := time.NewTicker(l.timing.look)
	defer look.Stop()
	for down := l.current().down; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			if l.silent() {
				why = errZombie
				l.cut()
			}
		case <-down:
			select {
			case <-l.ended:
			case <-ctx.Done():
			case <-time.After(endTimeout):
			}
			return why
		}
	}
}

// silent tells whether heartbeats have not been answered for too long. The library would wait longer, and then end the
// connection in a way after which nothing can be resumed.
func (l *link) silent() bool {
	l.dg.RLock()
	defer l.dg.RUnlock()
	return time.Since(l.dg.LastHeartbeatAck) > l.timing.zombie
}

// close says good-bye, if that does not take long.
func (l *link) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.dg.Close()
	}()
	select {
	case <-done:
	case <-time.After(closeTimeout):
	}
	l.cut()
	select {
	case <-done:
	case <-time.After(stuckTimeout / 2):
	}
	l.dead.Store(true)
}

// line is a network connection that tells when it ends.
type line struct {
	net.Conn
	down chan struct{}
	once sync.Once
}

func (l *line) end() { l.once.Do(func() { close(l.down) }) }

func (l *line) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err != nil {
		l.end()
	}
	return n, err
}

// Write never fails: what is not written is missed by the other side, and reading fails then. At a failed write the
// library would end whatever connection it has by that time.
func (l *line) Write(p []byte) (int, error) {
	if _, err := l.Conn.Write(p); err != nil {
		_ = l.Close()
	}
	return len(p), nil
}

// Close implements net.Conn.
func (l *line) Close() error {
	l.end()
	return l.Conn.Close()
}

// bound makes requests end with ctx, for a library that makes them without one.
type bound struct {
	ctx  context.Context
	next http.RoundTripper
}

func (t bound) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.next.RoundTrip(r.WithContext(t.ctx))
}
