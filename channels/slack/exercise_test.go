package slack_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

// TestExercise: rooms and topics are threads, because an answer in a channel is always in one.
func TestExercise(t *testing.T) {
	t.Parallel()
	channeltest.Exercise(t, func(t *testing.T) *channeltest.Platform {
		x := &exercised{newRig(t)}
		return &channeltest.Platform{
			New: x.new, Trusting: x.trusting, Direct: where(dm, ""), Room: where(general, x.root(general)), Topic: where(other, x.root(other)),
			Other: where(other, x.root(other)), Threads: where(general, ""),
			Names: map[channels.Conversation]string{
				where(general, ""): "#general", where(general, x.root(general)): "", where(dm, ""): "",
			},
			Say: x.say, Edit: x.edit, Delete: x.delete, Private: x.private, Again: func(*testing.T) { x.fake.Must(x.fake.Redeliver()) }, Press: x.press, Choose: x.choose,
			Answer: x.answer, Shown: x.shown, Fail: x.fail, Break: func(*testing.T) { x.fake.DropSockets() }, Revoke: x.revoke,
		}
	})
}

func where(chat, thread string) channels.Conversation {
	c := at(chat, thread)
	c.Channel = "test"
	return c
}

// exercised drives the fake for the suite.
type exercised struct{ *rig }

// otherBot is the bot that people let talk to this one.
const otherBot = "B0OTHER0001"

func (x *exercised) new(t *testing.T, env channels.Env) channels.Channel { return x.connect(t, env) }

func (x *exercised) trusting(t *testing.T, env channels.Env) channels.Channel {
	return x.connect(t, env, otherBot)
}

func (x *exercised) connect(t *testing.T, env channels.Env, bots ...string) channels.Channel {
	s := settings{
		"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": x.fake.URL, "bots": bots,
	}
	ch, err := slack.New("test", s.decode, env)
	if err != nil {
		t.Fatal(err)
	}
	slack.Hurry(ch)
	return ch
}

// root opens a thread below a message of the bot, of which nothing is received.
func (x *exercised) root(channel string) string {
	x.Helper()
	form := url.Values{"channel": {channel}, "text": {"root"}, "token": {slackfake.BotToken}}
	resp, err := http.PostForm(x.fake.APIURL()+"chat.postMessage", form)
	if err != nil {
		x.Fatal(err)
	}
	defer resp.Body.Close()
	var sent struct{ TS string }
	body, _ := io.ReadAll(resp.Body)
	if err := json.Unmarshal(body, &sent); err != nil || sent.TS == "" {
		x.Fatalf("%v: %s", err, body)
	}
	return sent.TS
}

func (x *exercised) say(t *testing.T, s channeltest.Said) channels.MessageID {
	t.Helper()
	in := slackfake.Incoming{Channel: string(s.In.Chat), ThreadTS: string(s.In.Topic), User: ann, Text: s.Text}
	switch s.By {
	case channeltest.Bob:
		in.User = bob
	case channeltest.OtherBot:
		in.Extra = fakekit.Object{"bot_id": otherBot, "subtype": "bot_message", "username": "Beeper", "user": nil}
	}
	if s.Mention {
		in.Text = bot + " " + in.Text
	}
	if s.ReplyTo != "" && in.ThreadTS == "" {
		in.ThreadTS = string(s.ReplyTo)
	}
	if s.File != nil {
		in.Files = []string{x.fake.AddFile(s.File.Name, s.File.MediaType, s.File.Data)}
	}
	return channels.MessageID(x.says(in))
}

func (x *exercised) edit(_ *testing.T, in channels.Conversation, id channels.MessageID, text string) {
	x.fake.Must(x.fake.EditMessage(string(in.Chat), string(id), bot+" "+text))
}

func (x *exercised) delete(_ *testing.T, in channels.Conversation, id channels.MessageID) {
	x.fake.Must(x.fake.DeleteMessage(string(in.Chat), string(id)))
}

func (x *exercised) private(_ *testing.T, in channels.Conversation) (texts []string) {
	for _, m := range x.fake.Whispers(string(in.Chat), bob) {
		if m["thread_ts"] == string(in.Topic) {
			texts = append(texts, readable(m))
		}
	}
	return texts
}

// element finds the part of a message that shows a text.
func (x *exercised) element(t *testing.T, in channels.Conversation, id channels.MessageID, text string) fakekit.Object {
	t.Helper()
	for _, m := range x.fake.Messages(string(in.Chat)) {
		if m["ts"] != string(id) {
			continue
		}
		if found := find(m["blocks"], text); found != nil {
			return found
		}
	}
	t.Fatalf("message %s has no element %q", id, text)
	return nil
}

// find looks for an element with an action whose JSON holds a text.
func find(v any, text string) fakekit.Object {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if found := find(item, text); found != nil {
				return found
			}
		}
	case fakekit.Object:
		raw, _ := json.Marshal(v)
		if v["action_id"] != nil && strings.Contains(string(raw), `"`+text+`"`) {
			return v
		}
		for _, key := range []string{"elements", "accessory", "element"} {
			if found := find(v[key], text); found != nil {
				return found
			}
		}
	}
	return nil
}

func (x *exercised) press(t *testing.T, in channels.Conversation, id channels.MessageID, button string) {
	e := x.element(t, in, id, button)
	_, err := x.fake.Press(string(in.Chat), string(id), e["action_id"].(string), bob, "")
	x.fake.Must(err)
}

func (x *exercised) choose(t *testing.T, in channels.Conversation, id channels.MessageID, _, option string) {
	e := x.element(t, in, id, option)
	options, _ := e["options"].([]any)
	for _, o := range options {
		raw, _ := json.Marshal(o)
		if strings.Contains(string(raw), `"`+option+`"`) {
			_, err := x.fake.Press(string(in.Chat), string(id), e["action_id"].(string), bob, fakekit.Text(o.(fakekit.Object)["value"]))
			x.fake.Must(err)
			return
		}
	}
	t.Fatalf("no option %q", option)
}

func (x *exercised) answer(t *testing.T, in channels.Conversation, id channels.MessageID, button, text string) {
	x.press(t, in, id, button)
	x.until(func() bool { return x.fake.View("") != nil }, "the form is open")
	x.fake.Must(x.fake.Submit(x.fake.View("")["id"].(string), bob, map[string]map[string]string{"answer": {"text": text}}))
}

func (x *exercised) shown(_ *testing.T, in channels.Conversation) (shown []channeltest.Shown) {
	for _, m := range x.rig.shown(string(in.Chat)) {
		thread, _ := m["thread_ts"].(string)
		if m["ts"] == string(in.Topic) || thread != string(in.Topic) {
			continue
		}
		s := channeltest.Shown{ID: channels.MessageID(m["ts"].(string)), Text: readable(m)}
		files, _ := m["files"].([]any)
		for _, f := range files {
			s.Files = append(s.Files, fakekit.Text(f.(fakekit.Object)["name"]))
		}
		shown = append(shown, s)
	}
	return shown
}

// readable is what people read of a message: its blocks where it has any.
func readable(m fakekit.Object) string {
	text := fakekit.Text(m["text"]) + fakekit.Text(m["markdown_text"])
	if blocks, ok := m["blocks"].([]any); ok && len(blocks) > 0 {
		var all []string
		collect(blocks, &all)
		if all := strings.Join(all, "\n"); all != "" { // what Slack makes of Markdown, the fake leaves empty
			text = all
		}
	}
	return strings.NewReplacer("**", "", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

func collect(v any, texts *[]string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			collect(item, texts)
		}
	case fakekit.Object:
		if s, ok := v["text"].(string); ok {
			*texts = append(*texts, s)
		}
		for key, item := range v {
			if key != "options" && v["type"] != "actions" {
				collect(item, texts)
			}
		}
	}
}

func (x *exercised) fail(_ *testing.T, how channeltest.Failure) {
	f := fakekit.Fault{Method: "chat.postMessage"}
	switch how {
	case channeltest.TooMany:
		f.RetryAfter = fakekit.Duration(time.Second)
	case channeltest.ServerError:
		f.Status = 503
	case channeltest.NoAnswer:
		f.DropResponse = true
	case channeltest.NoRight:
		f.Error = "not_in_channel"
	}
	x.fake.Inject(f)
}

func (x *exercised) revoke(_ *testing.T, revoked bool) {
	if revoked {
		x.fake.Inject(fakekit.Fault{Times: -1, Error: "token_revoked"})
		return
	}
	x.fake.ClearFaults()
}
