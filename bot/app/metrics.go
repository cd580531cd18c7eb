package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/tools"
)

// metrics are what /metrics shows.
type metrics struct {
	registry    *prometheus.Registry
	messages    *prometheus.CounterVec
	turns       *prometheus.HistogramVec
	tokens      *prometheus.CounterVec
	undelivered *prometheus.CounterVec
	tools       *prometheus.HistogramVec
	hidden      prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadhand_messages_accepted_total", Help: "Messages stored for a turn.",
		}, []string{"channel"}),
		turns: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "leadhand_turn_seconds", Help: "Time from the start of a turn to its end.",
			Buckets: []float64{.005, .02, .1, .5, 1, 2, 5, 10, 30, 60, 300},
		}, []string{"outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadhand_model_tokens_total", Help: "Tokens that models counted; input includes cached ones.",
		}, []string{"kind"}),
		undelivered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "leadhand_messages_undeliverable_total", Help: "Messages to send that were given up.",
		}, []string{"channel"}),
		tools: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "leadhand_tool_seconds", Help: "Time that calls of tools took, of those that were let through.",
			Buckets: []float64{.001, .005, .02, .1, .5, 1, 2, 5, 10, 30, 60, 300},
		}, []string{"tool", "outcome"}),
		hidden: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "leadhand_tool_calls_not_offered_total", Help: "Calls of tools that were not offered, and so refused.",
		}),
	}
	m.registry.MustRegister(m.messages, m.turns, m.tokens, m.undelivered, m.tools, m.hidden,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) accepted(channel string) { m.messages.WithLabelValues(channel).Inc() }

func (m *metrics) ended(o inbox.Outcome, took time.Duration, u llm.Usage) {
	m.turns.WithLabelValues(string(o)).Observe(took.Seconds())
	for kind, n := range map[string]int{
		"input": u.Input, "output": u.Output, "cache_read": u.CacheRead, "cache_write": u.CacheWrite,
	} {
		m.tokens.WithLabelValues(kind).Add(float64(n))
	}
}

// calls is a tools.Middleware.
func (m *metrics) calls(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call *tools.Call) (*tools.Result, error) {
		begun := time.Now()
		r, err := next(ctx, call)
		outcome := "done"
		if err != nil || r != nil && r.IsError {
			outcome = "failed"
		}
		m.tools.WithLabelValues(call.Name, outcome).Observe(time.Since(begun).Seconds())
		return r, err
	}
}

// refused is a tools.After. The names of tools that are not there are the model's, and no label.
func (m *metrics) refused(_ context.Context, call *tools.Call, _ *tools.Result) {
	if call.Tool == nil {
		m.hidden.Inc()
	}
}

// watch shows how many lanes an engine is working.
func (m *metrics) watch(name, help string, e *lane.Engine) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
		func() float64 { return float64(e.Active()) }))
}
