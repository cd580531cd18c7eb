package llm_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// ticking is a body that gives one byte per interval until it is cancelled or count is reached, then goes silent.
type ticking struct {
	req      *http.Request
	interval time.Duration
	count    int
}

func (b *ticking) Read(p []byte) (int, error) {
	var tick <-chan time.Time
	if b.count > 0 {
		tick = time.After(b.interval)
	}
	select {
	case <-tick:
		b.count--
		p[0] = ':'
		return 1, nil
	case <-b.req.Context().Done():
		return 0, b.req.Context().Err()
	}
}

func (b *ticking) Close() error { return nil }

func TestExchangeWatchesForSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := llm.NewExchange("p", "", &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: &ticking{r, 100 * time.Second, 3}}, nil
		})}, 0)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.example/?k=v", nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		resp, err := x.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // a slow consumer is no silent provider
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != ":::" {
			t.Errorf("read %q, error %v", body, err)
		}
		if took := time.Since(start); took != time.Hour+300*time.Second+2*time.Minute {
			t.Errorf("took %v", took)
		}
		got := x.Err(t.Context(), nil)
		if llm.ReasonOf(got) != llm.Unreachable || !strings.Contains(got.Error(), "no data for 2m0s") {
			t.Errorf("error %v", got)
		}
	})
}

func TestExchangeWatchesForSilenceBeforeTheHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := llm.NewExchange("p", "", &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}, 5*time.Second)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.example/?k=v", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Client().Do(req)
		got := x.Err(t.Context(), err)
		if llm.ReasonOf(got) != llm.Unreachable || got.Error() != "p: unreachable: no data for 5s" {
			t.Errorf("error %v", got)
		}
	})
}

func TestExchangeHidesSecretsOfTheSDKsErrors(t *testing.T) {
	t.Parallel()
	x := llm.NewExchange("p", "sk-CANARY", nil, 0)
	got := x.Err(t.Context(), errors.New("POST https://x.example/v1?key=abc: bad sk-CANARY\n\tthing"))
	if got.Error() != "p: bad answer: POST https://x.example/v1 bad [key] thing" {
		t.Errorf("error %v", got)
	}
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	digits := func(r rune) bool { return '0' <= r && r <= '9' }
	ids := llm.NewCallIDs(40, digits)
	if got := ids.Call("123"); got != "123" {
		t.Errorf("a fitting id became %q", got)
	}
	odd := ids.Call("a.b")
	if odd == "a.b" || odd == ids.Call("a:b") || ids.Result("a.b") != odd {
		t.Errorf("odd ids are not kept apart: %q", odd)
	}
	again := ids.Call("123")
	if again == "123" || ids.Result("123") != again {
		t.Errorf("a repeated id became %q, its result %q", again, ids.Result("123"))
	}
	if fresh := llm.NewCallIDs(40, digits); fresh.Call("a.b") != odd {
		t.Error("another request gives other ids")
	}
}
