// Package rate bounds how often tools are called: by one session, for one person, and each tool for one person. It is
// counted in the process that works a session, which is one at a time.
package rate

import (
	"context"
	"fmt"
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/leadhand/leadhand/tools"
)

// Limits are calls in a minute; 0 is no limit.
type Limits struct {
	Session int            `yaml:"session"` // of one session
	Person  int            `yaml:"person"`  // in one person's name, in all sessions
	Tools   map[string]int `yaml:"tools"`   // of a tool, in one person's name
}

// Default are the limits where the configuration sets none: more than people notice, less than a loop makes.
var Default = Limits{Session: 120, Person: 300}

// maxBuckets bounds of how many sessions, persons and tools something is remembered; a forgotten one begins anew.
const maxBuckets = 20_000

// Limiter counts calls.
type Limiter struct {
	limits  Limits
	buckets *lru.Cache[key, *rate.Limiter]
}

// key is what is counted.
type key struct{ kind, tenant, who, tool string }

// New makes a Limiter.
func New(l Limits) *Limiter {
	buckets, _ := lru.New[key, *rate.Limiter](maxBuckets) // fails only for a size below one
	return &Limiter{limits: l, buckets: buckets}
}

// Check is the tools.Check that refuses what is too much. A refused call does not count.
func (l *Limiter) Check(_ context.Context, call *tools.Call) error {
	s := &call.Scope
	bounds := []struct {
		key     key
		most    int
		whose   string
		setting string
	}{
		{
			key{"session", s.Tenant, s.Session, ""}, l.limits.Session,
			"this session has made its calls", "limits.calls.session",
		},
		{
			key{"person", s.Tenant, s.User, ""}, l.limits.Person,
			"the calls for this person are used up", "limits.calls.person",
		},
		{
			key{"tool", s.Tenant, s.User, call.Name}, l.limits.Tools[call.Name],
			"the calls of " + call.Name + " for this person are used up", "limits.calls.tools." + call.Name,
		},
	}
	now := time.Now()
	var taken []*rate.Reservation
	for _, b := range bounds {
		if b.most <= 0 {
			continue
		}
		r := l.bucket(b.key, b.most).ReserveN(now, 1)
		taken = append(taken, r)
		wait := r.DelayFrom(now)
		if wait <= 0 {
			continue
		}
		for _, r := range taken {
			r.CancelAt(now)
		}
		return fmt.Errorf("%s was not called: %s, %d in a minute (%s). There is one more in %d s: do with what you have, "+
			"or tell the person that it takes longer", call.Name, b.whose, b.most, b.setting, int(math.Ceil(wait.Seconds())))
	}
	return nil
}

func (l *Limiter) bucket(k key, most int) *rate.Limiter {
	fresh := rate.NewLimiter(rate.Limit(float64(most)/time.Minute.Seconds()), most)
	if known, ok, _ := l.buckets.PeekOrAdd(k, fresh); ok {
		l.buckets.Get(k) // it is in use
		return known
	}
	return fresh
}
