package telegram_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// TestAnswersInClosedTopics: an answer is shown in the chat, not as a reply, which would be put into the closed topic.
func TestAnswersInClosedTopics(t *testing.T) {
	t.Parallel()
	pic := channels.Attachment{Name: "a.png", Data: picture(t)}
	for name, m := range map[string]*channels.Outbound{
		"a reply":        {Text: "hello"},
		"a change":       {Text: "hello", Edit: "8"},
		"a full caption": {Text: strings.Repeat("a", 1020), Attachments: []channels.Attachment{pic}},
		"a full text":    {Text: strings.Repeat("a", 4090)},
		"a file alone":   {Attachments: []channels.Attachment{pic}},
		"several parts":  {Text: strings.Repeat("word ", 1500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
			asked := r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "question"})
			r.fake.Must(r.fake.CloseTopic(forum, 7, true))
			r.fake.Inject(fakekit.Fault{Method: "editMessageText", Error: "Bad Request: TOPIC_CLOSED"})
			m.Conversation, m.ReplyTo = topic("7"), channels.MessageID(fakekit.Text(asked["message_id"]))
			r.mustSend(m)
			shown := 0
			for _, c := range r.fake.Calls("send*") {
				if c.Status == http.StatusOK {
					shown++
				}
			}
			if shown == 0 || len(r.told) != 1 {
				t.Errorf("%d calls showed something, notices %v", shown, r.told)
			}
		})
	}
}

func TestClosedGeneral(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Inject(fakekit.Fault{Method: "sendMessage", Error: "Bad Request: TOPIC_CLOSED"})
	_, err := r.send(&channels.Outbound{Conversation: topic("general"), Text: "hello"})
	if e := refusal(t, err); !e.Terminal || len(r.told) != 0 || len(r.fake.Calls("sendMessage")) != 1 {
		t.Errorf("%+v after %d calls, notices %v", e, len(r.fake.Calls("sendMessage")), r.told)
	}
}

// TestRefusedFilesLeaveTheText: what Telegram does not take is told in its place, and the rest is shown.
func TestRefusedFilesLeaveTheText(t *testing.T) {
	t.Parallel()
	pic := channels.Attachment{Name: "a.png", Data: picture(t)}
	large := channels.Attachment{Name: "film.bin", Data: make([]byte, 51<<20)}
	tests := map[string]struct {
		files []channels.Attachment
		fault fakekit.Fault
		want  []string // methods that showed something
	}{
		"an album of bad pictures": {[]channels.Attachment{pic, pic}, fakekit.Fault{Method: "sendMediaGroup", Error: "Bad Request: PHOTO_INVALID_DIMENSIONS"},
			[]string{"sendMessage", "sendMediaGroup"}},
		"no right to send pictures": {[]channels.Attachment{pic}, fakekit.Fault{Method: "sendPhoto", Error: "Bad Request: not enough rights to send photos to the chat"},
			[]string{"sendMessage"}},
		"too large for the server": {[]channels.Attachment{pic}, fakekit.Fault{Method: "sendPhoto", Status: 413, Error: "Request Entity Too Large"}, []string{"sendMessage"}},
		"too large for Telegram":   {[]channels.Attachment{large}, fakekit.Fault{Method: "none"}, []string{"sendMessage", "sendMessage"}},
		"a strange name":           {[]channels.Attachment{{Name: "\x00", Data: []byte("text")}}, fakekit.Fault{Method: "none"}, []string{"sendDocument"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
			r.fake.Inject(tt.fault)
			r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "the text", Attachments: tt.files})
			var got []string
			text := ""
			for _, c := range r.fake.Calls("send*") {
				if c.Status == http.StatusOK {
					got = append(got, c.Method)
					text += c.String("text") + c.String("caption")
				}
			}
			if !slices.Equal(got, tt.want) || !strings.Contains(text, "the text") {
				t.Errorf("shown by %v: %q", got, text)
			}
		})
	}
}

// TestLongMarkup: Telegram looks at 32 kB of a text before it parses it.
func TestLongMarkup(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	link := "[a page](https://a.example/" + strings.Repeat("x", 450) + ")\n\n"
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: strings.Repeat(link, 100)})
	for _, c := range r.fake.Calls("*") {
		if c.Status != http.StatusOK {
			t.Errorf("%s was refused", c.Method)
		}
	}
}

func TestChangesAfterAMigration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fake.AddChat(telegramfake.Chat{ID: -55, Type: "group", Title: "Small"})
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	old := r.mustSend(&channels.Outbound{Conversation: at(-55, ""), Text: "old"})
	r.fake.Must(r.fake.Migrate(-55, -100055))
	r.mustSend(&channels.Outbound{Conversation: at(-55, ""), Text: "new", Edit: old, ReplyTo: old})
	last := r.fake.Calls("sendMessage")
	if c := last[len(last)-1]; c.String("chat_id") != "-100055" || c.Has("reply_parameters") || c.Has("message_id") {
		t.Errorf("sent %v", c.Params)
	}
}

// TestRedirects: a server that sends elsewhere is not followed, and the place it names learns nothing.
func TestRedirects(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 10)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { asked <- req }))
	t.Cleanup(elsewhere.Close)
	gate := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(gate.Close)
	r := newRig(t)
	r.make(settings{"bot_token": "999:CANARY", "api_url": gate.URL})
	_, err := r.send(&channels.Outbound{Conversation: topic("7"), Text: "x"})
	if e := refusal(t, err); !e.NotTaken || e.Terminal || strings.Contains(e.Error(), "CANARY") {
		t.Errorf("%v", e)
	}
	if len(asked) > 0 {
		t.Error("the redirect was followed")
	}
}
