// Package web is the HTTP side of leadhand: health, readiness, metrics, and what messengers deliver.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Check is one condition for being ready.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// Config is what a Server needs.
type Config struct {
	Addr    string // "127.0.0.1:8420"; port 0 takes a free one
	Metrics prometheus.Gatherer
	Ready   []Check
	Hooks   map[string]http.Handler // served at /hooks/NAME
	Log     *slog.Logger
}

// Server answers /healthz, /readyz, /metrics and the hooks.
type Server struct {
	cfg      Config
	listener net.Listener
}

const (
	checkTimeout    = 2 * time.Second
	shutdownTimeout = 2 * time.Second
)

// Listen takes the address, so that a taken port is an error before anything else starts.
func Listen(ctx context.Context, cfg Config) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", cfg.Addr, err)
	}
	return &Server{cfg, l}, nil
}

// Addr is the address in use.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	srv := &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(s.listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := srv.Shutdown(stop); err != nil {
		_ = srv.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

func (s *Server) routes() http.Handler {
	r := chi.NewRouter()
	r.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	r.Get("/readyz", s.ready)
	for name, h := range s.cfg.Hooks {
		r.Handle("/hooks/"+name, h)
	}
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(s.cfg.Metrics, promhttp.HandlerOpts{}))
	return r
}

// ready answers 200 when every check passes, else 503; the body names each.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	status, report := http.StatusOK, map[string]string{}
	for _, c := range s.cfg.Ready {
		report[c.Name] = "ok"
		if err := c.Run(ctx); err != nil {
			s.cfg.Log.Warn("not ready", "check", c.Name, "err", err)
			status, report[c.Name] = http.StatusServiceUnavailable, "failing"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(report)
}
