package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// people write to the bot and take note of what comes back.
type people struct {
	fake  *telegramfake.Server
	model *model
	base  int64 // of the ids in this run

	mu      sync.Mutex
	sent    map[string]time.Time     // by message
	seen    map[string]int           // how often each was answered
	first   map[string]chan struct{} // closed at the first answer
	latest  map[string]int           // the number that was answered last, by conversation
	strayed []string                 // answers in another conversation, or out of order
	own     []time.Duration          // the bot's own time for each answer
}

// place is a conversation: every second one is a topic of a forum, the others are private chats.
type place struct {
	number int
	chat   int64
	thread int
}

const (
	perForum   = 8 // topics
	firstTopic = 10
)

// person and forum give ids that are new in each run: a message whose chat and number were seen before is no new
// message.
func (p *people) person(number int) int64 { return p.base + int64(number) }
func (p *people) forum(number int) int64  { return -1_000_000_000_000 - p.base - int64(number) }

func (p *people) places(n int) []place {
	var all []place
	for i := range n {
		if i%2 == 0 {
			p.fake.AddUser(p.person(i), fmt.Sprintf("Person %d", i), "")
			all = append(all, place{number: i, chat: p.person(i)})
			continue
		}
		at := i / 2
		forum := p.forum(at / perForum)
		if at%perForum == 0 {
			var topics []telegramfake.Topic
			for t := range perForum {
				topics = append(topics, telegramfake.Topic{ID: firstTopic + t, Name: fmt.Sprintf("Topic %d", t)})
			}
			p.fake.AddForum(forum, fmt.Sprintf("Forum %d", -forum), topics...)
		}
		all = append(all, place{number: i, chat: forum, thread: firstTopic + at%perForum})
	}
	return all
}

func name(at place, n int) string { return fmt.Sprintf("m-%d-%d", at.number, n) }

// write sends a message and waits until it is answered.
func (p *people) write(ctx context.Context, at place, n int) error {
	what := name(at, n)
	answered := make(chan struct{})
	text := what + " please"
	if at.thread != 0 {
		text = fmt.Sprintf("@%s %s", p.fake.Bot["username"], text)
	}
	p.mu.Lock()
	p.first[what], p.sent[what] = answered, time.Now()
	p.mu.Unlock()
	_, err := p.fake.SendMessage(telegramfake.Incoming{
		ChatID: at.chat, ThreadID: at.thread, Text: text,
		From: telegramfake.User(p.person(at.number), fmt.Sprintf("Person %d", at.number), ""),
	})
	if err != nil {
		return err
	}
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s was not answered: %w", what, context.Cause(ctx))
	}
}

// note takes an answer in, as the fake got it.
func (p *people) note(call *fakekit.Call) {
	text := call.String("text")
	names := marker.FindAllString(text, -1)
	if !strings.HasPrefix(text, "answer to") || len(names) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	where := call.String("chat_id") + "/" + call.String("message_thread_id")
	for _, what := range names {
		p.seen[what]++
		var at, n int
		_, _ = fmt.Sscanf(what, "m-%d-%d", &at, &n)
		if p.seen[what] == 1 && n < p.latest[where] || p.placeOf(at) != where {
			p.strayed = append(p.strayed, what+" in "+where)
		}
		p.latest[where] = max(n, p.latest[where])
		if c := p.first[what]; c != nil {
			p.own = append(p.own, call.Time.Sub(p.sent[what])-p.model.time(what))
			close(c)
			delete(p.first, what)
		}
	}
}

// placeOf is where the messages of a conversation must be answered.
func (p *people) placeOf(number int) string {
	if number%2 == 0 {
		return fmt.Sprintf("%d/", p.person(number))
	}
	at := number / 2
	return fmt.Sprintf("%d/%d", p.forum(at/perForum), firstTopic+at%perForum)
}
