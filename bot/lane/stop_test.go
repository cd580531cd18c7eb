package lane_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/lane"
)

func TestFencedWorkIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			calls++
			g.steal("a", "other")
			return g.finish(l)
		}, nil)
		g.put("a")
		synctest.Wait()
		r := g.row("a")
		if r.owner != "other" || r.fence != 2 || r.attempts != 2 || r.done != 0 || calls != 1 {
			t.Errorf("after %d calls the new owner's row is %+v", calls, r)
		}
		if n := g.engine.Active(); n != 0 {
			t.Errorf("%d lanes are still worked", n)
		}
		g.stop()
	})
}

func TestLaneClaimedAnewAfterSleepEndsTheOldWorkerFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var causes []error
		old := false
		var g *rig
		g = start(t, func(ctx context.Context, l *lane.Lease) error {
			if l.Fence > 1 {
				if old {
					t.Error("two workers at a time")
				}
				return g.finish(l)
			}
			old = true
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			time.Sleep(time.Second)
			old = false
			return ctx.Err()
		}, nil)
		g.put("a")
		synctest.Wait()
		g.expire("a")
		g.engine.Wake()
		time.Sleep(2 * time.Second)
		g.stop()
		g.wantIdle("a")
		if len(causes) != 1 || !errors.Is(causes[0], lane.ErrFenced) {
			t.Errorf("the old worker was ended by %v", causes)
		}
	})
}

func TestCancelEndsTheHeadOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done []int64
		var g *rig
		g = start(t, func(ctx context.Context, l *lane.Lease) error {
			if l.Done+1 == 1 {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), errBroken) {
					t.Errorf("cause %v", context.Cause(ctx))
				}
			} else if ctx.Err() != nil {
				t.Errorf("item %d begins with a done ctx", l.Done+1)
			}
			done = append(done, l.Done+1)
			return g.finish(l)
		}, nil)
		g.put("a")
		g.put("a")
		synctest.Wait()
		if !g.engine.Cancel("a", errBroken) || g.engine.Cancel("b", errBroken) {
			t.Error("cancel does not know what is worked here")
		}
		synctest.Wait()
		if g.engine.Cancel("a", errBroken) {
			t.Error("an idle lane was cancelled")
		}
		g.stop()
		if d := cmp.Diff([]int64{1, 2}, done); d != "" {
			t.Error(d)
		}
		if r := g.row("a"); r.fence != 1 {
			t.Errorf("the lane was claimed %d times", r.fence)
		}
	})
}

func TestLostMembershipEndsAllWorkWithoutCounting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		owner := "first"
		var owners []string
		var g *rig
		g = start(t, func(ctx context.Context, l *lane.Lease) error {
			owners = append(owners, l.Owner)
			if l.Owner == "first" {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			if l.Attempts != 1 {
				t.Errorf("attempt %d, want the lost one not counted", l.Attempts)
			}
			return g.finish(l)
		}, func(c *lane.Config) { c.Owner = func() string { return owner } })
		g.put("a")
		synctest.Wait()
		owner = "second"
		g.engine.CancelAll(lane.ErrLost)
		synctest.Wait()
		g.stop()
		if d := cmp.Diff([]string{"first", "second"}, owners); d != "" {
			t.Error(d)
		}
		g.wantIdle("a")
	})
}

func TestStopLetsRunningWorkEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done []int64
		var g *rig
		g = start(t, func(ctx context.Context, l *lane.Lease) error {
			time.Sleep(3 * time.Second)
			if ctx.Err() != nil {
				t.Error("the work was cut off within the grace")
			}
			done = append(done, l.Done+1)
			return g.finish(l)
		}, nil)
		g.put("a")
		g.put("a")
		synctest.Wait()
		begun := time.Now()
		g.stop()
		if d := time.Since(begun); d != 3*time.Second {
			t.Errorf("the stop took %s", d)
		}
		if d := cmp.Diff([]int64{1}, done); d != "" {
			t.Error("work begun after the stop:", d)
		}
		if r := g.row("a"); r.owner != "" || r.attempts != 0 || r.ready().After(time.Now()) {
			t.Errorf("the rest was not given back: %+v", r)
		}
	})
}

func TestStopCutsWorkOffAfterTheGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(ctx context.Context, _ *lane.Lease) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}, func(c *lane.Config) { c.Grace = 2 * time.Second })
		g.put("a")
		synctest.Wait()
		begun := time.Now()
		g.stop()
		if d := time.Since(begun); d != 2*time.Second {
			t.Errorf("the stop took %s, want the grace", d)
		}
		if r := g.row("a"); r.owner != "" || r.attempts != 0 || r.ready().After(time.Now()) {
			t.Errorf("the work was not given back uncounted: %+v", r)
		}
	})
}

func TestNothingIsWorkedBeforeAndAfterRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &rig{T: t, memory: newMemory()}
		works := 0
		g.engine = newEngine(g.memory, func(_ context.Context, l *lane.Lease) error {
			works++
			return g.finish(l)
		}, nil)
		g.put("a")
		synctest.Wait()
		if works != 0 {
			t.Error("work began before Run")
		}
		stop := g.run()
		synctest.Wait()
		g.wantIdle("a")
		stop()
		if s := g.engine.Reserve(); s != nil {
			t.Error("a stopped engine gives a slot")
		}
		g.put("a")
		synctest.Wait()
		if works != 1 {
			t.Errorf("%d items were worked, want 1", works)
		}
	})
}

func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			<-release
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots = 2 })
		synctest.Wait()
		first, second := g.engine.Reserve(), g.engine.Reserve()
		if first.Owner() != "me" || second.Owner() != "me" {
			t.Errorf("owners %q and %q", first.Owner(), second.Owner())
		}
		third := g.engine.Reserve()
		if third != nil || third.Owner() != "" {
			t.Error("a third slot of two")
		}
		third.Use(nil)
		third.Use(&lane.Lease{ID: "nobody's"})
		second.Use(nil)
		if s := g.engine.Reserve(); s == nil {
			t.Error("an unused slot was not freed")
		} else {
			s.Use(nil)
		}
		first.Use(g.post("a", first.Owner()))
		if n := g.engine.Active(); n != 1 {
			t.Errorf("%d lanes are worked, want 1", n)
		}
		close(release)
		synctest.Wait()
		g.wantIdle("a")
		g.stop()
	})
}
