package slackfake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

const (
	channel = "C0GENERAL01"
	dm      = "D0ANN000001"
	ann     = "U0ANN000001"
)

func newServer(t *testing.T, opts ...slackfake.Option) *slackfake.Server {
	s := slackfake.New(t, opts...)
	s.AddUser(ann, "ann")
	s.AddChannel(channel, "general")
	s.AddDM(dm, ann)
	return s
}

func newClient(s *slackfake.Server, opts ...slack.Option) *slack.Client {
	return slack.New(slackfake.BotToken, append([]slack.Option{slack.OptionAPIURL(s.APIURL()), slack.OptionAppLevelToken(slackfake.AppToken)}, opts...)...)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing received")
		panic("unreachable")
	}
}

// connect runs a Socket Mode client and hands its requests to f.
func connect(t *testing.T, s *slackfake.Server, f func(*socketmode.Client, socketmode.Event)) *socketmode.Client {
	t.Helper()
	sm := socketmode.New(newClient(s))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		sm.RunContext(ctx) //nolint:errcheck // ends with the context
	}()
	go func() {
		for {
			select {
			case e := <-sm.Events:
				f(sm, e)
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return sm
}

func TestSocketMode(t *testing.T) {
	s := newServer(t)
	events := make(chan slackevents.EventsAPIEvent, 20)
	commands := make(chan slack.SlashCommand, 5)
	interactions := make(chan slack.InteractionCallback, 5)
	connect(t, s, func(sm *socketmode.Client, e socketmode.Event) {
		switch e.Type {
		case socketmode.EventTypeEventsAPI:
			must(0, sm.Ack(*e.Request))
			events <- e.Data.(slackevents.EventsAPIEvent)
		case socketmode.EventTypeSlashCommand:
			must(0, sm.Ack(*e.Request, map[string]any{"text": "working on it"}))
			commands <- e.Data.(slack.SlashCommand)
		case socketmode.EventTypeInteractive:
			must(0, sm.Ack(*e.Request))
			interactions <- e.Data.(slack.InteractionCallback)
		}
	})
	api := newClient(s)
	auth := must(api.AuthTest())
	if auth.UserID != slackfake.BotUserID {
		t.Errorf("auth.test %+v", auth)
	}

	// A mention arrives twice: as a message and as app_mention.
	ts := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "<@" + slackfake.BotUserID + "> hi"}))
	kinds := map[string]string{}
	for range 2 {
		switch e := receive(t, events).InnerEvent.Data.(type) {
		case *slackevents.MessageEvent:
			kinds["message"] = e.TimeStamp
		case *slackevents.AppMentionEvent:
			kinds["app_mention"] = e.TimeStamp
		}
	}
	if kinds["message"] != ts || kinds["app_mention"] != ts {
		t.Errorf("events %v, want both for %s", kinds, ts)
	}

	// Answer in the thread; the app sees its own message.
	_, reply, err := api.PostMessage(channel, slack.MsgOptionText("hello *you*", false), slack.MsgOptionTS(ts), slack.MsgOptionBlocks(
		slack.NewMarkdownBlock("", "**hello**"),
		slack.NewActionBlock("act", slack.NewButtonBlockElement("ok", "1", slack.NewTextBlockObject(slack.PlainTextType, "OK", false, false))),
	))
	must(0, err)
	own := receive(t, events).InnerEvent.Data.(*slackevents.MessageEvent)
	if own.BotID != slackfake.BotID || own.ThreadTimeStamp != ts {
		t.Errorf("own message %+v", own)
	}

	// A button, with a response URL.
	must(s.Press(channel, reply, "ok", ann, ""))
	cb := receive(t, interactions)
	if cb.Type != slack.InteractionTypeBlockActions || cb.ActionCallback.BlockActions[0].ActionID != "ok" || cb.Container.ThreadTs != ts {
		t.Errorf("interaction %+v", cb)
	}
	must(api.OpenView(cb.TriggerID, slack.ModalViewRequest{
		Type: slack.VTModal, CallbackID: "form", Title: slack.NewTextBlockObject(slack.PlainTextType, "Form", false, false),
		Submit: slack.NewTextBlockObject(slack.PlainTextType, "Send", false, false),
		Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewInputBlock("reason", slack.NewTextBlockObject(slack.PlainTextType, "Reason", false, false), nil, slack.NewPlainTextInputBlockElement(nil, "text"))}},
	}))
	must(0, slack.PostWebhookContext(t.Context(), cb.ResponseURL, &slack.WebhookMessage{Text: "done", ReplaceOriginal: true}))
	must(0, s.Submit(s.View("")["id"].(string), ann, map[string]map[string]string{"reason": {"text": "because"}}))
	cb = receive(t, interactions)
	if cb.Type != slack.InteractionTypeViewSubmission || cb.View.State.Values["reason"]["text"].Value != "because" {
		t.Errorf("submission %+v", cb.View.State)
	}

	// A slash command, acknowledged with a text and answered later.
	must(s.UseCommand(slackfake.Command{Channel: channel, User: ann, Command: "/deploy", Text: "api"}))
	cmd := receive(t, commands)
	if cmd.Command != "/deploy" || cmd.Text != "api" || cmd.IsEnterpriseInstall {
		t.Errorf("command %+v", cmd)
	}
	ack := s.Wait("ack:slash_commands")
	if p, _ := ack.Params["payload"].(fakekit.Object); p["text"] != "working on it" {
		t.Errorf("ack %v", ack.Params)
	}
	for range slackfake.MaxResponseURL {
		must(0, slack.PostWebhookContext(t.Context(), cmd.ResponseURL, &slack.WebhookMessage{Text: "later", ResponseType: slack.ResponseTypeEphemeral}))
	}
	if err := slack.PostWebhookContext(t.Context(), cmd.ResponseURL, &slack.WebhookMessage{Text: "too often"}); err == nil {
		t.Error("a sixth use of the response URL was accepted")
	}
	s.ClearViolations()

	// App Home.
	s.OpenHome(ann)
	home := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: []slack.Block{slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, "Home", false, false))}}}
	must(api.PublishView(ann, home, ""))
	if s.Home(ann) == nil {
		t.Error("no home tab")
	}
	if v := s.Violations(); len(v) > 0 {
		t.Errorf("violations %v", v)
	}
}

func TestStreaming(t *testing.T) {
	s := newServer(t)
	api := newClient(s)
	ch, thread := s.StartAssistant(ann)
	must(0, api.SetAssistantThreadsStatus(slack.AssistantThreadsSetStatusParameters{ChannelID: ch, ThreadTS: thread, Status: "is thinking…"}))
	if got := s.AssistantStatus(ch, thread); got != "is thinking…" {
		t.Errorf("status %q", got)
	}
	_, ts, err := api.StartStream(ch, slack.MsgOptionTS(thread), slack.MsgOptionMarkdownText("**Hel"))
	must(0, err)
	_, _, err = api.AppendStream(ch, ts, slack.MsgOptionMarkdownText("lo**"))
	must(0, err)
	_, _, err = api.AppendStream(ch, ts, slack.MsgOptionChunks(slack.NewTaskUpdateChunk("1", "Look it up"), slack.NewMarkdownTextChunk(" there")))
	must(0, err)
	if _, _, _, err := api.UpdateMessage(ch, ts, slack.MsgOptionText("x", false)); err == nil || err.Error() != "streaming_state_conflict" {
		t.Errorf("update while streaming: %v", err)
	}
	_, _, err = api.StopStream(ch, ts)
	must(0, err)
	if _, _, err = api.AppendStream(ch, ts, slack.MsgOptionMarkdownText("x")); err == nil || err.Error() != "message_not_in_streaming_state" {
		t.Errorf("append after stop: %v", err)
	}
	if m := s.Messages(ch); m[len(m)-1]["text"] != "**Hello** there" || s.OpenStreams() != 0 {
		t.Errorf("message %v", m[len(m)-1])
	}
	// In channels the recipient must be named.
	root := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "q"}))
	_, ts, err = api.StartStream(channel, slack.MsgOptionTS(root), slack.MsgOptionRecipientTeamID(slackfake.TeamID), slack.MsgOptionRecipientUserID(ann))
	must(0, err)
	s.StopStreams(channel)
	if _, _, err = api.AppendStream(channel, ts, slack.MsgOptionMarkdownText("x")); err == nil || err.Error() != "stopped_by_user" {
		t.Errorf("append after the user's stop: %v", err)
	}
}

func TestFiles(t *testing.T) {
	s := newServer(t)
	api := newClient(s)
	root := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "log please"}))
	sum := must(api.UploadFile(slack.UploadFileParameters{Reader: strings.NewReader("a log"), FileSize: 5, Filename: "app.log", Channel: channel, ThreadTimestamp: root, InitialComment: "here"}))
	info, _, _, err := api.GetFileInfo(sum.ID, 0, 0)
	must(0, err)
	var buf bytes.Buffer
	must(0, api.GetFile(info.URLPrivateDownload, &buf))
	if buf.String() != "a log" {
		t.Errorf("downloaded %q", buf.String())
	}
	m := s.Messages(channel)
	if m[len(m)-1]["thread_ts"] != root {
		t.Errorf("shared as %v", m[len(m)-1])
	}
	// Without the token the download is a sign-in page, with status 200.
	res := must(http.Get(info.URLPrivate))
	defer res.Body.Close()
	if page := must(io.ReadAll(res.Body)); res.StatusCode != http.StatusOK || !bytes.Contains(page, []byte("Sign in")) {
		t.Errorf("%d %s", res.StatusCode, page)
	}
	s.ClearViolations()
}

func TestErrorsAndRetries(t *testing.T) {
	s := newServer(t)
	api := newClient(s)
	s.Inject(fakekit.Fault{Method: "chat.postMessage", RetryAfter: fakekit.Duration(2 * time.Second)})
	var limited *slack.RateLimitedError
	if _, _, err := api.PostMessage(channel, slack.MsgOptionText("x", false)); !errors.As(err, &limited) || limited.RetryAfter != 2*time.Second {
		t.Errorf("429: %v", err)
	}
	// Retries are off unless asked for.
	s.Inject(fakekit.Fault{Method: "chat.postMessage", RetryAfter: fakekit.Duration(time.Second)})
	retrying := newClient(s, slack.OptionRetry(2))
	_, _, err := retrying.PostMessage(channel, slack.MsgOptionText("again", false))
	must(0, err)
	var status slack.StatusCodeError
	s.Inject(fakekit.Fault{Method: "chat.postMessage", Status: 503})
	if _, _, err := api.PostMessage(channel, slack.MsgOptionText("x", false)); !errors.As(err, &status) || status.Code != 503 {
		t.Errorf("503: %v", err)
	}
	s.SetMember(channel, false)
	if _, _, err := api.PostMessage(channel, slack.MsgOptionText("x", false)); err == nil || err.Error() != "not_in_channel" {
		t.Errorf("not a member: %v", err)
	}
	if _, err := slack.New("xoxb-wrong", slack.OptionAPIURL(s.APIURL())).AuthTest(); err == nil || err.Error() != "invalid_auth" {
		t.Errorf("wrong token: %v", err)
	}
}

func TestReconnectAndRedelivery(t *testing.T) {
	s := newServer(t, slackfake.WithEvents("message.channels"))
	got := make(chan *socketmode.Request, 20)
	ids := make(chan string, 20)
	connect(t, s, func(sm *socketmode.Client, e socketmode.Event) {
		if e.Type == socketmode.EventTypeEventsAPI {
			must(0, sm.Ack(*e.Request))
			got <- e.Request
			ids <- e.Data.(slackevents.EventsAPIEvent).Data.(*slackevents.EventsAPICallbackEvent).EventID
		}
	})
	s.Wait("socket")
	s.Disconnect("refresh_requested")
	s.Wait("socket")
	must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "one"}))
	receive(t, got)
	first := receive(t, ids)
	must(0, s.Redeliver())
	if r := receive(t, got); r.RetryAttempt != 1 || receive(t, ids) != first {
		t.Errorf("redelivery %+v", r)
	}
	for range 2 {
		s.Wait("ack:events_api") // an acknowledgement under way would get lost
	}
	s.DropSockets()
	must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "two"}))
	receive(t, got) // waits for the next connection, if there is none yet
}

// An event type that slack-go does not know cannot be acknowledged with its
// own helper; the raw message still has the envelope id.
func TestUnknownEventType(t *testing.T) {
	s := newServer(t)
	raw := make(chan json.RawMessage, 1)
	connect(t, s, func(sm *socketmode.Client, e socketmode.Event) {
		if bad, ok := e.Data.(*socketmode.ErrorBadMessage); ok {
			var envelope struct {
				EnvelopeID string `json:"envelope_id"`
			}
			must(0, json.Unmarshal(bad.Message, &envelope))
			must(0, sm.Send(socketmode.Response{EnvelopeID: envelope.EnvelopeID}))
			raw <- bad.Message
		}
	})
	must(s.Event(fakekit.Object{"type": "something_new", "event_ts": "1.0"}))
	receive(t, raw)
	s.Wait("ack:events_api")
}

func TestEventsAPI(t *testing.T) {
	s := newServer(t, slackfake.Lenient(), slackfake.WithEnterprise("E0FAKEORG01"), slackfake.WithAckTimeout(200*time.Millisecond), slackfake.WithRetryDelays(0, 10*time.Millisecond))
	type request struct {
		id    string
		retry string
		inner any
	}
	got := make(chan request, 20)
	slow := make(chan bool, 1)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := must(io.ReadAll(r.Body))
		v, err := slack.NewSecretsVerifier(r.Header, slackfake.SigningSecret)
		if err == nil {
			v.Write(body) //nolint:errcheck // never fails
			err = v.Ensure()
		}
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/commands" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			cmd := must(slack.SlashCommandParse(r))
			got <- request{inner: cmd}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"response_type":"in_channel","text":"ok"}`) //nolint:errcheck // the fake sees what arrived
			return
		}
		e := must(slackevents.ParseEvent(body, slackevents.OptionNoVerifyToken()))
		if e.Type == slackevents.URLVerification {
			json.NewEncoder(w).Encode(slackevents.ChallengeResponse{Challenge: e.Data.(*slackevents.EventsAPIURLVerificationEvent).Challenge}) //nolint:errcheck // the fake sees what arrived
			return
		}
		got <- request{e.Data.(*slackevents.EventsAPICallbackEvent).EventID, r.Header.Get("X-Slack-Retry-Num"), e.InnerEvent.Data}
		select {
		case <-slow:
			time.Sleep(400 * time.Millisecond)
		default:
		}
	}))
	defer app.Close()
	s.SetEndpoints(slackfake.Endpoints{Events: app.URL + "/events", Commands: app.URL + "/commands"})
	must(0, s.VerifyURL())
	slow <- true
	must(s.SendMessage(slackfake.Incoming{Channel: dm, User: ann, Text: "hi"}))
	first, second := receive(t, got), receive(t, got)
	if first.id != second.id || first.retry != "" || second.retry != "1" {
		t.Errorf("first %+v, second %+v", first, second)
	}
	s.Wait("ack:events_api")
	if v := s.Violations(); len(v) != 1 || !strings.Contains(v[0].Message, "http_timeout") {
		t.Errorf("violations %v", v)
	}
	must(s.UseCommand(slackfake.Command{Channel: channel, User: ann, Command: "/x"}))
	cmd := receive(t, got).inner.(slack.SlashCommand)
	if !cmd.IsEnterpriseInstall || cmd.EnterpriseID != "E0FAKEORG01" {
		t.Errorf("command %+v", cmd)
	}
	s.Wait("ack:slash_commands")
	if m := s.Messages(channel); len(m) != 1 || m[0]["text"] != "ok" {
		t.Errorf("messages %v", m)
	}
}
