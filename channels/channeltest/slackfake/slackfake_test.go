package slackfake_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// post calls a method with form arguments.
func post(t *testing.T, s *slackfake.Server, method string, args ...string) fakekit.Object {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	req, err := http.NewRequest(http.MethodPost, s.APIURL()+method, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, req)
}

func send(t *testing.T, req *http.Request) fakekit.Object {
	t.Helper()
	req.Header.Set("Authorization", "Bearer "+slackfake.BotToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out fakekit.Object
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// needSpec skips a test that checks something against the method reference.
func needSpec(t *testing.T) {
	t.Helper()
	if _, err := specs.Find(specs.Slack); errors.Is(err, specs.ErrNotFound) {
		t.Skip("needs the reference of Slack's methods, which was not found")
	}
}

func TestViolations(t *testing.T) {
	// Other rules are the fake's own.
	described := []string{
		"unknown argument", "missing argument", "no content", "two texts", "bad boolean", "append nothing", "bad enum",
		"only in the document of 2021",
	}
	block := func(s string) []string { return []string{"channel", channel, "text", "x", "blocks", "[" + s + "]"} }
	for _, tc := range []struct {
		name, method string
		args         []string
		want         string // violation, "" for none
		code         string // error, "" for none
	}{
		{"fine", "chat.postMessage", []string{"channel", channel, "text", "hi"}, "", ""},
		{"unknown method", "chat.post", nil, "unknown method", "unknown_method"},
		{"unknown argument", "chat.postMessage", []string{"channel", channel, "text", "hi", "message", "x"}, `unknown argument "message"`, ""},
		{"missing argument", "chat.postMessage", []string{"text", "hi"}, `missing required argument "channel"`, "channel_not_found"},
		{"no content", "chat.postMessage", []string{"channel", channel}, "needs one of", "no_text"},
		{"two texts", "chat.postMessage", []string{"channel", channel, "text", "a", "markdown_text", "b"}, "exclude each other", ""},
		{"bad boolean", "chat.postMessage", []string{"channel", channel, "text", "a", "unfurl_links", "maybe"}, "is not a boolean", ""},
		{"long markdown", "chat.postMessage", []string{"channel", channel, "markdown_text", strings.Repeat("a", 12001)}, "the limit is 12000", "msg_too_long"},
		{"long section", "chat.postMessage", block(`{"type":"section","text":{"type":"mrkdwn","text":"` + strings.Repeat("a", 3001) + `"}}`), "3001 characters", "invalid_blocks"},
		{"unknown block", "chat.postMessage", block(`{"type":"paragraph"}`), `unknown block type "paragraph"`, "invalid_blocks"},
		{"too many blocks", "chat.postMessage", block(strings.Repeat(`{"type":"divider"},`, 50) + `{"type":"divider"}`), "51 blocks", "msg_blocks_too_long"},
		{"long button", "chat.postMessage", block(`{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"` + strings.Repeat("a", 76) + `"}}]}`), "76 characters", "invalid_blocks"},
		{"markdown blocks add up", "chat.postMessage", block(`{"type":"markdown","text":"` + strings.Repeat("a", 7000) + `"},{"type":"markdown","text":"` + strings.Repeat("a", 7000) + `"}`), "14000 characters in markdown blocks", "msg_blocks_too_long"},
		{"emoji with colons", "reactions.add", []string{"channel", channel, "timestamp", "1.0", "name", ":eyes:"}, "without colons", "message_not_found"},
		{"long modal title", "views.open", []string{"trigger_id", "1", "view", `{"type":"modal","title":{"type":"plain_text","text":"` + strings.Repeat("t", 25) + `"},"blocks":[]}`}, "25 characters", "invalid_arguments"},
		{"input without submit", "views.open", []string{"trigger_id", "1", "view", `{"type":"modal","title":{"type":"plain_text","text":"t"},"blocks":[{"type":"input","label":{"type":"plain_text","text":"l"},"element":{"type":"plain_text_input","action_id":"a"}}]}`}, "needs submit", "invalid_arguments"},
		{"stream without recipient", "chat.startStream", []string{"channel", channel}, "recipient_user_id", "missing_recipient_team_id"},
		{"bad chunk", "chat.startStream", []string{"channel", dm, "chunks", `[{"type":"text","text":"x"}]`}, `unknown type "text"`, "invalid_chunks"},
		{"append nothing", "chat.appendStream", []string{"channel", dm, "ts", "1.0"}, "needs one of markdown_text, chunks", "message_not_found"},
		{"bad enum", "chat.startStream", []string{"channel", dm, "task_display_mode", "list"}, "is not one of", ""},
		{"only in the document of 2021", "apps.permissions.info", nil, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if slices.Contains(described, tc.name) {
				needSpec(t)
			}
			s := newServer(t, slackfake.Lenient())
			answer := post(t, s, tc.method, tc.args...)
			if code, _ := answer["error"].(string); code != tc.code {
				t.Errorf("error %q, want %q", code, tc.code)
			}
			got := s.Violations()
			if tc.want == "" {
				if len(got) > 0 {
					t.Errorf("violations %v", got)
				}
			} else if len(got) == 0 || !strings.Contains(got[0].Message, tc.want) {
				t.Errorf("violations %v, want %q", got, tc.want)
			}
		})
	}
}

func TestJSONBody(t *testing.T) {
	needSpec(t)
	s := newServer(t, slackfake.Lenient())
	call := func(method, body string) fakekit.Object {
		req := must(http.NewRequest(http.MethodPost, s.APIURL()+method, strings.NewReader(body)))
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		return send(t, req)
	}
	if a := call("chat.postMessage", `{"channel":"`+channel+`","text":"x","blocks":[{"type":"divider"}],"unfurl_links":false}`); a["ok"] != true || len(s.Violations()) > 0 {
		t.Errorf("%v %v", a, s.Violations())
	}
	call("files.getUploadURLExternal", `{"length":3,"filename":"a"}`)
	if v := s.Violations(); len(v) != 1 || !strings.Contains(v[0].Message, "takes no JSON body") {
		t.Errorf("violations %v", v)
	}
}

func TestThreads(t *testing.T) {
	s := newServer(t, slackfake.Lenient())
	api := newClient(s)
	root := must(s.SendMessage(slackfake.Incoming{Channel: channel, User: ann, Text: "root"}))
	_, reply, err := api.PostMessage(channel, slack.MsgOptionText("reply", false), slack.MsgOptionTS(root))
	must(0, err)
	// The ts of a reply is no thread.
	if _, _, err := api.PostMessage(channel, slack.MsgOptionText("x", false), slack.MsgOptionTS(reply)); err == nil || err.Error() != "cannot_reply_to_message" {
		t.Errorf("reply to a reply: %v", err)
	}
	msgs, _, _, err := api.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: channel, Timestamp: root})
	must(0, err)
	if len(msgs) != 2 || msgs[0].ReplyCount != 1 {
		t.Errorf("replies %+v", msgs)
	}
	h := must(api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: channel}))
	if len(h.Messages) != 1 {
		t.Errorf("history %+v", h.Messages)
	}
	_, _, _, err = api.UpdateMessage(channel, reply, slack.MsgOptionText("edited", false))
	must(0, err)
	if _, _, _, err := api.UpdateMessage(channel, root, slack.MsgOptionText("not mine", false)); err == nil || err.Error() != "cant_update_message" {
		t.Errorf("foreign message: %v", err)
	}
	_, _, err = api.DeleteMessage(channel, reply)
	must(0, err)
	must(0, api.AddReaction("eyes", slack.NewRefToMessage(channel, root)))
	if err := api.AddReaction("eyes", slack.NewRefToMessage(channel, root)); err == nil || err.Error() != "already_reacted" {
		t.Errorf("second reaction: %v", err)
	}
}

func TestFaultOfOneChannel(t *testing.T) {
	s := newServer(t, slackfake.Lenient())
	s.AddChannel("C0OTHER", "other")
	s.Inject(fakekit.Fault{Method: "chat.*", Chat: channel, RetryAfter: fakekit.Duration(1e9), Times: -1})
	for id, want := range map[string]bool{"C0OTHER": true, channel: false} {
		if a := post(t, s, "chat.postMessage", "channel", id, "text", "x"); a["ok"] != want {
			t.Errorf("%s: %v", id, a)
		}
	}
}

func TestNamedDirectoryWithoutDescriptions(t *testing.T) {
	t.Setenv(specs.EnvDir, t.TempDir())
	if _, err := slackfake.Start(); err == nil || !strings.Contains(err.Error(), specs.EnvDir) {
		t.Errorf("got %v, want an error that names %s", err, specs.EnvDir)
	}
}

func TestWithoutDescriptions(t *testing.T) {
	t.Setenv(specs.EnvDir, "")
	t.Chdir("/")
	s := newServer(t, slackfake.Lenient())
	s.HandleFunc("admin.special", func(fakekit.Call) (fakekit.Object, error) { return fakekit.Object{"n": 1}, nil })
	for _, step := range []struct{ method, code string }{
		{"chat.postMessage", ""}, {"pins.add", ""}, {"admin.special", ""}, {"chat.post", "unknown_method"},
	} {
		a := post(t, s, step.method, "channel", channel, "text", "x")
		if code, _ := a["error"].(string); code != step.code {
			t.Errorf("%s: %v, want error %q", step.method, a, step.code)
		}
	}
	if v := s.Violations(); len(v) != 1 {
		t.Errorf("violations %v, want only the unknown method", v)
	}
}
