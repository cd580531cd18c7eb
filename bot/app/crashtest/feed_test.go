package crashtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// feed is the people: it writes messages and remembers which were acknowledged and which were answered.
type feed struct {
	*fleet
	mu       sync.Mutex
	texts    map[string]string // by name, of all messages that were ever delivered
	nextName map[string]int    // by chat
}

func newFeed(f *fleet) *feed {
	return &feed{fleet: f, texts: map[string]string{}, nextName: map[string]int{}}
}

// conversation says where a chat is; every second one is on the channel where messages wait.
func conversation(chat string) channels.Conversation {
	c := channels.Conversation{Channel: steering, Chat: channels.ChatID(chat), Topic: "t/1"}
	if (chat[len(chat)-1]-'0')%2 == 1 {
		c.Channel = queueing
	}
	return c
}

// write makes a message of a chat. The orders are explained at model.
func (p *feed) write(chat, orders string) *channels.Inbound {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := fmt.Sprintf("%s-%04d", chat, p.nextName[chat])
	p.nextName[chat]++
	p.texts[name] = name + " " + orders
	return &channels.Inbound{
		ID: channels.MessageID("id-" + name), EventKey: "event-" + name, Conversation: conversation(chat), Direct: true,
		Sender: channels.Sender{ID: channels.UserID(chat), Name: "Ann"}, Text: p.texts[name], SentAt: time.Now(),
	}
}

func nameOf(in *channels.Inbound) string { return namesIn(in.Text)[0] }

func chatOf(name string) string { return name[:len(chatName(0))] }

// redeliver is how long a delivery may go unacknowledged before it is repeated.
const redeliver = 700 * time.Millisecond

// deliver hands a message to w, or to anyone when w is nil, again and again until it is acknowledged.
func (p *feed) deliver(ctx context.Context, w *worker, in *channels.Inbound) {
	line, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	line = append(line, '\n')
	for ctx.Err() == nil && !p.acknowledged(in.EventKey) {
		to := w
		if to == nil {
			if to = p.anyone(); to == nil {
				p.pause(ctx, in.EventKey, nil, 5*time.Millisecond)
				continue
			}
		}
		to.mu.Lock()
		_, err := to.stdin.Write(line)
		to.mu.Unlock()
		if err != nil {
			p.pause(ctx, in.EventKey, nil, 5*time.Millisecond)
			continue
		}
		p.pause(ctx, in.EventKey, to.exited, redeliver)
	}
}

// pause waits until the message is acknowledged, the worker is gone, or d is over.
func (p *feed) pause(ctx context.Context, key string, gone <-chan struct{}, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	for !p.acknowledged(key) {
		p.fleet.mu.Lock()
		changed := p.changed
		p.fleet.mu.Unlock()
		select {
		case <-changed:
		case <-gone:
			return
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (p *feed) acknowledged(key string) bool {
	p.fleet.mu.Lock()
	defer p.fleet.mu.Unlock()
	return p.acked[key]
}

// open is how many messages of a chat have no answer yet.
func (p *feed) open(chat string) int {
	p.mu.Lock()
	written := p.nextName[chat]
	p.mu.Unlock()
	p.fleet.mu.Lock()
	defer p.fleet.mu.Unlock()
	return written - p.answers[chat]
}

// names are all messages that were written.
func (p *feed) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.texts))
}

// awaitAnswers waits until every message written so far is answered.
func (p *feed) awaitAnswers() {
	p.t.Helper()
	left := p.names()
	ok := p.wait(p.t.Context(), func() bool {
		p.fleet.mu.Lock()
		defer p.fleet.mu.Unlock()
		left = slices.DeleteFunc(left, func(name string) bool { return p.answered[name] })
		return len(left) == 0
	})
	if !ok {
		p.t.Fatalf("not answered in time: %v", left)
	}
}

// wentOn is when a worker first did something about a message of a chat.
func (p *feed) wentOn(w *worker, chat string) time.Time {
	return p.awaitEvent("chat "+chat+" goes on", func(e *event) bool {
		return e.Pid == w.cmd.Process.Pid && slices.ContainsFunc(e.Names, func(name string) bool { return chatOf(name) == chat })
	}).At
}

// backlog is how many unanswered messages a chat may have while it chats.
const backlog = 4

// chat writes one message after the other until ctx is done, and returns when the last one is acknowledged.
func (p *feed) chat(ctx context.Context, chat string) {
	for p.wait(ctx, func() bool { return p.open(chat) < backlog }) && ctx.Err() == nil {
		p.fleet.mu.Lock()
		tools := []int{0, 0, 1, 2}[p.rng.IntN(4)]
		p.fleet.mu.Unlock()
		p.deliver(p.t.Context(), nil, p.write(chat, fmt.Sprintf("tools=%d", tools)))
	}
}
