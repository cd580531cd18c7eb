package scrub

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler is a log handler that takes secrets out of everything that is logged, before next sees it.
func (s *Scrubber) Handler(next slog.Handler) slog.Handler { return handler{next, s} }

type handler struct {
	slog.Handler
	s *Scrubber
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.s.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return handler{h.Handler.WithAttrs(clean), h.s}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name), h.s} }

func (h handler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(h.s.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i := range group {
			clean[i] = h.attr(group[i])
		}
		a.Value = slog.GroupValue(clean...)
	case slog.KindAny:
		text := fmt.Sprint(v.Any())
		if hidden := h.s.Text(text); hidden != text { // otherwise it keeps its form
			a.Value = slog.StringValue(hidden)
		}
	}
	return a
}
