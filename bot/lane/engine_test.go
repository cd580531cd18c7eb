package lane_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/lane"
)

func TestLanesAreWorkedInOrderEachByOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen, busy := map[string][]int64{}, map[string]bool{}
		var running, most atomic.Int32
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			mu.Lock()
			if busy[l.ID] {
				t.Errorf("lane %s is worked twice at a time", l.ID)
			}
			busy[l.ID] = true
			seen[l.ID] = append(seen[l.ID], l.Done+1)
			mu.Unlock()
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			mu.Lock()
			busy[l.ID] = false
			mu.Unlock()
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots, c.Streak = 3, 2 })
		for range 10 {
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				g.put(id)
			}
		}
		time.Sleep(time.Minute)
		g.stop()
		g.wantIdle(slices.Collect(maps.Keys(seen))...)
		want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if d := cmp.Diff(want, seen[id]); d != "" {
				t.Errorf("lane %s: %s", id, d)
			}
		}
		if most.Load() != 3 {
			t.Errorf("%d lanes were worked at once, want the 3 slots used and no more", most.Load())
		}
	})
}

func TestBusyLaneLetsOthersIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			order = append(order, l.ID)
			time.Sleep(time.Second)
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots, c.Streak = 1, 3 })
		for range 8 {
			g.put("busy")
		}
		synctest.Wait()
		g.put("quiet")
		time.Sleep(time.Minute)
		g.stop()
		want := []string{"busy", "busy", "busy", "quiet", "busy", "busy", "busy", "busy", "busy"}
		if d := cmp.Diff(want, order); d != "" {
			t.Error(d)
		}
		if r := g.row("busy"); r.attempts != 0 {
			t.Errorf("yielding counted as %d attempts", r.attempts)
		}
	})
}

func TestLaneAloneIsKeptToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			time.Sleep(time.Second)
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots, c.Streak = 2, 2 })
		g.fill("a", 20)
		g.engine.Wake()
		time.Sleep(time.Minute)
		g.stop()
		g.wantIdle("a")
		if g.claims != 1 {
			t.Errorf("the lane was claimed %d times, want once", g.claims)
		}
	})
}

func TestRetriesWaitAsLongAsTheySay(t *testing.T) {
	t.Parallel()
	ms := func(ns ...int) (ds []time.Duration) {
		for _, n := range ns {
			ds = append(ds, time.Duration(n)*time.Millisecond)
		}
		return ds
	}
	for name, tt := range map[string]struct {
		err      error
		waits    []time.Duration
		attempts []int
	}{
		"an error backs off": {
			errBroken, ms(200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 60000, 60000),
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		},
		"later is exact and no attempt": {
			fmt.Errorf("send: %w", &lane.Later{After: 7 * time.Second, Err: errBroken}), ms(7000, 7000, 7000),
			[]int{1, 1, 1, 1},
		},
		"a panic is an error": {nil, ms(200, 400), []int{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				var attempts []int
				var g *rig
				g = start(t, func(_ context.Context, l *lane.Lease) error {
					at, attempts = append(at, time.Now()), append(attempts, l.Attempts)
					switch {
					case len(at) > len(tt.waits):
						return g.finish(l)
					case tt.err == nil:
						panic("out of order")
					}
					return tt.err
				}, nil)
				g.put("a")
				time.Sleep(time.Hour)
				g.stop()
				var waits []time.Duration
				for i := range at[1:] {
					waits = append(waits, at[i+1].Sub(at[i]))
				}
				if d := cmp.Diff(tt.waits, waits); d != "" {
					t.Error("waits:", d)
				}
				if d := cmp.Diff(tt.attempts, attempts); d != "" {
					t.Error("attempts:", d)
				}
				g.wantIdle("a")
			})
		})
	}
}

func TestFailingLaneDelaysNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var took time.Duration
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			if l.ID == "bad" {
				return errBroken
			}
			took = time.Since(begun)
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots = 1 })
		g.put("bad")
		time.Sleep(time.Minute)
		begun = time.Now()
		g.put("good")
		synctest.Wait()
		g.stop()
		g.wantIdle("good")
		if took != 0 {
			t.Errorf("the good lane waited %s", took)
		}
	})
}

func TestWakeUpIsNeverLost(t *testing.T) {
	t.Parallel()
	for name, post := range map[string]func(g *rig){
		"posted with a slot of its own": func(g *rig) { g.put("a") },
		"posted by somebody else":       func(g *rig) { g.post("a", ""); g.engine.Wake() },
	} {
		t.Run(name+" between look and sleep", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var g *rig
				g = start(t, func(_ context.Context, l *lane.Lease) error {
					if d := time.Since(begun); d != 0 {
						t.Errorf("the item waited %s", d)
					}
					return g.finish(l)
				}, nil)
				synctest.Wait()
				g.set(func(m *memory) { m.looked = func() { post(g) } })
				g.engine.Wake()
				synctest.Wait()
				g.wantIdle("a")
				g.stop()
			})
		})
	}
}

func TestFreedSlotTakesWhatWaitsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := map[string]time.Duration{}
		begun := time.Now()
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			at[l.ID] = time.Since(begun)
			time.Sleep(time.Second)
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots = 1 })
		for _, id := range []string{"a", "b", "c"} {
			g.put(id)
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		g.stop()
		want := map[string]time.Duration{"a": 0, "b": time.Second, "c": 2 * time.Second}
		if d := cmp.Diff(want, at); d != "" {
			t.Error(d)
		}
	})
}

func TestFailedClaimLeaksNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most int
		var mu sync.Mutex
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return g.finish(l)
		}, func(c *lane.Config) { c.Slots = 2 })
		g.set(func(m *memory) { m.claimErr = errBroken })
		g.fill("a", 1)
		g.fill("b", 1)
		g.engine.Wake()
		time.Sleep(5 * time.Second)
		g.set(func(m *memory) { m.claimErr = nil })
		time.Sleep(ttl + 5*time.Second) // what the failed claims took has to run out
		g.stop()
		g.wantIdle("a", "b")
		if most != 2 {
			t.Errorf("%d lanes were worked at once after failed claims, want 2", most)
		}
	})
}

func TestLeaseWithoutWorkerRunsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g *rig
		g = start(t, func(_ context.Context, l *lane.Lease) error {
			if l.ID == "long" {
				time.Sleep(time.Minute) // keeps the engine renewing
				if r := g.row("long"); r.fence != l.Fence {
					t.Error("the lease of running work ran out")
				}
				return g.finish(l)
			}
			if l.Attempts == 1 {
				return errBroken
			}
			return g.finish(l)
		}, nil)
		g.put("long")
		g.set(func(m *memory) { m.releaseErr = errBroken })
		g.put("lost")
		synctest.Wait()
		g.set(func(m *memory) { m.releaseErr = nil })
		time.Sleep(ttl)
		synctest.Wait()
		g.wantIdle("lost")
		time.Sleep(time.Minute)
		g.stop()
		g.wantIdle("long")
	})
}
