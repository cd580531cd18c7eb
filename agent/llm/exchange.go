package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// defaultIdle is how long a provider may send nothing. Reasoning models are silent for a minute and more.
const defaultIdle = 2 * time.Minute

var (
	errIdle = errors.New("idle timeout")
	errCut  = errors.New("the stream broke off before the answer was complete")
)

// Exchange is the HTTP side of one generation. An adapter makes one per Generate and gives its Client to the vendor's
// SDK; the exchange then watches for silence and judges every failure on the wire in the same way for all vendors,
// because SDKs lose headers, print URLs and bodies, or write to the standard logger.
//
// A failed read ends the body like a normal end; [Exchange.Err] tells what really happened. An exchange serves one
// request at a time.
type Exchange struct {
	provider string
	secret   string
	idle     time.Duration
	client   http.Client
	base     http.RoundTripper

	err  *Error
	body []byte // of a response that was no stream
}

// NewExchange makes an exchange over hc, or over the default transport if hc is nil. The key never appears in an error.
// An idle of 0 means two minutes.
func NewExchange(provider, key string, hc *http.Client, idle time.Duration) *Exchange {
	x := &Exchange{provider: provider, secret: key, idle: idle}
	if idle <= 0 {
		x.idle = defaultIdle
	}
	if hc != nil {
		x.client = *hc
	}
	if x.base = x.client.Transport; x.base == nil {
		x.base = http.DefaultTransport
	}
	x.client.Transport = x
	return x
}

// Client sends through the exchange.
func (x *Exchange) Client() *http.Client { return &x.client }

// RoundTrip implements http.RoundTripper. A response that is not 2xx, a redirect among them, becomes an *Error: a
// redirect would carry the key to another host.
func (x *Exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	x.err, x.body = nil, nil
	ctx, cancel := context.WithCancelCause(req.Context())
	watch := time.AfterFunc(x.idle, func() { cancel(errIdle) })
	resp, err := x.base.RoundTrip(req.WithContext(ctx))
	watch.Stop()
	if err != nil {
		x.broken(context.Cause(ctx), err)
		cancel(nil)
		return nil, x.err
	}
	cause := func() error { return context.Cause(ctx) }
	b := &streamBody{x: x, cause: cause, cancel: cancel, watch: watch, body: resp.Body}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer b.Close()
		x.body, _ = io.ReadAll(io.LimitReader(quietReader{b}, maxReport))
		x.err = x.judge(resp.StatusCode, resp.Header, x.body)
		return nil, x.err
	}
	resp.Body = b
	return resp, nil
}

// Err explains why there is no answer, best explanation first. The SDK's error err is nil if the stream just ended.
func (x *Exchange) Err(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if x.err != nil {
		return x.err
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if err != nil {
		return x.fail(BadAnswer, errors.New(x.excerpt(err.Error())))
	}
	return x.fail(Unreachable, errCut)
}

// Reported judges an error object that came inside a stream with status 200.
func (x *Exchange) Reported(body []byte) error {
	x.err = x.judge(0, nil, body)
	return x.err
}

// Body is the start of a response that was no stream; adapters look in it for what the server did not understand.
func (x *Exchange) Body() []byte { return x.body }

func (x *Exchange) fail(r Reason, err error) *Error {
	return &Error{Provider: x.provider, Reason: r, Err: err}
}

// broken keeps a failure of the connection itself. Cause is why its context ended, nil if it did not.
func (x *Exchange) broken(cause, err error) {
	if errors.Is(cause, errIdle) {
		err = errors.New("no data for " + x.idle.String())
	} else if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = errors.New(x.excerpt(err.Error()))
	}
	x.err = x.fail(Unreachable, err)
}
