package discord_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/discord"
)

func TestAnOverloadIsNoAnswerAboutAThread(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"message":"API resource is currently overloaded. Try again a little later","code":130000}`)
			down.Store(false)
			return
		}
		fmt.Fprintf(w, `{"id":"%s","type":11,"parent_id":"%s"}`, threadID, roomID)
	}))
	defer srv.Close()
	r := newRig(t)
	r.make(settings{"api_url": srv.URL})
	discord.Deliver(t.Context(), r.ch, "READY", []byte(`{"user":{"id":"1"},"application":{"id":"1"}}`), r.handle)
	down.Store(true)
	discord.Deliver(t.Context(), r.ch, "MESSAGE_CREATE", []byte(`{"id":"77","channel_id":"`+threadID+`","type":0,"author":{"id":"501","username":"ann"},"content":"secret"}`), r.handle)
	in := r.next()
	if in.Conversation != at(roomID, threadID) {
		t.Errorf("conversation %+v direct %v", in.Conversation, in.Direct)
	}
}

func TestMessagesOutliveAnOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	var down atomic.Bool
	down.Store(true)
	r.fake.HandleFunc("GET /channels/{channel_id}", func(fakekit.Call) (any, error) {
		if down.Load() {
			return nil, &discordfake.Error{Status: 500, Code: 0, Message: "500: Internal Server Error"}
		}
		return fakekit.Object{"id": directID, "type": 1}, nil
	})
	r.says(directID, "important")
	end := time.Now().Add(20 * time.Second)
	for !strings.Contains(r.log.String(), "given up") && time.Now().Before(end) {
		r.says(otherID, "fine")
		if in := r.next(); in.Text == "important" {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	down.Store(false)
	r.says(directID, "later")
	if in := r.next(); in.Text != "important" {
		t.Errorf("lost; next is %q", in.Text)
	}
}

func TestCatchUpOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.says(roomID, "before")
	r.next()
	r.fake.RefuseResume()
	r.fake.Inject(fakekit.Fault{Method: "GET */messages", Chat: roomID, Status: 502, Times: 13})
	r.fake.DropGateway()
	r.fake.InvalidateSessions(false)
	r.says(roomID, "missed")
	r.fake.Wait("GATEWAY identify")
	r.until("the session is there", func() bool { return r.fake.Connected() == 1 })
	for i := 0; i < 600 && !strings.Contains(r.log.String(), "given up"); i++ {
		r.says(otherID, "fine")
		if in := r.next(); in.Text == "missed" {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	<-time.After(300 * time.Millisecond)
	t.Errorf("given up; shown in room: %q", r.shown(roomID))
}

func TestTextsWithoutTheRightToAttach(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	var n int
	r.fake.HandleFunc(posts, func(c fakekit.Call) (any, error) {
		n++
		if len(c.Files) > 0 {
			return nil, &discordfake.Error{Status: 403, Code: 50013, Message: "Missing Permissions"}
		}
		return fakekit.Object{"id": "99"}, nil
	})
	_, err := r.send(&channels.Outbound{Key: "k", Conversation: at(roomID, ""), Text: "the answer", Attachments: []channels.Attachment{{Name: "a.txt", Data: []byte("x")}}})
	if err != nil {
		t.Errorf("n=%d err=%#v", n, err)
	}
}

func TestPreviewWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	st := r.stream(channels.Preview{Conversation: at(roomID, "")})
	r.fake.Inject(fakekit.Fault{Method: posts, DropResponse: true})
	_ = st.Show(t.Context(), channels.Draft{Text: "So far"})
	id, err := st.Close(t.Context())
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(roomID, ""), Edit: id, Text: "Answer"})
	if s := r.shown(roomID); len(s) != 1 {
		t.Errorf("id %q err %v shown %q", id, err, s)
	}
}

func TestStuckChannelsLeaveOthersAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 33 {
		if err := r.fake.AddThread(roomID, fmt.Sprintf("10800000000000020%02d", i), "x"); err != nil {
			t.Fatal(err)
		}
	}
	r.start(nil)
	r.failing(func(in *channels.Inbound) error {
		if in.Text == "bad" {
			return errors.New("no")
		}
		return nil
	})
	discord.Slow(r.ch)
	for i := range 33 {
		r.says(fmt.Sprintf("10800000000000020%02d", i), "bad")
	}
	<-time.After(200 * time.Millisecond)
	r.says(otherID, "good")
	select {
	case <-r.got:
	case <-time.After(4 * time.Second):
		t.Error("a healthy channel waits for 32 that fail")
	}
}

func TestStopWhileTheSessionIsStuck(t *testing.T) {
	t.Parallel()
	g := newBadGateway(t)
	r := newRig(t)
	r.make(settings{"api_url": g.url})
	stop := r.run()
	r.until("resume", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.ops) >= 2 })
	<-time.After(100 * time.Millisecond)
	began := time.Now()
	stop()
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestQuietChannelsAreCaughtUpWith(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.says(otherID, "before")
	r.next()
	r.fake.RefuseResume()
	r.fake.DropGateway()
	r.fake.InvalidateSessions(false)
	r.says(roomID, "missed in a quiet room")
	r.says(otherID, "missed")
	r.fake.Wait("GATEWAY identify")
	r.until("the session is there", func() bool { return r.fake.Connected() == 1 })
	seen := map[string]bool{}
	for range 2 {
		select {
		case in := <-r.got:
			seen[in.Text] = true
		case <-time.After(3 * time.Second):
		}
	}
	if !seen["missed in a quiet room"] {
		t.Errorf("got %v", seen)
	}
}

func TestRestartLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	stop := r.run()
	r.waitFor("connected to Discord")
	r.says(roomID, "before")
	r.next()
	stop()
	r.says(roomID, "meanwhile")
	r.make(nil)
	r.run()
	r.until("the session is there", func() bool { return r.fake.Connected() == 1 })
	select {
	case <-r.got:
	case <-time.After(3 * time.Second):
		t.Error("lost")
	}
}

func TestPressAtTheStop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	ctx, cancel := context.WithCancel(t.Context())
	discord.Deliver(ctx, r.ch, "READY", []byte(`{"user":{"id":"1"},"application":{"id":"1"}}`), r.handle)
	cancel()
	raw := `{"id":"88","token":"tok","type":3,"channel_id":"` + roomID + `","channel":{"id":"` + roomID + `","type":0},"user":{"id":"501","username":"ann"},"data":{"custom_id":"TOKEN00001"}}`
	discord.Deliver(ctx, r.ch, "INTERACTION_CREATE", []byte(raw), r.handle)
	in := r.next()
	if n := len(r.fake.Calls(acks)); n == 0 {
		t.Errorf("stored %+v but never acknowledged", in.Action)
	}
}
