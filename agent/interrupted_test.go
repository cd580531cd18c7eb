package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// A second crash, while the call after an interrupted one runs, must find that one's result in the log: without it the
// interrupted call would look like the one that was cut off, and the other would run twice.
func TestInterruptedIsStoredBeforeTheNextCallBegins(t *testing.T) {
	t.Parallel()
	var runs counter
	w, _ := newWorld(t, llmtest.Text("done"))
	var results []string
	d := tools.Descriptor{Name: "other"}
	look := tools.New(d, func(ctx context.Context, _ *tools.Call, _ struct{}) (*tools.Result, error) {
		log, err := w.log.Load(ctx)
		for _, p := range session.Pairs(log) {
			if p.Result != nil {
				results = append(results, p.Result.Text)
			}
		}
		return tools.Text("done"), err
	})
	w.tools = []tools.Tool{counted("write", tools.Mutating, &runs), look}
	w.keep(asks("write", "other"))
	w.sayAs(10, "do it")
	if !slices.Equal(results, []string{session.Interrupted}) {
		t.Errorf("the log held the results %q when the next call ran", results)
	}
}
