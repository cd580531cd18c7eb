package web_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/leadhand/leadhand/bot/web"
)

// start runs a server until the test ends.
func start(t *testing.T, checks ...web.Check) *web.Server {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "leadhand_test_total", Help: "x"}))
	s, err := web.Listen(t.Context(), web.Config{
		Addr: "127.0.0.1:0", Metrics: reg, Ready: checks, Log: slog.New(slog.DiscardHandler),
		Hooks: map[string]http.Handler{"tg": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "hooked "+r.URL.Path)
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Second):
			t.Error("the server did not stop")
		}
	})
	return s
}

func get(t *testing.T, s *web.Server, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	fine := web.Check{Name: "database", Run: func(context.Context) error { return nil }}
	broken := web.Check{Name: "database", Run: func(context.Context) error { return errors.New("secret DSN") }}
	stuck := web.Check{Name: "database", Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	tests := map[string]struct {
		check  web.Check
		path   string
		status int
		body   string
	}{
		"alive":               {fine, "/healthz", 200, "ok"},
		"alive though broken": {broken, "/healthz", 200, "ok"},
		"ready":               {fine, "/readyz", 200, `{"database":"ok"}`},
		"not ready":           {broken, "/readyz", 503, `{"database":"failing"}`},
		"a check that hangs":  {stuck, "/readyz", 503, `{"database":"failing"}`},
		"metrics":             {fine, "/metrics", 200, "leadhand_test_total 0"},
		"anything else":       {fine, "/nothing", 404, "not found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := get(t, start(t, tt.check), tt.path)
			if status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("%d %q, want %d with %q", status, body, tt.status, tt.body)
			}
		})
	}
}

func TestListenTellsWhichAddressIsTaken(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := web.Listen(t.Context(), web.Config{Addr: s.Addr()})
	if err == nil || !strings.Contains(err.Error(), s.Addr()) {
		t.Errorf("error %v", err)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	s := start(t)
	if code, body := get(t, s, "/hooks/tg"); code != http.StatusOK || body != "hooked /hooks/tg" {
		t.Errorf("/hooks/tg: %d %q", code, body)
	}
	for _, path := range []string{"/hooks/other", "/hooks/", "/hooks/tg/x"} {
		if code, _ := get(t, s, path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
