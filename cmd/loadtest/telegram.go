package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// telegram has private chats and forum topics.
type telegram struct {
	fake *telegramfake.Server
	// base of the ids, new in each run: a message whose chat and number were seen before is no new message.
	base int64
}

const (
	perForum   = 8 // topics
	firstTopic = 10
	// keepCalls bounds what the fake remembers.
	keepCalls = 10_000
)

func newTelegram() (messenger, error) {
	fake, err := telegramfake.Start()
	if err != nil {
		return nil, err
	}
	fake.Keep(keepCalls)
	return &telegram{fake, time.Now().UnixMilli()}, nil
}

func (t *telegram) env() []string {
	return []string{"TELEGRAM_BOT_TOKEN=" + t.fake.Token, "TELEGRAM_API_URL=" + t.fake.URL}
}

func (t *telegram) person(number int) int64 { return t.base + int64(number) }

func (t *telegram) open(n int) ([]place, error) {
	var all []place
	for i := range n {
		at := place{number: i, chat: strconv.FormatInt(t.person(i), 10)}
		if i%2 == 0 {
			t.fake.AddUser(t.person(i), at.person(), "")
			all = append(all, at)
			continue
		}
		topic := i / 2
		forum := -1_000_000_000_000 - t.base - int64(topic/perForum)
		if topic%perForum == 0 {
			var topics []telegramfake.Topic
			for k := range perForum {
				topics = append(topics, telegramfake.Topic{ID: firstTopic + k, Name: fmt.Sprintf("Topic %d", k)})
			}
			t.fake.AddForum(forum, fmt.Sprintf("Forum %d", -forum), topics...)
		}
		at.chat, at.topic = strconv.FormatInt(forum, 10), strconv.Itoa(firstTopic+topic%perForum)
		all = append(all, at)
	}
	return all, nil
}

func (t *telegram) say(at place, text string) error {
	in := telegramfake.Incoming{Text: text, From: telegramfake.User(t.person(at.number), at.person(), "")}
	if _, err := fmt.Sscan(at.chat, &in.ChatID); err != nil {
		return err
	}
	if at.topic != "" {
		in.Text = fmt.Sprintf("@%s %s", t.fake.Bot["username"], text)
		if _, err := fmt.Sscan(at.topic, &in.ThreadID); err != nil {
			return err
		}
	}
	_, err := t.fake.SendMessage(in)
	return err
}

func (t *telegram) watch(ctx context.Context, note func(where, text string, at time.Time)) {
	for {
		call, err := t.fake.WaitContext(ctx, "sendMessage")
		if err != nil {
			return
		}
		note(call.String("chat_id")+"/"+call.String("message_thread_id"), call.String("text"), call.Time)
	}
}

func (t *telegram) slow(d time.Duration) {
	t.fake.Inject(fakekit.Fault{Method: "send*", Times: -1, Delay: fakekit.Duration(d)})
}

func (t *telegram) violations() []string { return texts(t.fake.Violations()) }

// ready: what is written before is kept.
func (t *telegram) ready() bool { return true }

func (t *telegram) close() { t.fake.Close() }

func texts(vs []fakekit.Violation) (texts []string) {
	for _, v := range vs {
		texts = append(texts, v.String())
	}
	return texts
}
