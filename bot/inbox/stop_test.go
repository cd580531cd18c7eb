package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

// stoppable answers a message at once, except "long", which it works until it is stopped.
func stoppable(begun chan<- string) inbox.Handler {
	return func(ctx context.Context, turn *inbox.Turn) (*inbox.End, error) {
		text := turn.Item.Message.Text
		if turn.Item.Stopped {
			end := answer(turn, "dropped "+text)
			end.Outcome = inbox.Stopped
			return end, nil
		}
		begun <- text
		if text != "long" {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return answer(turn, text), nil
		}
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), inbox.ErrStopped) {
			return nil, context.Cause(ctx)
		}
		end := answer(turn, "stopped "+text)
		end.Outcome = inbox.Stopped
		return end, nil
	}
}

func TestStopEndsWhatRunsAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		all              bool
		stopped, waiting int
		want             []string
	}{
		"the head":   {false, 1, 2, []string{"stopped long", "b", "c", "d"}},
		"everything": {true, 3, 0, []string{"stopped long", "dropped b", "dropped c", "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				begun := make(chan string, 10)
				g := newRig(t, url, stoppable(begun))
				g.run()
				g.say("room", "long")
				await(t, begun)
				g.say("room", "b", "c")
				stopped, waiting, err := g.inbox.Stop(t.Context(), g.session("room"), tt.all)
				if err != nil || stopped != tt.stopped || waiting != tt.waiting {
					t.Errorf("stop: %d stopped, %d waiting, %v", stopped, waiting, err)
				}
				g.say("room", "d")
				if d := cmp.Diff(tt.want, []string{g.next(), g.next(), g.next(), g.next()}); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

func TestStopOfAnIdleSessionDoesNotStopTheNextMessage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		begun := make(chan string, 10)
		g := newRig(t, url, stoppable(begun))
		g.run()
		if stopped, _, err := g.inbox.Stop(t.Context(), g.session("room"), true); stopped != 0 || err != nil {
			t.Errorf("%d stopped, %v", stopped, err)
		}
		g.say("room", "a")
		if got := g.next(); got != "a" {
			t.Errorf("sent %q", got)
		}
	})
}

// A stop may come through when the message it was for has just ended and the next has begun.
func TestStopThatMeetsTheNextMessageIsNotItsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		begun := make(chan string, 10)
		g := newRig(t, url, stoppable(begun))
		g.run()
		g.say("room", "long")
		await(t, begun)
		g.inbox.Engine().Cancel(g.session("room"), inbox.ErrStopped)
		if got := await(t, begun); got != "long" {
			t.Errorf("%q was worked again", got)
		}
		if _, _, err := g.inbox.Stop(t.Context(), g.session("room"), false); err != nil {
			t.Fatal(err)
		}
		if got := g.next(); got != "stopped long" {
			t.Errorf("sent %q", got)
		}
	})
}

func TestTurnCutOffByTheStopOfTheProgramRunsAgainUncounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var mu sync.Mutex
		var tries []string
		begun := make(chan struct{}, 10)
		cut := true
		g := newRig(t, url, func(ctx context.Context, turn *inbox.Turn) (*inbox.End, error) {
			mu.Lock()
			tries = append(tries, fmt.Sprint(turn.Attempts))
			mine := cut
			cut = false
			mu.Unlock()
			begun <- struct{}{}
			if !mine {
				return answer(turn, "done"), nil
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		stop := g.run()
		g.say("room", "a")
		await(t, begun)
		g.inbox.Engine().CancelAll(lane.ErrStopping) // the end of the grace, without waiting for it
		if got := g.next(); got != "done" {
			t.Errorf("sent %q", got)
		}
		stop()
		if d := cmp.Diff([]string{"1", "1"}, tries); d != "" {
			t.Error(d)
		}
	})
}
