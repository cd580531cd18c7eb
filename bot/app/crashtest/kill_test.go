package crashtest_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

// restEvery: after so many kills the next worker lives until everything is answered. A message that is cut off more
// often is given up, and rightly so.
const restEvery = 4

// afterRestart is within which a restarted worker has gone on in every chat that had something left. It is below the 15 s
// that a lease lasts: nothing of a dead worker may wait for that.
const afterRestart = 10 * time.Second

func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		kills := number(t, "LEADHAND_TEST_KILLS", 6)
		var chats []string
		for i := range 16 {
			chats = append(chats, chatName(i))
		}
		prepare(t, url, chats)
		rng := dice(t)
		p := newFeed(newFleet(t, url, rng))
		ctx, cease := context.WithCancel(t.Context())
		defer cease()
		var people sync.WaitGroup
		for _, chat := range chats {
			people.Go(func() { p.chat(ctx, chat) })
		}

		var starts, recoveries []time.Duration
		for k := range kills {
			busy := slices.DeleteFunc(slices.Clone(chats), func(chat string) bool { return p.open(chat) == 0 })
			w := p.start(fmt.Sprintf("w%d", k))
			first := p.awaitEvent("the worker works", by(w, "model", ""))
			ready := p.awaitEvent("the worker is ready", by(w, "ready", ""))
			starts = append(starts, ready.At.Sub(w.started))
			recoveries = append(recoveries, first.At.Sub(w.started))
			if k%restEvery == restEvery-1 {
				p.awaitAnswers()
				for _, chat := range busy {
					if took := p.wentOn(w, chat).Sub(w.started); took > afterRestart {
						t.Errorf("kill %d: chat %s went on after %v, want %v at most", k, chat, took, afterRestart)
					}
				}
			}
			p.fleet.mu.Lock()
			life := between(rng, 5*time.Millisecond, 120*time.Millisecond)
			p.fleet.mu.Unlock()
			select {
			case <-time.After(life):
			case <-t.Context().Done():
			}
			p.kill(w)
		}
		last := p.start("last")
		cease()
		people.Wait()
		p.awaitAnswers()
		p.stop(last)

		a := newAudit(p)
		a.run()
		t.Logf("%d kills, %d messages, %d sends repeated, %d changes interrupted (%d of them had happened); "+
			"from restart to ready %s, to the first model call %s", kills, len(p.texts), a.repeats, a.interrupted,
			a.happened, spread(starts), spread(recoveries))
	})
}

// spread tells the middle and the longest of some times.
func spread(ds []time.Duration) string {
	slices.Sort(ds)
	middle, longest := ds[len(ds)/2], ds[len(ds)-1]
	return fmt.Sprintf("p50 %v (longest %v)", middle.Round(time.Millisecond), longest.Round(time.Millisecond))
}
