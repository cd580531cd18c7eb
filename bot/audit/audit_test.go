package audit_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/tools"
)

// kept is an audit.Store in memory.
type kept struct {
	all []audit.Entry
	err error
}

func (k *kept) Record(ctx context.Context, _ string, e *audit.Entry) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.all = append(k.all, *e)
	return k.err
}

func (k *kept) Find(context.Context, string, audit.Query) ([]audit.Entry, error) { return k.all, nil }

// TestCalls: each call is kept with what came of it, without secrets and not at any length, also when its run is stopped.
func TestCalls(t *testing.T) {
	t.Parallel()
	k := &kept{}
	var log strings.Builder
	l := &audit.Log{
		Tenant: "t", Store: k, Hide: func(s string) string { return strings.ReplaceAll(s, "CANARY", "…") },
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	scope, tool := tools.Scope{User: "ann", Agent: "lead", Session: "s"}, &tools.Tool{}
	l.After(ctx, &tools.Call{Name: "read_file", Args: []byte(`{"path":"CANARY"}`), Scope: scope, Tool: tool}, tools.Text("fine"))
	l.After(ctx, &tools.Call{Name: "edit", Args: []byte(`{}`), Scope: scope, Tool: tool}, tools.Failure("no CANARY file"))
	l.After(ctx, &tools.Call{Name: "exec", Args: []byte(`{}`), Scope: scope}, tools.Failure("%s", strings.Repeat("not here ", 200)))
	want := []string{`read_file done {"path":"…"}`, "edit failed {} → no … file", "exec refused " + strings.Repeat("not here ", 67)[:600] + "…"}
	for i, e := range k.all {
		if got := e.What + " " + string(e.Outcome) + " " + e.Detail; got != want[i] || e.Person != "ann" || e.Session != "s" {
			t.Errorf("kept %q (%+v), want %q", got, e, want[i])
		}
	}
	if len(k.all) != len(want) {
		t.Errorf("%d entries", len(k.all))
	}
	k.err = errors.New("no database")
	l.Record(t.Context(), &audit.Entry{What: "lost CANARY"})
	if got := log.String(); !strings.Contains(got, "an entry of the audit is lost") || strings.Contains(got, "CANARY") {
		t.Errorf("logged %s", got)
	}
}

func TestTablesAreNoFormulas(t *testing.T) {
	t.Parallel()
	got := string(audit.CSV([]audit.Entry{{At: time.Unix(0, 0), What: "=1+1", Detail: "a \"b\", c\nd", Person: "@x"}}, func(string) string { return "-2" }))
	want := "time,kind,outcome,what,person,name,agent,channel,chat,topic,session,detail\n" +
		"1970-01-01T00:00:00Z,,,'=1+1,'@x,'-2,,,,,,\"a \"\"b\"\", c\nd\"\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
