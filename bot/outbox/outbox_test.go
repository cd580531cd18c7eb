package outbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/outbox"
	"github.com/leadhand/leadhand/channels"
)

var (
	room  = channels.Conversation{Channel: "test", Chat: "room"}
	other = channels.Conversation{Channel: "test", Chat: "other"}
)

func TestFailedSendsAreTriedAgain(t *testing.T) {
	t.Parallel()
	reset := errors.New("connection reset")
	const s = time.Second
	for name, tt := range map[string]struct {
		errs []error
		want []attempt
	}{
		"a refusal was certainly not shown": {
			[]error{&channels.Error{Op: "send", NotTaken: true, Err: reset}},
			[]attempt{{0, "a", false}, {s / 2, "a", false}},
		},
		"any other error may have been": {
			[]error{&channels.Error{Op: "send", Err: reset}, reset},
			[]attempt{{0, "a", false}, {s / 2, "a", true}, {s/2 + s, "a", true}},
		},
		"once unsure, always unsure": {
			[]error{reset, &channels.Error{Op: "send", NotTaken: true, Err: reset}},
			[]attempt{{0, "a", false}, {s / 2, "a", true}, {s/2 + s, "a", true}},
		},
		"the platform's wait is kept exactly": {
			[]error{&channels.Error{Op: "send", NotTaken: true, RetryAfter: 37 * s, Err: reset}},
			[]attempt{{0, "a", false}, {37 * s, "a", false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				errs := tt.errs
				g := newRig(t, func(context.Context, *channels.Outbound) (channels.MessageID, error) {
					if len(errs) == 0 {
						return "7", nil
					}
					err := errs[0]
					errs = errs[1:]
					return "", err
				})
				stop := g.run()
				synctest.Wait()
				g.post(room, "a")
				time.Sleep(time.Hour)
				stop()
				if d := cmp.Diff(tt.want, g.attempts()); d != "" {
					t.Error(d)
				}
				if k := g.first(room); k.id != "7" || k.dead {
					t.Errorf("the message ended as %+v", k)
				}
			})
		})
	}
}

func TestRateLimitedConversationDelaysOnlyItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := true
		g := newRig(t, func(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
			if limited && m.Conversation == room {
				limited = false
				return "", &channels.Error{Op: "send", NotTaken: true, RetryAfter: 5 * time.Second, Err: errors.New("429")}
			}
			return "1", nil
		})
		stop := g.run()
		synctest.Wait()
		g.post(room, "a")
		time.Sleep(time.Second)
		g.post(room, "b") // arrives within the wait and must not break it
		g.post(other, "c")
		time.Sleep(time.Hour)
		stop()
		want := []attempt{
			{0, "a", false}, {time.Second, "c", false}, {5 * time.Second, "a", false}, {5 * time.Second, "b", false},
		}
		if d := cmp.Diff(want, g.attempts()); d != "" {
			t.Error(d)
		}
	})
}

func TestSlowSendDelaysOnlyItsConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, func(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
			if m.Key == "slow" {
				time.Sleep(30 * time.Second)
			}
			return "1", nil
		})
		stop := g.run()
		synctest.Wait()
		g.post(room, "slow", "behind")
		synctest.Wait()
		g.post(other, "quick")
		time.Sleep(time.Minute)
		stop()
		want := []attempt{{0, "slow", false}, {0, "quick", false}, {30 * time.Second, "behind", false}}
		if d := cmp.Diff(want, g.attempts()); d != "" {
			t.Error(d)
		}
	})
}

func TestSendThatHangsIsCutOffAndUnsure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := true
		g := newRig(t, func(ctx context.Context, _ *channels.Outbound) (channels.MessageID, error) {
			if hang {
				hang = false
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "1", nil
		})
		stop := g.run()
		synctest.Wait()
		g.post(room, "a")
		time.Sleep(time.Hour)
		stop()
		want := []attempt{{0, "a", false}, {time.Minute + time.Second/2, "a", true}}
		if d := cmp.Diff(want, g.attempts()); d != "" {
			t.Error(d)
		}
	})
}

func TestWhatCannotBeDeliveredIsKeptAndTold(t *testing.T) {
	t.Parallel()
	elsewhere := channels.Conversation{Channel: "gone", Chat: "room"}
	broken := errors.New("chat not found")
	for name, tt := range map[string]struct {
		to      channels.Conversation
		err     error
		why     string
		sends   int
		spoiled bool
	}{
		"the platform refuses for good": {
			to: room, err: &channels.Error{Op: "send", Terminal: true, Err: broken}, why: "chat not found", sends: 1,
		},
		"the channel is gone":    {to: elsewhere, why: "no such channel"},
		"the row cannot be read": {to: room, why: "unreadable", spoiled: true},
		// Seven waits up to 32 s, then one a minute until the day is over.
		"it fails for a whole day": {to: room, err: broken, why: "chat not found", sends: 7 + 1439 + 1},
		"the platform asks for more than a day": {
			to: room, err: &channels.Error{RetryAfter: 25 * time.Hour, Err: broken}, why: "chat not found", sends: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, func(_ context.Context, m *channels.Outbound) (channels.MessageID, error) {
					if m.Key == "next" {
						return "1", nil
					}
					return "", tt.err
				})
				g.post(tt.to, "lost")
				g.post(room, "next")
				g.convs[tt.to.String()].rows[0].unreadable = tt.spoiled
				stop := g.run()
				time.Sleep(26 * time.Hour)
				stop()
				k := g.first(tt.to)
				if !k.dead || !strings.Contains(k.why, tt.why) {
					t.Errorf("the message ended as %+v", k)
				}
				key := "lost"
				if tt.spoiled {
					key = ""
				}
				if d := cmp.Diff([]string{key}, g.gone); d != "" {
					t.Error("told:", d)
				}
				tries := g.attempts()
				if n := len(tries); n != tt.sends+1 || tries[n-1].Key != "next" && tt.to == room {
					t.Errorf("%d attempts, want %d and then the next message", n, tt.sends)
				}
			})
		})
	}
}

func TestLostConfirmationRepeatsTheSendAsARepetition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, func(context.Context, *channels.Outbound) (channels.MessageID, error) { return "1", nil })
		g.fail = errors.New("the database is away")
		stop := g.run()
		synctest.Wait()
		g.post(room, "a")
		time.Sleep(time.Hour)
		stop()
		want := []attempt{{0, "a", false}, {200 * time.Millisecond, "a", true}}
		if d := cmp.Diff(want, g.attempts()); d != "" {
			t.Error(d)
		}
	})
}

func TestSendCutOffByTheStopGoesOnAtTheNextStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, func(ctx context.Context, _ *channels.Outbound) (channels.MessageID, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		stop := g.run()
		synctest.Wait()
		g.post(room, "a")
		synctest.Wait()
		begun := time.Now()
		stop()
		if d := time.Since(begun); d != time.Second {
			t.Errorf("the stop took %s", d)
		}
		if k := g.first(room); !k.unsure || k.dead || !strings.Contains(k.why, lane.ErrStopping.Error()) {
			t.Errorf("the message was left as %+v", k)
		}
		next := newRig(t, func(context.Context, *channels.Outbound) (channels.MessageID, error) { return "1", nil })
		next.memory = g.memory
		next.out = outbox.New(outbox.Config{
			Store: g.memory, Owner: func() string { return "next" }, Log: discard(),
			Sender: func(string) (channels.Channel, bool) { return next, true },
		})
		stop = next.run()
		synctest.Wait()
		stop()
		if d := cmp.Diff([]attempt{{0, "a", true}}, next.attempts()); d != "" {
			t.Error(d)
		}
	})
}
