package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func echo(_ context.Context, t *inbox.Turn) (*inbox.End, error) {
	return answer(t, t.Item.Message.Text), nil
}

func TestMessagesAreAnsweredInOrderInEachConversation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, echo)
		g.run()
		const chats, each = 5, 10
		var wg sync.WaitGroup
		for c := range chats {
			wg.Go(func() {
				for i := range each {
					g.say(fmt.Sprint("c", c), fmt.Sprint(i))
				}
			})
		}
		wg.Wait()
		got := map[channels.ChatID][]string{}
		for range chats * each {
			m := await(t, g.sent)
			got[m.Conversation.Chat] = append(got[m.Conversation.Chat], m.Text)
		}
		want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
		for c := range chats {
			if d := cmp.Diff(want, got[channels.ChatID(fmt.Sprint("c", c))]); d != "" {
				t.Errorf("chat %d: %s", c, d)
			}
		}
	})
}

func TestEventDeliveredTwiceIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, echo)
		g.run()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { g.say("room", "once") })
		}
		wg.Wait()
		g.say("room", "end")
		if d := cmp.Diff([]string{"once", "end"}, []string{g.next(), g.next()}); d != "" {
			t.Error(d)
		}
	})
}

func TestWhatWasAcceptedBeforeTheStartIsWorked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, echo)
		g.say("room", "a", "b")
		g.run()
		if d := cmp.Diff([]string{"a", "b"}, []string{g.next(), g.next()}); d != "" {
			t.Error(d)
		}
	})
}

func TestTurnThatKeepsFailingBecomesADeadLetter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var tries []string
		g := newRig(t, url, func(_ context.Context, turn *inbox.Turn) (*inbox.End, error) {
			if turn.Item.Message.Text == "fine" {
				return answer(turn, "fine"), nil
			}
			tries = append(tries, fmt.Sprint(turn.Attempts, turn.Dead))
			if turn.Dead {
				end := answer(turn, "sorry")
				end.Outcome = inbox.Dead
				return end, nil
			}
			return nil, errors.New("broken")
		})
		g.say("room", "bad", "fine")
		g.run()
		if d := cmp.Diff([]string{"sorry", "fine"}, []string{g.next(), g.next()}); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"1 false", "2 true"}, tries); d != "" {
			t.Error(d)
		}
	})
}

func TestUnreadableMessageBlocksNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var steered []string
		g := newRig(t, url, func(ctx context.Context, turn *inbox.Turn) (*inbox.End, error) {
			if turn.Item.Message.Text == "first" {
				items, err := turn.Steer(ctx, turn.Item.Seq)
				if err != nil {
					t.Errorf("steer: %v", err)
				}
				for _, it := range items {
					steered = append(steered, it.Message.Text)
				}
			}
			return answer(turn, turn.Item.Message.Text), nil
		})
		g.say("room", "first", "second", "spoiled", "fourth")
		g.spoil("room", "spoiled")
		g.run()
		if d := cmp.Diff([]string{"first", "second", "fourth"}, []string{g.next(), g.next(), g.next()}); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"second"}, steered); d != "" {
			t.Error("steered:", d)
		}
	})
}

func TestSteeredMessagesGetNoTurnOfTheirOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		begun, more := make(chan struct{}), make(chan struct{})
		g := newRig(t, url, func(ctx context.Context, turn *inbox.Turn) (*inbox.End, error) {
			end := answer(turn, turn.Item.Message.Text)
			if turn.Item.Message.Text != "first" {
				return end, nil
			}
			close(begun)
			<-more
			items, err := turn.Steer(ctx, turn.Item.Seq)
			if err != nil {
				return nil, err
			}
			for _, it := range items {
				if it.Session != turn.Item.Session || it.Seq <= turn.Item.Seq {
					t.Errorf("steered item %d of session %s", it.Seq, it.Session)
				}
				end.Out[0].Text += "+" + it.Message.Text
				end.Through = it.Seq
			}
			again, err := turn.Steer(ctx, end.Through)
			if err != nil || len(again) != 0 {
				t.Errorf("after the last: %v, %v", again, err)
			}
			return end, nil
		})
		g.run()
		g.say("room", "first")
		await(t, begun)
		g.say("room", "second", "third")
		g.say("elsewhere", "other")
		if got := g.next(); got != "other" {
			t.Errorf("sent %q first", got)
		}
		close(more)
		if got := g.next(); got != "first+second+third" {
			t.Errorf("sent %q", got)
		}
		g.say("room", "fourth")
		if got := g.next(); got != "fourth" {
			t.Errorf("sent %q after the steered turn", got)
		}
	})
}

func TestSlowSendDelaysNoTurnAndNoOtherConversation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, echo)
		slow := make(chan struct{})
		sending := make(chan struct{})
		g.send = func(m *channels.Outbound) {
			if m.Text == "slow" {
				close(sending)
				<-slow
			}
		}
		g.run()
		g.say("room", "slow")
		await(t, sending)
		g.say("room", "behind")
		g.say("elsewhere", "quick", "quicker")
		if d := cmp.Diff([]string{"quick", "quicker"}, []string{g.next(), g.next()}); d != "" {
			t.Error(d)
		}
		close(slow)
		if d := cmp.Diff([]string{"slow", "behind"}, []string{g.next(), g.next()}); d != "" {
			t.Error(d)
		}
	})
}

func TestSlowSendDoesNotDelayTheEndOfOtherTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		var turns atomic.Int32
		ended := make(chan struct{})
		g := newRig(t, url, func(_ context.Context, turn *inbox.Turn) (*inbox.End, error) {
			if turns.Add(1) == 4 {
				defer close(ended)
			}
			return answer(turn, turn.Item.Message.Text), nil
		})
		slow := make(chan struct{})
		g.send = func(*channels.Outbound) { <-slow }
		g.run()
		g.say("room", "a", "b", "c", "d")
		await(t, ended)
		close(slow)
		for _, want := range []string{"a", "b", "c", "d"} {
			if got := g.next(); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		}
	})
}

// TestButtonsOfATurnsAnswerAreKept with the end of the turn, under the tenant of the message.
func TestButtonsOfATurnsAnswerAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, func(_ context.Context, t *inbox.Turn) (*inbox.End, error) {
			end := answer(t, "choose")
			end.Out[0].Buttons = [][]channels.Button{{{Text: "Yes", Command: channels.Command{Name: "approve"}}}}
			return end, nil
		})
		g.run()
		g.say("C01", "one")
		shown := await(t, g.sent)
		b, at, err := store.NewButtons(g.db).Kept(t.Context(), "acme", shown.Buttons[0][0].Token)
		if err != nil || b == nil || b.Command.Name != "approve" || at != conversation("C01") {
			t.Errorf("kept %+v at %v: %v", b, at, err)
		}
	})
}

func TestWhereTheyTalked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		g := newRig(t, url, echo)
		g.run()
		for _, chat := range []string{"C01", "C02", "C01"} {
			g.say(chat, fmt.Sprint(len(g.sent), time.Now().UnixNano()))
			g.next()
		}
		got, err := store.NewSessions(g.db).Talked(t.Context(), "acme", "test")
		if err != nil || !slices.Equal(got, []channels.Conversation{conversation("C01"), conversation("C02")}) {
			t.Errorf("got %v: %v", got, err)
		}
		if none, err := store.NewSessions(g.db).Talked(t.Context(), "other", "test"); len(none) != 0 || err != nil {
			t.Errorf("another tenant: %v: %v", none, err)
		}
	})
}
