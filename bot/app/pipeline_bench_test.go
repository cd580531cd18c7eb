package app_test

import (
	"context"
	"testing"

	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/planmode"
	"github.com/leadhand/leadhand/tools/rate"
	"github.com/leadhand/leadhand/tools/scrub"
	"github.com/leadhand/leadhand/tools/spill"
)

// BenchmarkToolCall is one call that does nothing, through all that calls go through: validation, plan mode, rates,
// secrets, large results; "bare" without the audit, the others with it on each database.
func BenchmarkToolCall(b *testing.B) {
	run := func(b *testing.B, after ...tools.After) {
		b.Helper()
		noop := tools.New(tools.Descriptor{Name: "noop", Effect: tools.ReadOnly},
			func(context.Context, *tools.Call, struct{}) (*tools.Result, error) { return tools.Text("done"), nil })
		plan, err := tools.BuildPlan([]tools.Tool{noop}, tools.Signals{})
		if err != nil {
			b.Fatal(err)
		}
		var hide scrub.Scrubber
		hide.Register("blue-horse-7", "known")
		large := spill.Spiller{Log: quiet}
		p := &tools.Pipeline{
			Checks: []tools.Check{planmode.Check(nil), rate.New(rate.Limits{Session: 1e9, Person: 1e9}).Check},
			After: append([]tools.After{
				func(_ context.Context, _ *tools.Call, r *tools.Result) { r.ForModel = hide.Text(r.ForModel) }, large.After(),
			}, after...),
		}
		for b.Loop() {
			call := &tools.Call{Name: "noop", Args: []byte(`{}`), Scope: tools.Scope{Tenant: "t", Session: "s", User: "u"}}
			if err := p.Run(b.Context(), plan, []*tools.Call{call}, func(int, *tools.Result) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("bare", func(b *testing.B) { run(b) })
	storetest.EachBench(b, func(b *testing.B, url string) {
		db := storetest.Open(b, url)
		log := &audit.Log{Tenant: "t", Store: store.NewAudit(db), Hide: func(s string) string { return s }, Log: quiet}
		run(b, log.After)
	})
}
