package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// slack has direct messages and threads.
type slack struct{ fake *slackfake.Server }

func newSlack() (messenger, error) {
	fake, err := slackfake.Start()
	if err != nil {
		return nil, err
	}
	fake.Keep(keepCalls)
	return &slack{fake}, nil
}

func (s *slack) env() []string {
	return []string{
		"SLACK_BOT_TOKEN=" + slackfake.BotToken, "SLACK_APP_TOKEN=" + slackfake.AppToken, "SLACK_API_URL=" + s.fake.URL,
	}
}

func (s *slack) user(number int) string { return fmt.Sprintf("U%010d", number) }

func (s *slack) open(n int) (all []place, err error) {
	for i := range n {
		at := place{number: i, chat: fmt.Sprintf("D%010d", i)}
		s.fake.AddUser(s.user(i), at.person())
		if i%2 == 0 {
			s.fake.AddDM(at.chat, s.user(i))
			all = append(all, at)
			continue
		}
		at.chat = fmt.Sprintf("C%010d", i)
		s.fake.AddChannel(at.chat, fmt.Sprintf("room-%d", i))
		if at.topic, err = s.root(at.chat); err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// root posts the first message of a thread in the bot's name, so that the bot receives nothing of it.
func (s *slack) root(channel string) (string, error) {
	form := url.Values{"channel": {channel}, "text": {"root"}, "token": {slackfake.BotToken}}
	client := &http.Client{Timeout: startPatience}
	resp, err := client.PostForm(s.fake.APIURL()+"chat.postMessage", form)
	if err != nil {
		return "", err
	}
	var sent struct{ TS string }
	err = errors.Join(json.NewDecoder(resp.Body).Decode(&sent), resp.Body.Close())
	return sent.TS, err
}

func (s *slack) say(at place, text string) error {
	in := slackfake.Incoming{Channel: at.chat, ThreadTS: at.topic, User: s.user(at.number), Text: text}
	if at.topic != "" {
		in.Text = fmt.Sprintf("<@%s> %s", slackfake.BotUserID, text)
	}
	_, err := s.fake.SendMessage(in)
	return err
}

func (s *slack) watch(ctx context.Context, note func(where, text string, at time.Time)) {
	for {
		call, err := s.fake.WaitContext(ctx, "chat.postMessage")
		if err != nil {
			return
		}
		text := strings.TrimSpace(call.String("markdown_text") + call.String("text"))
		note(call.String("channel")+"/"+call.String("thread_ts"), text, call.Time)
	}
}

func (s *slack) slow(d time.Duration) {
	s.fake.Inject(fakekit.Fault{Method: "chat.*", Times: -1, Delay: fakekit.Duration(d)})
}

func (s *slack) violations() []string { return texts(s.fake.Violations()) }

func (s *slack) ready() bool { return s.fake.Sockets() > 0 }

func (s *slack) close() { s.fake.Close() }
