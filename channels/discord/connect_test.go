package discord_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/discord"
)

func TestFaultySettings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		s    settings
		want string
	}{
		"no token":            {settings{}, "bot_token is missing"},
		"a token with blanks": {settings{"bot_token": "a b"}, "characters"},
		"no address":          {settings{"bot_token": "a", "api_url": "127.0.0.1"}, "api_url"},
		"a path":              {settings{"bot_token": "a", "api_url": "http://127.0.0.1/api"}, "api_url"},
		"a server's name":     {settings{"bot_token": "a", "guild": "Ops"}, "guild"},
	} {
		_, err := discord.New("dc", tc.s.decode, channels.Env{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := discord.New("dc", settings{"bot_token": " Bot abc.def \n"}.decode, channels.Env{}); err != nil {
		t.Error(err)
	}
}

func TestLostConnectionsAreResumed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*discordfake.Server){
		"dropped":   (*discordfake.Server).DropGateway,
		"closed":    func(s *discordfake.Server) { s.CloseGateway(4000) },
		"opcode 7":  (*discordfake.Server).RequestReconnect,
		"no answer": func(s *discordfake.Server) { s.PauseHeartbeats(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, discordfake.WithHeartbeat(150*time.Millisecond))
			r.make(nil)
			discord.Distrust(r.ch, time.Second)
			r.run()
			r.waitFor("connected to Discord")
			r.says(roomID, "before")
			r.next()
			lose(r.fake)
			r.fake.Wait("GATEWAY disconnect")
			r.fake.PauseHeartbeats(false)
			r.says(roomID, "meanwhile")
			r.fake.Wait("GATEWAY resume")
			if in := r.next(); in.Text != "meanwhile" {
				t.Errorf("received %q", in.Text)
			}
			r.nothingFrom(roomID)
			if n := r.fake.Connected(); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

func TestWhatWasMissedWithoutResumingIsCaughtUpOn(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for _, channel := range []string{roomID, threadID} {
		r.says(channel, "before "+channel)
		r.next()
	}
	r.fake.RefuseResume()
	r.fake.Inject(fakekit.Fault{Method: "GET */messages", Status: 500})
	r.fake.DropGateway()
	r.fake.InvalidateSessions(false) // what is written now, no session keeps
	var want []string
	for i := range 130 {
		r.says(roomID, fmt.Sprintf("missed %d", i))
		want = append(want, fmt.Sprintf("missed %d", i))
	}
	r.says(threadID, "missed in the thread")
	r.fake.Wait("GATEWAY identify")
	r.until("the session is there", func() bool { return r.fake.Connected() == 1 })
	r.says(roomID, "live")
	want = append(want, "live")

	var got []string
	thread := false
	for len(got) < len(want) || !thread {
		in := r.next()
		switch {
		case in.Conversation.Topic != "":
			thread = in.Text == "missed in the thread" || thread
		case !slices.Contains(got, in.Text): // what comes twice has the same key
			got = append(got, in.Text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("received %q", got)
	}
}

func TestDoublesHaveTheSameKey(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.says(roomID, "once")
	first := r.next()
	r.fake.Redeliver(1)
	if again := r.next(); again.EventKey != first.EventKey {
		t.Errorf("keys %s and %s", first.EventKey, again.EventKey)
	}
}

func TestOrderIsKeptInEachChannel(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	rooms := []string{roomID, threadID, otherID, directID}
	const each = 100
	for i := range each {
		for _, room := range rooms {
			r.says(room, fmt.Sprint(i))
		}
	}
	next := map[channels.Conversation]int{}
	for range each * len(rooms) {
		in := r.next()
		if in.Text != fmt.Sprint(next[in.Conversation]) {
			t.Fatalf("in %v came %s instead of %d", in.Conversation, in.Text, next[in.Conversation])
		}
		next[in.Conversation]++
	}
}

func TestFatalFaultsNameTheirFix(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		setup  func(r *rig)
		notice string
	}{
		"a wrong token":        {func(r *rig) { r.make(settings{"bot_token": "other.CANARY"}) }, "Reset Token"},
		"intents that are off": {func(r *rig) { r.make(nil) }, "Message Content Intent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []discordfake.Option
			if strings.Contains(tc.notice, "Intent") {
				opts = append(opts, discordfake.DenyIntents(discordfake.IntentMessageContent))
			}
			r := newRig(t, opts...)
			tc.setup(r)
			r.run()
			for range 3 { // it goes on trying, at long intervals, and tells once
				r.fake.Wait("GATEWAY identify")
			}
			r.waitFor(tc.notice)
			if told := r.notices(); len(told) != 1 || !strings.Contains(told[0], tc.notice) {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestFaultsOnTheWayToTheGateway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, f := range []fakekit.Fault{
		{Method: "GET /gateway", Status: 500}, {Method: "GET /gateway", Status: 502}, {Method: "GET /gateway", Drop: true},
		{Method: "GET /gateway", RetryAfter: fakekit.Duration(20 * time.Millisecond)},
		{Method: "GATEWAY connect", Status: 503}, {Method: "GATEWAY connect", Drop: true},
	} {
		r.fake.Inject(f)
	}
	r.start(nil)
	r.says(roomID, "hello")
	if in := r.next(); in.Text != "hello" {
		t.Errorf("received %q", in.Text)
	}
}

func TestInvalidSessionsAreBegunAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.fake.InvalidateSessions(false)
	r.fake.Wait("GATEWAY identify")
	r.until("the session is there", func() bool { return r.fake.Connected() == 1 })
	r.says(roomID, "hello")
	if in := r.next(); in.Text != "hello" {
		t.Errorf("received %q", in.Text)
	}
}

func TestRunEndsSoonInEveryState(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]func(r *rig){
		"connected": func(r *rig) { r.waitFor("connected to Discord") },
		"no answer": func(r *rig) {
			r.fake.Inject(fakekit.Fault{Method: "GET /gateway", Delay: fakekit.Duration(time.Minute)})
		},
		"no greeting": func(r *rig) {
			r.fake.Inject(fakekit.Fault{Method: "GATEWAY connect", Delay: fakekit.Duration(time.Minute)})
		},
		"nothing is stored": func(r *rig) { r.failing(func(*channels.Inbound) error { return errors.New("no database") }) },
		"a wait was ordered": func(r *rig) {
			r.fake.Inject(fakekit.Fault{Method: "GET /gateway", RetryAfter: fakekit.Duration(time.Hour)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(nil)
			if name != "connected" {
				state(r)
			}
			stop := r.run()
			switch name {
			case "connected":
				state(r)
			case "nothing is stored":
				r.waitFor("connected to Discord")
				for range 50 {
					r.says(roomID, "hello")
				}
				r.waitFor("not stored yet")
				r.says(otherID, "all were delivered")
				r.waitFor("chat=" + otherID)
			case "a wait was ordered":
				r.fake.Wait("GET /gateway")
			}
			began := time.Now()
			stop()
			if name == "nothing is stored" && !strings.Contains(r.log.String(), "lost=49") {
				t.Errorf("what is lost is not told")
			}
			if d := time.Since(began); d > 2500*time.Millisecond {
				t.Errorf("it took %v", d)
			}
		})
	}
}

func TestWhatCannotBeStoredIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	var down atomic.Bool
	down.Store(true)
	r.failing(func(*channels.Inbound) error {
		if down.Load() {
			return errors.New("no database")
		}
		return nil
	})
	for i := range 5 {
		r.says(roomID, fmt.Sprint(i))
	}
	r.says(otherID, "elsewhere")
	r.waitFor("not stored yet")
	down.Store(false)
	var room []string
	for range 6 {
		if in := r.next(); in.Conversation == at(roomID, "") {
			room = append(room, in.Text)
		}
	}
	if !slices.Equal(room, []string{"0", "1", "2", "3", "4"}) {
		t.Errorf("received %q", room)
	}
}

func TestAMessageThatCanNeverBeStoredIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.failing(func(in *channels.Inbound) error {
		if in.Text == "poison" {
			return errors.New("no")
		}
		return nil
	})
	r.says(roomID, "poison")
	for len(r.shown(roomID)) == 0 {
		r.says(otherID, "fine")
		r.next()
	}
	if got := r.shown(roomID)[0]; !strings.Contains(got, "send it again") {
		t.Errorf("it says %q", got)
	}
	r.nothingFrom(roomID)
}

func TestTheOldestIsLostWhenTooMuchWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	hold := make(chan struct{})
	r.failing(func(*channels.Inbound) error { <-hold; return nil })
	const waiting, lost = 1000, 101
	for i := range 1 + waiting + lost {
		r.says(roomID, fmt.Sprint(i))
	}
	r.waitFor(fmt.Sprintf("lost=%d", lost))
	close(hold)
	n, second := 0, ""
	for in := r.next(); in.Text != "end"; in = r.next() {
		if n++; n == 2 { // there is room again
			second = in.Text
			r.says(roomID, "end")
		}
	}
	if n != 1+waiting || second != fmt.Sprint(1+lost) {
		t.Errorf("%d messages were kept, the second is %s", n, second)
	}
}
