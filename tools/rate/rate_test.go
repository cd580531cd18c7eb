package rate_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/rate"
)

func call(session, person, tool string) *tools.Call {
	return &tools.Call{Name: tool, Scope: tools.Scope{Tenant: "t", Session: session, User: person}}
}

// TestLimits: each is counted for itself, and comes back with time.
func TestLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := rate.New(rate.Limits{Session: 3, Person: 5, Tools: map[string]int{"exec": 1}})
		ask := func(session, person, tool, want string) {
			t.Helper()
			err := l.Check(t.Context(), call(session, person, tool))
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s of %s in %s: %v, want %q", tool, person, session, err, want)
			}
		}
		ask("a", "ann", "exec", "")
		ask("a", "ann", "exec", "the calls of exec for this person are used up, 1 in a minute (limits.calls.tools.exec). There is one more in 60 s")
		ask("a", "ann", "edit", "") // what was refused did not count
		ask("a", "ann", "edit", "")
		ask("a", "ann", "edit", "this session has made its calls, 3 in a minute (limits.calls.session). There is one more in 20 s")
		ask("b", "ann", "edit", "")
		ask("b", "ann", "edit", "")
		ask("b", "ann", "edit", "the calls for this person are used up, 5 in a minute")
		ask("b", "bob", "exec", "")
		time.Sleep(20 * time.Second)
		ask("a", "ann", "edit", "")
		ask("a", "ann", "edit", "this session")
		time.Sleep(time.Minute)
		ask("a", "ann", "exec", "")
	})
}

func TestNoLimits(t *testing.T) {
	t.Parallel()
	l := rate.New(rate.Limits{})
	for range 1000 {
		if err := l.Check(t.Context(), call("a", "ann", "exec")); err != nil {
			t.Fatal(err)
		}
	}
}
