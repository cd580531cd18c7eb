package discord_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/discord"
)

func TestExercise(t *testing.T) {
	t.Parallel()
	channeltest.Exercise(t, func(t *testing.T) *channeltest.Platform {
		x := &exercised{newRig(t)}
		return &channeltest.Platform{
			New: x.new, Trusting: x.trusting, Direct: where(directID, ""), Room: where(roomID, ""), Topic: where(roomID, threadID), Other: where(forumID, postID),
			Threads: where(roomID, ""), Names: map[channels.Conversation]string{
				where(directID, ""): "", where(roomID, ""): "#general", where(roomID, threadID): "thread",
				where(forumID, ""): "#incidents",
			},
			Ready: func(*testing.T) { x.until("the bot is connected", func() bool { return x.fake.Connected() > 0 }) },
			Say:   x.say, Edit: x.edit, Delete: x.delete, Private: x.private, Again: func(*testing.T) { x.fake.Redeliver(1) }, Press: x.press, Choose: x.choose, Answer: x.answer,
			Shown: x.shown, Fail: x.fail, Break: func(*testing.T) { x.fake.DropGateway() }, Revoke: x.revoke,
		}
	})
}

func where(chat, topic string) channels.Conversation {
	c := at(chat, topic)
	c.Channel = "test"
	return c
}

// exercised drives the fake for the suite.
type exercised struct{ *rig }

func (x *exercised) new(t *testing.T, env channels.Env) channels.Channel {
	return x.with(t, env, settings{})
}

func (x *exercised) trusting(t *testing.T, env channels.Env) channels.Channel {
	return x.with(t, env, settings{"bots": []string{beepID}})
}

func (x *exercised) with(t *testing.T, env channels.Env, s settings) channels.Channel {
	s["bot_token"], s["api_url"] = x.fake.Token, x.fake.URL
	ch, err := discord.New("test", s.decode, env)
	if err != nil {
		t.Fatal(err)
	}
	discord.Hurry(ch)
	return ch
}

// room is the channel or thread of a conversation.
func room(c channels.Conversation) string {
	if c.Topic != "" {
		return string(c.Topic)
	}
	return string(c.Chat)
}

const (
	bobID  = "502"
	beepID = "77"
)

func bob() fakekit.Object {
	u := discordfake.User(bobID, "bob")
	u["global_name"] = "Bob"
	return u
}

func (x *exercised) say(t *testing.T, s channeltest.Said) channels.MessageID {
	t.Helper()
	in := discordfake.Incoming{ChannelID: room(s.In), Content: s.Text, ReplyTo: string(s.ReplyTo)}
	switch s.By {
	case channeltest.Bob:
		in.Author = bob()
	case channeltest.OtherBot:
		in.Author = discordfake.User(beepID, "beep")
		in.Author["bot"] = true
	}
	if s.Mention {
		in.Content = x.bot() + " " + in.Content
	}
	if s.File != nil {
		in.Files = map[string]string{s.File.Name: string(s.File.Data)}
	}
	return channels.MessageID(fakekit.Text(x.sends(in)["id"]))
}

func (x *exercised) edit(_ *testing.T, in channels.Conversation, id channels.MessageID, text string) {
	x.fake.Must(x.fake.EditMessage(room(in), string(id), x.bot()+" "+text))
}

func (x *exercised) delete(_ *testing.T, in channels.Conversation, id channels.MessageID) {
	x.fake.Must(x.fake.DeleteMessage(room(in), string(id)))
}

func (x *exercised) private(_ *testing.T, in channels.Conversation) (texts []string) {
	for _, m := range x.fake.Private(room(in), bobID) {
		texts = append(texts, readable(m))
	}
	return texts
}

// component finds the part of a message that shows a text.
func (x *exercised) component(t *testing.T, in channels.Conversation, id channels.MessageID, text string) fakekit.Object {
	t.Helper()
	if found := find(x.find(room(in), id)["components"], text); found != nil {
		return found
	}
	t.Fatalf("message %s has no component %q", id, text)
	return nil
}

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
		if v["custom_id"] != nil && strings.Contains(string(raw), `"`+text+`"`) {
			return v
		}
		for _, key := range []string{"components", "accessory", "component"} {
			if found := find(v[key], text); found != nil {
				return found
			}
		}
	}
	return nil
}

func (x *exercised) press(t *testing.T, in channels.Conversation, id channels.MessageID, button string) {
	c := x.component(t, in, id, button)
	_, err := x.fake.PressComponent(room(in), string(id), fakekit.Text(c["custom_id"]), bob())
	x.fake.Must(err)
}

func (x *exercised) choose(t *testing.T, in channels.Conversation, id channels.MessageID, _, option string) {
	c := x.component(t, in, id, option)
	options, _ := c["options"].([]any)
	for _, o := range options {
		if o := o.(fakekit.Object); o["label"] == option {
			_, err := x.fake.PressComponent(room(in), string(id), fakekit.Text(c["custom_id"]), bob(), fakekit.Text(o["value"]))
			x.fake.Must(err)
			return
		}
	}
	t.Fatalf("no option %q", option)
}

func (x *exercised) answer(t *testing.T, in channels.Conversation, id channels.MessageID, button, text string) {
	c := x.component(t, in, id, button)
	asked, err := x.fake.PressComponent(room(in), string(id), fakekit.Text(c["custom_id"]), bob())
	x.fake.Must(err)
	x.fake.Wait(acks)
	_, err = x.fake.SubmitModal(asked, map[string]string{"answer": text})
	x.fake.Must(err)
}

func (x *exercised) shown(_ *testing.T, in channels.Conversation) (shown []channeltest.Shown) {
	for _, m := range x.fake.Messages(room(in)) {
		if m["author"].(fakekit.Object)["id"] != x.fake.AppID() {
			continue
		}
		s := channeltest.Shown{ID: channels.MessageID(fakekit.Text(m["id"])), Text: readable(m)}
		files, _ := m["attachments"].([]any)
		for _, f := range files {
			s.Files = append(s.Files, fakekit.Text(f.(fakekit.Object)["filename"]))
		}
		shown = append(shown, s)
	}
	return shown
}

// readable is what people read of a message, be it laid out with components or not.
func readable(m fakekit.Object) string {
	text := fakekit.Text(m["content"])
	if text == "" {
		text = strings.Join(displayed(m["components"]), "\n")
	}
	return strings.NewReplacer(`\_`, "_", `\*`, "*", "\\`", "`", `\<`, "<", `\>`, ">", `\~`, "~", `\|`, "|", `\-`, "-").Replace(text)
}

// displayed are the texts that components show.
func displayed(v any) (texts []string) {
	list, _ := v.([]any)
	for _, item := range list {
		c := item.(fakekit.Object)
		if fakekit.Text(c["type"]) == "10" {
			texts = append(texts, fakekit.Text(c["content"]))
		}
		texts = append(texts, displayed(c["components"])...)
	}
	return texts
}

func (x *exercised) fail(_ *testing.T, how channeltest.Failure) {
	if how == channeltest.NoRight {
		x.fake.HandleFunc(posts, func(fakekit.Call) (any, error) {
			return nil, &discordfake.Error{Status: http.StatusForbidden, Code: 50013, Message: "Missing Permissions"}
		})
		return
	}
	f := fakekit.Fault{Method: posts}
	switch how {
	case channeltest.TooMany:
		f.RetryAfter = fakekit.Duration(time.Second)
	case channeltest.ServerError:
		f.Status = 503
	case channeltest.NoAnswer:
		f.DropResponse = true
	}
	x.fake.Inject(f)
}

func (x *exercised) revoke(_ *testing.T, revoked bool) {
	if revoked {
		x.fake.Inject(fakekit.Fault{Times: -1, Status: 401, Error: "401: Unauthorized"})
		return
	}
	x.fake.ClearFaults()
}
