package telegram_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/telegram"
)

func TestExercise(t *testing.T) {
	t.Parallel()
	channeltest.Exercise(t, func(t *testing.T) *channeltest.Platform {
		r := newRig(t)
		r.fake.AddUser(502, "Bob", "bob")
		x := &exercised{rig: r}
		return &channeltest.Platform{
			New: x.new, Direct: where(ann, ""), Room: where(group, ""), Topic: where(forum, "7"), Other: where(forum, "9"),
			Names: map[channels.Conversation]string{
				where(ann, ""): "", where(group, ""): "Plain", where(forum, ""): "Ops", where(forum, "general"): "General",
				where(forum, "7"): "", // nothing was heard of it
			},
			Say: x.say, Edit: x.edit, Again: x.again, Press: x.press, Choose: x.choose, Answer: x.answer, Shown: x.shown, Fail: x.fail, Break: x.breakOff, Revoke: x.revoke,
		}
	})
}

func where(chat int64, topic string) channels.Conversation {
	c := at(chat, topic)
	c.Channel = "test"
	return c
}

// exercised drives the fake for the suite.
type exercised struct {
	*rig
}

func (x *exercised) new(t *testing.T, env channels.Env) channels.Channel {
	ch, err := telegram.New("test", settings{"bot_token": x.fake.Token, "api_url": x.fake.URL}.decode, env)
	if err != nil {
		t.Fatal(err)
	}
	telegram.Hurry(ch, 3*time.Second)
	return ch
}

// thread gives the ids of a conversation.
func (x *exercised) thread(t *testing.T, c channels.Conversation) (chat int64, thread int) {
	t.Helper()
	if c.Topic != "" {
		thread = number(t, channels.MessageID(c.Topic))
	}
	return int64(number(t, channels.MessageID(c.Chat))), thread
}

func (x *exercised) say(t *testing.T, s channeltest.Said) channels.MessageID {
	t.Helper()
	in := telegramfake.Incoming{Text: s.Text, From: telegramfake.User(ann, "Ann", "ann")}
	in.ChatID, in.ThreadID = x.thread(t, s.In)
	switch s.By {
	case channeltest.Bob:
		in.From = telegramfake.User(502, "Bob", "bob")
	case channeltest.OtherBot:
		in.From = fakekit.Object{"id": int64(77), "is_bot": true, "first_name": "Beep"}
	}
	if s.Mention {
		in.Text = "@opsbot " + in.Text
	}
	if s.ReplyTo != "" {
		in.ReplyTo = number(t, s.ReplyTo)
	}
	if s.File != nil {
		in.FileID, in.FileName, in.MimeType = x.fake.AddFile(s.File.Name, s.File.Data, 0), s.File.Name, s.File.MediaType
		in.Text, in.Caption = "", in.Text
	}
	m, err := x.fake.SendMessage(in)
	if err != nil {
		t.Fatal(err)
	}
	return channels.MessageID(fakekit.Text(m["message_id"]))
}

func (x *exercised) edit(t *testing.T, in channels.Conversation, id channels.MessageID, text string) {
	chat, _ := x.thread(t, in)
	if err := x.fake.EditMessage(chat, number(t, id), "@opsbot "+text); err != nil {
		t.Fatal(err)
	}
}

// again delivers what people wrote once more, as after a lost confirmation.
func (x *exercised) again(t *testing.T) {
	for _, chat := range []int64{group, ann} {
		for _, m := range x.fake.Messages(chat) {
			if _, err := x.fake.Send(fakekit.Object{"message": m}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (x *exercised) press(t *testing.T, in channels.Conversation, id channels.MessageID, button string) {
	chat, _ := x.thread(t, in)
	for _, m := range x.fake.Messages(chat) {
		if fakekit.Text(m["message_id"]) != string(id) {
			continue
		}
		var markup struct {
			Rows [][]struct{ Text, Callback_data string } `json:"inline_keyboard"`
		}
		raw, _ := json.Marshal(m["reply_markup"])
		if err := json.Unmarshal(raw, &markup); err != nil {
			t.Fatal(err)
		}
		for _, row := range markup.Rows {
			for _, b := range row {
				if b.Text == button {
					if _, err := x.fake.PressButton(chat, number(t, id), b.Callback_data, telegramfake.User(502, "Bob", "bob")); err != nil {
						t.Fatal(err)
					}
					return
				}
			}
		}
	}
	t.Fatalf("no button %q", button)
}

func (x *exercised) choose(t *testing.T, in channels.Conversation, id channels.MessageID, _, option string) {
	x.press(t, in, id, option)
}

func (x *exercised) answer(t *testing.T, in channels.Conversation, id channels.MessageID, button, text string) {
	x.press(t, in, id, button)
	question := x.fake.Wait("sendMessage", func(c fakekit.Call) bool { return strings.Contains(c.String("reply_markup"), "force_reply") })
	var sent struct {
		Result struct {
			ID int `json:"message_id"`
		}
	}
	if err := json.Unmarshal(question.Response, &sent); err != nil {
		t.Fatal(err)
	}
	x.say(t, channeltest.Said{In: in, By: channeltest.Bob, Text: text, ReplyTo: channels.MessageID(fakekit.Text(sent.Result.ID))})
}

func (x *exercised) shown(t *testing.T, in channels.Conversation) (shown []channeltest.Shown) {
	chat, thread := x.thread(t, in)
	for _, m := range x.fake.Messages(chat) {
		from, _ := m["from"].(fakekit.Object)
		if from["username"] != "opsbot" || thread != 0 && fakekit.Text(m["message_thread_id"]) != string(in.Topic) {
			continue
		}
		s := channeltest.Shown{ID: channels.MessageID(fakekit.Text(m["message_id"])), Text: fakekit.Text(m["text"]) + fakekit.Text(m["caption"])}
		if doc, ok := m["document"].(fakekit.Object); ok {
			s.Files = append(s.Files, fakekit.Text(doc["file_name"]))
		}
		shown = append(shown, s)
	}
	return shown
}

func (x *exercised) fail(_ *testing.T, how channeltest.Failure) {
	f := fakekit.Fault{Method: "sendMessage"}
	switch how {
	case channeltest.TooMany:
		f.RetryAfter = fakekit.Duration(time.Second)
	case channeltest.ServerError:
		f.Status = 503
	case channeltest.NoAnswer:
		f.DropResponse = true
	case channeltest.NoRight:
		f.Error = "Bad Request: not enough rights to send text messages to the chat"
	}
	x.fake.Inject(f)
}

func (x *exercised) breakOff(*testing.T) {
	x.fake.Inject(fakekit.Fault{Method: "getUpdates", Drop: true})
}

func (x *exercised) revoke(_ *testing.T, revoked bool) {
	if revoked {
		x.fake.Inject(fakekit.Fault{Times: -1, Status: 401, Error: "Unauthorized"})
		return
	}
	x.fake.ClearFaults()
}
