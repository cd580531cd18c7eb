package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opus() []byte {
	return append([]byte("OggS\x00\x02"+strings.Repeat("\x00", 22)+"OpusHead\x01\x02"), make([]byte, 64)...)
}

func everything(t *testing.T, to channels.Conversation) []*channels.Outbound {
	t.Helper()
	file := func(name string, data []byte) channels.Attachment { return channels.Attachment{Name: name, Data: data} }
	pic := picture(t)
	return []*channels.Outbound{
		{Conversation: to, Text: "**hello**", ReplyTo: "3"},
		{Conversation: to, Text: strings.Repeat("word ", 2000) + "\n\n```go\n" + strings.Repeat("x := 1\n", 500) + "```"},
		{Conversation: to, Text: strings.Repeat("word ", 6000)},
		{Conversation: to, Text: "a photo", Attachments: []channels.Attachment{file("a.png", pic)}},
		{Conversation: to, Attachments: []channels.Attachment{file("a.png", pic), file("b.png", pic), file("c.txt", []byte("text"))}},
		{Conversation: to, Attachments: []channels.Attachment{file("a.ogg", opus()), file("a.mp3", []byte("\xff\xfb\x90\x00"+strings.Repeat("\x00", 413)))}},
		{Conversation: to, Attachments: []channels.Attachment{file("a.gif", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")), file("empty", nil)}},
		{Conversation: to, Text: "choose", Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1), Command: channels.Command{Name: "stop"}}}}},
	}
}

// TestEverythingStaysInItsTopic: whatever is called for a conversation names its topic.
func TestEverythingStaysInItsTopic(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		to             channels.Conversation
		thread, typing string
	}{
		"a topic":        {topic("7"), "7", "7"},
		"General":        {topic("general"), "", "1"},
		"a plain group":  {at(group, ""), "", ""},
		"a private chat": {at(ann, ""), "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
			for _, m := range everything(t, tt.to) {
				r.mustSend(m)
			}
			st, err := r.ch.(channels.Streamer).Stream(t.Context(), channels.Preview{Conversation: tt.to, ReplyTo: "3"})
			if err != nil {
				t.Fatal(err)
			}
			show(t, st, channels.Draft{Text: "so far"})
			if err := r.ch.(channels.Typer).Typing(t.Context(), tt.to); err != nil {
				t.Fatal(err)
			}
			if n := len(r.fake.Calls("send*")); n < 15 {
				t.Errorf("only %d calls", n)
			}
			for _, c := range r.fake.Calls("send*") {
				want := tt.thread
				if c.Method == "sendChatAction" {
					want = tt.typing
				}
				if got := c.String("message_thread_id"); got != want || c.String("chat_id") != string(tt.to.Chat) {
					t.Errorf("%s went to thread %q of %s, want %q", c.Method, got, c.String("chat_id"), want)
				}
			}
		})
	}
}

func TestFilesAreSentAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	for _, m := range everything(t, topic("7"))[3:] {
		r.mustSend(m)
	}
	want := []string{"sendPhoto", "sendMediaGroup", "sendDocument", "sendVoice", "sendAudio", "sendAnimation", "sendMessage", "sendMessage"}
	if got := r.methods(); !slices.Equal(got, want) {
		t.Errorf("called %v, want %v", got, want)
	}
	if c := r.fake.Wait("sendPhoto"); c.String("caption") != "a photo" {
		t.Errorf("caption %q", c.String("caption"))
	}
}

func TestLongAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	code := strings.Repeat("fmt.Println(\"a < b && c > d\")\n", 300)
	var done []int
	r.mustSend(&channels.Outbound{
		Conversation: topic("7"), Text: "Look:\n\n```go\n" + code + "```\n\nThat was it.", ReplyTo: "12",
		Attempt: channels.Attempt{Delivered: func(_ context.Context, n int) error { done = append(done, n); return nil }},
	})
	var shown strings.Builder
	calls := r.fake.Calls("sendMessage")
	for i, c := range calls {
		text, _, err := telegramfake.ParseText("HTML", c.String("text"))
		if err != nil || !strings.Contains(c.String("text"), `<code class="language-go">`) {
			t.Errorf("part %d: %v", i, err)
		}
		shown.WriteString(text)
		if replies := c.Has("reply_parameters"); replies != (i == 0) {
			t.Errorf("part %d refers to the question: %v", i, replies)
		}
	}
	if strings.Count(shown.String(), "fmt.Println") != 300 {
		t.Error("code was lost")
	}
	if want := []int{1, 2}; len(calls) != 3 || !slices.Equal(done, want) {
		t.Errorf("%d parts, kept %v", len(calls), done)
	}
	r.fake.Reset()
	whole := strings.Repeat("word ", 6000)
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: whole})
	if got, want := r.methods(), []string{"sendMessage", "sendMessage", "sendDocument"}; !slices.Equal(got, want) {
		t.Fatalf("called %v, want %v", got, want)
	}
	if f := r.fake.Calls("sendDocument")[0].Files[0]; f.Name != "answer.md" || string(f.Data) != whole {
		t.Errorf("file %s of %d bytes", f.Name, f.Size)
	}
}

// TestAttemptsGoOn: parts that were delivered are left out, and one that may have been is sent once Telegram answers.
func TestAttemptsGoOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	m := &channels.Outbound{Conversation: topic("7"), Text: strings.Repeat("word ", 2000)}
	r.fake.Inject(fakekit.Fault{Method: "sendMessage", After: 1, DropResponse: true})
	parts := 0
	m.Attempt.Delivered = func(_ context.Context, n int) error { parts = n; return nil }
	_, err := r.send(m)
	if e := refusal(t, err); e.NotTaken || e.Terminal || parts != 1 {
		t.Fatalf("after %d parts: %+v", parts, e)
	}
	m.Attempt.Parts, m.Attempt.Unsure = 1, true
	r.fake.Inject(fakekit.Fault{Method: "sendChatAction", Drop: true})
	_, err = r.send(m)
	if e := refusal(t, err); !e.NotTaken || e.Terminal {
		t.Errorf("while Telegram can't be reached: %+v", e)
	}
	r.mustSend(m)
	if n := len(r.fake.Calls("sendMessage")); n != 4 { // one part, the doubtful one, that again, the last
		t.Errorf("%d calls", n)
	}
}

func TestWhatTelegramRefuses(t *testing.T) {
	t.Parallel()
	hello := &channels.Outbound{Conversation: topic("7"), Text: "**hello**"}
	edit := &channels.Outbound{Conversation: topic("7"), Text: "**hello**", Edit: "5"}
	tests := map[string]struct {
		message *channels.Outbound
		fault   fakekit.Fault
		calls   []string // what is called until it ends
		want    string   // of the error; "" for none
	}{
		"markup it can't read": {hello, fakekit.Fault{Error: "Bad Request: can't parse entities: x"}, []string{"sendMessage", "sendMessage"}, ""},
		"an equal edit":        {edit, fakekit.Fault{Method: "edit*", Error: "Bad Request: message is not modified: x"}, []string{"editMessageText"}, ""},
		"an edit of what is gone": {edit, fakekit.Fault{Method: "edit*", Error: "Bad Request: message to edit not found"},
			[]string{"editMessageText", "sendMessage"}, ""},
		"an edit of what can't be": {edit, fakekit.Fault{Method: "edit*", Error: "Bad Request: message can't be edited"},
			[]string{"editMessageText", "sendMessage"}, ""},
		"a closed topic":  {hello, fakekit.Fault{Error: "Bad Request: TOPIC_CLOSED"}, []string{"sendMessage", "sendMessage"}, ""},
		"a deleted topic": {hello, fakekit.Fault{Error: "Bad Request: message thread not found"}, []string{"sendMessage", "sendMessage"}, ""},
		"being blocked":   {hello, fakekit.Fault{Status: 403, Error: "Forbidden: bot was kicked from the supergroup chat"}, []string{"sendMessage"}, "terminal gone not taken"},
		"no right to write": {hello, fakekit.Fault{Error: "Bad Request: not enough rights to send text messages to the chat"},
			[]string{"sendMessage"}, "terminal gone not taken"},
		"anything else":         {hello, fakekit.Fault{Error: "Bad Request: something new"}, []string{"sendMessage"}, "terminal not taken"},
		"a revoked token":       {hello, fakekit.Fault{Status: 401, Error: "Unauthorized"}, []string{"sendMessage"}, "not taken"},
		"a page instead of 502": {hello, fakekit.Fault{Status: 502}, []string{"sendMessage"}, "doubtful"},
		"a page instead of 503": {hello, fakekit.Fault{Status: 503}, []string{"sendMessage"}, "not taken"},
		"a broken connection":   {hello, fakekit.Fault{DropResponse: true}, []string{"sendMessage"}, "doubtful"},
		"too much":              {hello, fakekit.Fault{RetryAfter: fakekit.Duration(7 * time.Second)}, []string{"sendMessage"}, "not taken after 7s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
			if tt.fault.Method == "" {
				tt.fault.Method = "send*"
			}
			r.fake.Inject(tt.fault)
			m := *tt.message
			_, err := r.send(&m)
			got := ""
			if err != nil {
				e := refusal(t, err)
				var words []string
				for word, is := range map[string]bool{"1terminal": e.Terminal, "2gone": e.Gone, "3not taken": e.NotTaken, "3doubtful": !e.NotTaken} {
					if is {
						words = append(words, word)
					}
				}
				slices.Sort(words)
				for i := range words {
					words[i] = words[i][1:]
				}
				if got = strings.Join(words, " "); e.RetryAfter > 0 {
					got += " after " + e.RetryAfter.String()
				}
				if strings.Contains(e.Error(), "CANARY") {
					t.Errorf("the token is in %q", e)
				}
			}
			if got != tt.want || !slices.Equal(r.methods(), tt.calls) {
				t.Errorf("ends with %q after %v, want %q after %v", got, r.methods(), tt.want, tt.calls)
			}
		})
	}
}

func TestPlainAfterRefusedMarkup(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Inject(fakekit.Fault{Method: "sendMessage", Error: "Bad Request: can't parse entities: x"})
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "**a** < b"})
	if c := r.fake.Calls("sendMessage")[1]; c.String("text") != "a < b" || c.Has("parse_mode") {
		t.Errorf("sent %v", c.Params)
	}
}

func TestClosedTopic(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Must(r.fake.CloseTopic(forum, 7, true))
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: strings.Repeat("word ", 1500)})
	calls := r.fake.Calls("sendMessage")
	if len(calls) != 3 {
		t.Fatalf("%d calls, want the refused one and two to the chat", len(calls))
	}
	for i, c := range calls[1:] {
		if c.Has("message_thread_id") || strings.Contains(c.String("text"), "topic this belongs to is closed") != (i == 0) {
			t.Errorf("sent %.100v", c.Params)
		}
	}
	if len(r.told) != 1 {
		t.Errorf("notices %v", r.told)
	}
	r.fake.Must(r.fake.CloseTopic(forum, 7, false))
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "again"})
	if c := r.fake.Calls("sendMessage")[3]; c.String("message_thread_id") != "7" {
		t.Error("the topic is open again, but not used")
	}
	if len(r.fake.Calls("reopenForumTopic")) > 0 {
		t.Error("the topic was opened by the bot")
	}
}

// TestChatsAreLeftAlone: as long as Telegram asked for, nothing at all is called for a chat; others go on.
func TestChatsAreLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Inject(fakekit.Fault{Method: "sendMessage", RetryAfter: fakekit.Duration(time.Minute)})
	_, err := r.send(&channels.Outbound{Conversation: topic("7"), Text: "one"})
	if e := refusal(t, err); e.RetryAfter != time.Minute {
		t.Errorf("%+v", e)
	}
	_, err = r.send(&channels.Outbound{Conversation: topic("9"), Text: "another topic of the chat"})
	if e := refusal(t, err); !e.NotTaken || e.RetryAfter < 50*time.Second {
		t.Errorf("another topic: %+v", e)
	}
	_ = r.ch.(channels.Typer).Typing(t.Context(), topic("7"))
	if n := len(r.fake.Calls("*")); n != 1 {
		t.Errorf("%d calls", n)
	}
	r.mustSend(&channels.Outbound{Conversation: at(group, ""), Text: "another chat"})
}

func TestRefusedPhotosGoAsDocuments(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	r.fake.Inject(fakekit.Fault{Method: "sendPhoto", Error: "Bad Request: PHOTO_INVALID_DIMENSIONS"})
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "see", Attachments: []channels.Attachment{{Name: "a.png", Data: picture(t)}}})
	if c := r.fake.Wait("sendDocument"); c.String("caption") != "see" || c.String("message_thread_id") != "7" {
		t.Errorf("sent %v", c.Params)
	}
}

func TestWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	for name, m := range map[string]*channels.Outbound{
		"nothing":         {Conversation: topic("7"), Text: " \n"},
		"a strange chat":  {Conversation: channels.Conversation{Channel: "tg", Chat: "C1"}, Text: "x"},
		"a strange topic": {Conversation: topic("x"), Text: "x"},
		"a lost button":   {Conversation: topic("7"), Text: "x", Buttons: [][]channels.Button{{{Text: "x", Command: channels.Command{Name: "stop"}}}}},
	} {
		_, err := r.send(m)
		if e := refusal(t, err); !e.Terminal || !e.NotTaken {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if n := len(r.fake.Calls("*")); n != 0 {
		t.Errorf("%d calls", n)
	}
}

// TestButtonsOfAnyLength: whatever a button stands for, Telegram's 64 bytes hold its token.
func TestButtonsOfAnyLength(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	b := channels.Button{Text: "x", Token: channeltest.Token(1), Command: channels.Command{Name: "stop", Args: strings.Repeat("é", 100)}}
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "x", Buttons: [][]channels.Button{{b}}})
	var markup struct {
		Rows [][]struct{ Callback_data string } `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(r.fake.Wait("sendMessage").String("reply_markup")), &markup); err != nil || len(markup.Rows[0][0].Callback_data) > 64 {
		t.Errorf("%v: %+v", err, markup)
	}
}

func TestEditsTakeThePlaceOfAPreview(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	id := r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "so far", Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1), Command: channels.Command{Name: "stop"}}}}})
	got := r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: strings.Repeat("word ", 1500), Edit: id})
	if want := []string{"sendMessage", "editMessageText", "sendMessage"}; got != id || !slices.Equal(r.methods(), want) {
		t.Errorf("called %v", r.methods())
	}
	if c := r.fake.Calls("editMessageText")[0]; c.Has("reply_markup") {
		t.Error("the buttons of the preview stay")
	}
	r.mustSend(&channels.Outbound{Conversation: topic("7"), Edit: id, Attachments: []channels.Attachment{{Name: "a.txt", Data: []byte("x")}}})
	r.fake.Wait("deleteMessage", fakekit.Param("message_id", string(id)))
}

// TestUnreachableServer: a message that never left is not taken, and no error tells the token.
func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": "999:CANARY", "api_url": "http://127.0.0.1:1"})
	_, err := r.send(&channels.Outbound{Conversation: topic("7"), Text: "x"})
	if e := refusal(t, err); !e.NotTaken || e.Terminal || strings.Contains(fmt.Sprint(e), "CANARY") {
		t.Errorf("%v", e)
	}
}
