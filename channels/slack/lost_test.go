package slack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

func TestShortTextsInsteadAreNotLost(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	text := strings.Repeat("Some words of a long answer. ", 300)
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Error: "msg_too_long"})
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", After: 1, DropResponse: true})
	_, err := r.send(&channels.Outbound{Key: "k", Conversation: at(general, ""), Text: text})
	e := refusal(t, err)
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Error: "msg_too_long"})
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(general, ""), Text: text, Attempt: channels.Attempt{Unsure: !e.NotTaken}})
	n := 0
	for _, m := range r.shown(general) {
		n += len(m["text"].(string))
	}
	if n < len(text)-20 || n > len(text)+20 {
		t.Errorf("shown %d of %d characters", n, len(text))
	}
}

func TestShortTextsInsteadAreNotDoubled(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	text := strings.Repeat("Some words of a long answer. ", 300)
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Error: "msg_too_long"})
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", After: 2, RetryAfter: fakekit.Duration(time.Second)})
	_, err := r.send(&channels.Outbound{Key: "k", Conversation: at(general, ""), Text: text})
	e := refusal(t, err)
	<-time.After(1100 * time.Millisecond)
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Error: "msg_too_long"})
	r.mustSend(&channels.Outbound{Key: "k", Conversation: at(general, ""), Text: text, Attempt: channels.Attempt{Unsure: !e.NotTaken}})
	n := 0
	for _, m := range r.shown(general) {
		n += len(m["text"].(string))
	}
	if n > len(text)+10 {
		t.Errorf("shown %d of %d characters", n, len(text))
	}
}

func TestAnswerInPlaceOfADeletedPreview(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	id := r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "prev"})
	r.fake.Must(r.fake.DeleteMessage(general, string(id)))
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", DropResponse: true})
	m := &channels.Outbound{Key: "k", Conversation: at(general, ""), Text: "answer", Edit: id}
	_, err := r.send(m)
	e := refusal(t, err)
	m.Attempt.Unsure = !e.NotTaken
	r.mustSend(m)
	if len(r.shown(general)) != 1 {
		t.Error("doubled")
	}
}

func TestPreviewWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	s := r.preview(general, "")
	r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", DropResponse: true})
	_ = s.Show(r.Context(), channels.Draft{Text: "One"})
	_ = s.Show(r.Context(), channels.Draft{Text: "One two"})
	id, _ := s.Close(r.Context())
	r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "Done", Edit: id})
	if len(r.shown(general)) != 1 {
		t.Errorf("%d messages", len(r.shown(general)))
	}
}

func TestStreamWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	const start, look = "chat.startStream", "conversations.replies"
	for name, c := range map[string]struct {
		faults []fakekit.Fault
		strays int // that stay open
	}{
		"it is found":          {[]fakekit.Fault{{Method: start, DropResponse: true}}, 0},
		"it is found later":    {[]fakekit.Fault{{Method: start, DropResponse: true}, {Method: look, Status: 500}}, 0},
		"it does not end":      {[]fakekit.Fault{{Method: start, DropResponse: true}, {Method: "chat.stopStream", Status: 500}}, 0},
		"it was never there":   {[]fakekit.Fault{{Method: start, Drop: true}}, 0},
		"nobody may look":      {[]fakekit.Fault{{Method: start, DropResponse: true}, {Method: look, Error: "missing_scope", Times: -1}}, 1},
		"it certainly was not": {[]fakekit.Fault{{Method: start, Error: "missing_recipient_team_id"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start()
			root := r.asked(general)
			r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "known"})
			s := r.preview(general, root)
			for _, f := range c.faults {
				r.fake.Inject(f)
			}
			_ = s.Show(r.Context(), channels.Draft{Text: "One"})
			r.show(s, "One two")
			r.show(s, "One two three")
			id, err := s.Close(r.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.mustSend(&channels.Outbound{Conversation: at(general, root), Text: "Done", Edit: id})
			m := r.shown(general)
			if len(m) != 2+c.strays || m[0]["text"] != "known" || m[len(m)-1]["text"] != "Done" || id == "" ||
				r.fake.OpenStreams() != c.strays || !strings.Contains(r.log.String(), "posted "+string(id)) {
				t.Errorf("%d open, shown %v", r.fake.OpenStreams(), m)
			}
			if c.faults[0].Error != "" && len(r.fake.Calls(look)) != 0 {
				t.Error("it was looked up although it certainly was not there")
			}
		})
	}
}

func TestStreamOfAnotherAnswerIsNotTaken(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	first, second := r.preview(general, root), r.preview(general, root)
	r.show(first, "One")
	s := settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": r.fake.URL}
	replica, err := slack.New("sl", s.decode, r.env())
	if err != nil {
		t.Fatal(err)
	}
	m := &channels.Outbound{Key: "k", Conversation: at(general, root), Text: "of another process"}
	if _, err := replica.Send(r.Context(), m); err != nil {
		t.Fatal(err)
	}
	r.fake.Inject(fakekit.Fault{Method: "chat.startStream", Drop: true})
	r.show(second, "Two")
	r.show(first, "One and more")
	r.finish(first, at(general, root), "First")
	r.finish(second, at(general, root), "Second")
	if m := r.shown(general); len(m) != 3 || m[0]["text"] != "First" || m[1]["text"] != "of another process" || m[2]["text"] != "Second" {
		t.Errorf("shown %v", m)
	}
}

func TestStreamWhoseAnswerWasLostAtTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.fake.Inject(fakekit.Fault{Method: "chat.startStream", DropResponse: true})
	r.fake.Inject(fakekit.Fault{Method: "conversations.replies", Status: 500})
	_ = s.Show(r.Context(), channels.Draft{Text: "One"})
	r.finish(s, at(general, root), "Done")
	if m := r.shown(general); len(m) != 1 || m[0]["text"] != "Done" {
		t.Errorf("shown %v", m)
	}
}

func TestStopWhileTheTextIsRewritten(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "Let me look.")
	r.fake.StopStreams(general)
	r.step(s, "", "reading")
	r.show(s, "Other")
	select {
	case in := <-r.got:
		t.Logf("%+v", in.Command)
	case <-time.After(time.Second):
		t.Error("the person's stop is lost")
	}
}

func TestStepsAndFileNamesPingNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	s := r.preview(general, "")
	r.step(s, "", "running echo <!channel>")
	r.mustSend(&channels.Outbound{Conversation: at(general, ""), Attachments: []channels.Attachment{{Name: "<!everyone>.txt"}}, Text: "x"})
	for _, m := range r.shown(general) {
		if strings.Contains(strings.ReplaceAll(fmt.Sprint(m["text"], m["blocks"]), "&lt;", "<"), "<!") {
			t.Errorf("broadcast %q %v", m["text"], m["blocks"])
		}
	}
}

func TestSlowLookupsKeepTheOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("message.channels")).start()
	root := r.says(slackfake.Incoming{Channel: general, Text: "root"})
	r.next()
	r.join(at(general, root))
	r.fake.Inject(fakekit.Fault{Method: "users.info", Delay: fakekit.Duration(4 * time.Second)})
	r.says(slackfake.Incoming{Channel: general, User: bob, Text: "first", ThreadTS: root})
	r.says(slackfake.Incoming{Channel: general, User: bob, Text: "second", ThreadTS: root})
	a := r.next()
	r.next()
	if a.Text != "first" || strings.Contains(r.log.String(), "not taken yet") {
		t.Error("order, or refused")
	}
}

func TestStatusEndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(dm)
	s := r.preview(dm, root)
	r.show(s, "One")
	_ = r.ch.(channels.Typer).Typing(r.Context(), at(dm, root))
	r.finish(s, at(dm, root), "Done")
	if st := r.fake.AssistantStatus(dm, root); st != "" {
		t.Errorf("status %q", st)
	}
}

func socketServer(ws http.HandlerFunc) (*httptest.Server, *int) {
	opens := new(int)
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch q.URL.Path {
		case "/api/auth.test":
			_, _ = w.Write([]byte(`{"ok":true,"user_id":"U1","bot_id":"B1","team_id":"T1","user":"b"}`))
		case "/api/apps.connections.open":
			*opens++
			_, _ = w.Write([]byte(`{"ok":true,"url":"` + strings.Replace(srv.URL, "http", "ws", 1) + `/ws"}`))
		case "/ws":
			ws(w, q)
		}
	}))
	return srv, opens
}

func TestManySocketsAreNoHotLoop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	up := websocket.Upgrader{}
	srv, opens := socketServer(func(w http.ResponseWriter, q *http.Request) {
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		_ = c.WriteMessage(websocket.TextMessage, []byte(`{"type":"disconnect","reason":"too_many_websockets"}`))
		_, _, _ = c.ReadMessage()
		_ = c.Close()
	})
	defer srv.Close()
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": srv.URL})
	stop := r.run()
	<-time.After(time.Second)
	stop()
	if *opens > 200 { // 10 ms is Hurry's pace
		t.Error("hot loop")
	}
}

func TestHandshakeThatHangs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	gate := make(chan struct{})
	srv, _ := socketServer(func(http.ResponseWriter, *http.Request) { <-gate })
	defer srv.Close()
	defer close(gate)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": srv.URL})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.ch.Run(ctx, r.handle) }()
	<-time.After(500 * time.Millisecond)
	cancel()
	start := time.Now()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(12 * time.Second):
	}
	if time.Since(start) > 2*time.Second {
		t.Error("slow stop")
	}
}

func TestSilentSocketAtTheStop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	up := websocket.Upgrader{}
	gate := make(chan struct{})
	srv, _ := socketServer(func(w http.ResponseWriter, q *http.Request) {
		c, err := up.Upgrade(w, q, nil)
		if err != nil {
			return
		}
		_ = c.WriteMessage(websocket.TextMessage, []byte(`{"type":"hello"}`))
		<-gate
	})
	defer srv.Close()
	defer close(gate)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": srv.URL})
	stop := r.run()
	r.waitFor("delivers over a socket")
	start := time.Now()
	stop()
	if time.Since(start) > 2*time.Second {
		t.Error("slow stop")
	}
}

func TestThreadInADirectChat(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	id := r.mustSend(&channels.Outbound{Conversation: at(dm, ""), Text: "Report of Monday"})
	r.says(slackfake.Incoming{Channel: dm, Text: "and this?", ThreadTS: string(id)})
	in := r.next()
	if in.ReplyTo == nil {
		t.Error("no root")
	}
}

func TestStreamThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.asked(general)
	s := r.preview(general, root)
	r.show(s, "One")
	r.fake.Inject(fakekit.Fault{Method: "chat.stopStream", Status: 502, Times: 2})
	id, _ := s.Close(r.Context())
	m := &channels.Outbound{Conversation: at(general, root), Text: "Done", Edit: id}
	if _, err := r.send(m); err != nil {
		r.mustSend(m)
	}
	if len(r.shown(general)) != 1 || r.fake.OpenStreams() != 0 {
		t.Errorf("%d messages, %d open", len(r.shown(general)), r.fake.OpenStreams())
	}
}
