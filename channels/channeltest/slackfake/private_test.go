package slackfake_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

const secretRoom = "G0SECRET001"

func TestChannelsThatTheBotIsNotIn(t *testing.T) {
	s := newServer(t)
	s.AddChannel(secretRoom, "secret")
	for id, want := range map[string]string{channel: "not_in_channel", secretRoom: "channel_not_found"} {
		s.SetMember(id, false)
		for _, method := range []string{"chat.postMessage", "chat.postEphemeral", "conversations.history"} {
			args := []string{"channel", id}
			switch method {
			case "chat.postMessage":
				args = append(args, "text", "x")
			case "chat.postEphemeral":
				args = append(args, "text", "x", "user", ann)
			}
			if got := post(t, s, method, args...); got["error"] != want {
				t.Errorf("%s in %s: %v", method, id, got)
			}
		}
	}
}

func TestWhatOneUserAloneSees(t *testing.T) {
	s := newServer(t, slackfake.Lenient())
	s.SetEndpoints(slackfake.Endpoints{Commands: answering(t, `{"text":"by the answer"}`)})
	respond := must(s.UseCommand(slackfake.Command{Channel: channel, User: ann, Command: "/x"}))
	s.Wait("ack:slash_commands")
	must(0, slack.PostWebhook(respond, &slack.WebhookMessage{Text: "by the URL"}))
	post(t, s, "chat.postEphemeral", "channel", channel, "user", ann, "text", "by the method")
	var texts []string
	for _, m := range s.Whispers(channel, ann) {
		texts = append(texts, fakekit.Text(m["text"]))
	}
	if got := strings.Join(texts, ", "); got != "by the answer, by the URL, by the method" {
		t.Errorf("Ann sees %q", got)
	}
	if len(s.Messages(channel)) != 0 || len(s.Whispers(channel, "U0OTHER")) != 0 || len(s.Violations()) != 0 {
		t.Errorf("others see %v, violations %v", s.Messages(channel), s.Violations())
	}
	for _, bad := range []string{"Bearer x", ""} {
		body := `{"markdown_text":"x"}`
		if bad != "" {
			body = `{"text":"x"}`
		}
		req := must(http.NewRequest(http.MethodPost, respond, strings.NewReader(body)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", bad)
		resp := must(http.DefaultClient.Do(req))
		resp.Body.Close()
		if len(s.Violations()) != 1 {
			t.Errorf("%q %s: violations %v", bad, body, s.Violations())
		}
		s.ClearViolations()
	}
}

// answering is the URL of an app that acknowledges everything with a body.
func answering(t *testing.T, body string) string {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(app.Close)
	return app.URL
}

// deliveries is an app that tells which events it gets.
func deliveries(t *testing.T, s *slackfake.Server) chan fakekit.Object {
	got := make(chan fakekit.Object, 10)
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body fakekit.Object
		must(0, json.NewDecoder(r.Body).Decode(&body))
		got <- body
	}))
	t.Cleanup(app.Close)
	s.SetEndpoints(slackfake.Endpoints{Events: app.URL})
	return got
}

func TestStoppedSession(t *testing.T) {
	s := newServer(t, slackfake.WithEvents("agent_session_stopped"), slackfake.WithEnterprise("E0FAKEORG01"))
	s.SetTeam(channel, "T0ELSEWHERE")
	got := deliveries(t, s)
	root := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "go"}))
	started := post(t, s, "chat.startStream", "channel", channel, "thread_ts", root, "markdown_text", "so",
		"recipient_user_id", ann, "recipient_team_id", slackfake.TeamID)
	control(t, s, "POST", "/stops", `{"channel":"`+channel+`","ts":"`+root+`","user":"`+ann+`"}`)
	body := receive(t, got)
	event, _ := body["event"].(map[string]any)
	streams, _ := event["streaming_message_ts"].([]any)
	if body["team_id"] != "T0ELSEWHERE" || event["type"] != "agent_session_stopped" || event["channel"] != channel ||
		event["thread_ts"] != root || event["user"] != ann || len(streams) != 1 || streams[0] != started["ts"] {
		t.Errorf("delivered %v", body)
	}
	ended := post(t, s, "chat.stopStream", "channel", channel, "ts", fakekit.Text(started["ts"]))
	if ended["error"] != "stopped_by_user" || s.OpenStreams() != 0 {
		t.Errorf("stopped again: %v", ended)
	}
	if err := s.StopSession(channel, "1.2", ann); err == nil {
		t.Error("a thread that is not there was stopped")
	}
}

// control calls the control API and returns its answer.
func control(t *testing.T, s *slackfake.Server, verb, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ControlHandler().ServeHTTP(w, httptest.NewRequest(verb, path, strings.NewReader(body)))
	if w.Code != http.StatusOK {
		t.Errorf("%s answers %d: %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func TestControlOfMembership(t *testing.T) {
	s := newServer(t)
	control(t, s, "POST", "/members", `{"channel":"`+channel+`","out":true}`)
	if got := post(t, s, "chat.postMessage", "channel", channel, "text", "x"); got["error"] != "not_in_channel" {
		t.Errorf("outside: %v", got)
	}
	control(t, s, "POST", "/members", `{"channel":"`+channel+`"}`)
	if got := post(t, s, "chat.postEphemeral", "channel", channel, "text", "psst", "user", ann); got["ok"] != true {
		t.Errorf("inside: %v", got)
	}
	if got := control(t, s, "GET", "/whispers?channel="+channel+"&user="+ann, ""); !strings.Contains(got, "psst") {
		t.Errorf("Ann sees %s", got)
	}
}

func TestDeletedMessageThatWasAnswered(t *testing.T) {
	s := newServer(t, slackfake.WithEvents("message.channels"))
	got := deliveries(t, s)
	root := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "one"}))
	reply := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "two", ThreadTS: root}))
	receive(t, got)
	receive(t, got)
	for i, ts := range []string{root, reply, root} {
		must(0, s.DeleteMessage(channel, ts))
		event, _ := receive(t, got)["event"].(map[string]any)
		if want := []string{"message_changed", "message_deleted", "message_deleted"}[i]; event["subtype"] != want {
			t.Errorf("%d: delivered %v", i, event)
		}
	}
	if m := s.Messages(channel); len(m) != 0 {
		t.Errorf("left %v", m)
	}
}

func TestFileTellsWhereItIsShared(t *testing.T) {
	s := newServer(t)
	place := post(t, s, "files.getUploadURLExternal", "filename", "a.txt", "length", "1")
	id := fakekit.Text(place["file_id"])
	resp := must(http.Post(fakekit.Text(place["upload_url"]), "text/plain", strings.NewReader("a")))
	resp.Body.Close()
	post(t, s, "files.completeUploadExternal", "files", `[{"id":"`+id+`"}]`, "channel_id", channel)
	info, _ := post(t, s, "files.info", "file", id)["file"].(map[string]any)
	shares, _ := info["shares"].(map[string]any)
	public, _ := shares["public"].(map[string]any)
	if list, _ := info["channels"].([]any); len(list) != 1 || list[0] != channel || public[channel] == nil {
		t.Errorf("told %v", info)
	}
}
