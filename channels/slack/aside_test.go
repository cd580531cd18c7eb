package slack_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/slack"
)

// private is a private channel that the bot is not in.
const private = "G0PRIVATE01"

// outside starts a channel that is in none of Slack's, where Bob writes /lead.
func outside(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, slackfake.WithEvents("none"))
	r.fake.AddChannel(private, "private")
	for _, channel := range []string{general, private} {
		r.fake.SetMember(channel, false)
	}
	return r.start()
}

// commands lets Bob use the slash command.
func (r *rig) commands(channel, text string) *channels.Inbound {
	r.Helper()
	if _, err := r.fake.UseCommand(slackfake.Command{Channel: channel, User: bob, Command: "/lead", Text: text}); err != nil {
		r.Fatal(err)
	}
	in := r.next()
	r.fake.Wait("ack:slash_commands")
	return in
}

// whispered are the texts that only Bob sees in a channel.
func (r *rig) whispered(channel string) (texts []string) {
	for _, m := range r.fake.Whispers(channel, bob) {
		texts = append(texts, fakekit.Text(m["text"]))
	}
	return texts
}

const invite = "\n\n_Only you see this: invite me with `/invite` to answer here for all._"

func TestRequestWhereTheBotIsNoMember(t *testing.T) {
	t.Parallel()
	r := outside(t)
	for _, channel := range []string{general, private} {
		in := r.commands(channel, "what is planned?")
		if in.Text != "what is planned?" {
			t.Fatalf("received %+v", in)
		}
		s, err := r.ch.(channels.Streamer).Stream(r.Context(), channels.Preview{Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via})
		if err != nil {
			t.Fatal(err)
		}
		r.step(s, "", "reading")
		r.show(s, "A **plan")
		id, err := s.Close(r.Context())
		if err != nil || id != "" {
			t.Errorf("closed with %q, %v", id, err)
		}
		r.mustSend(&channels.Outbound{Key: "a", Conversation: in.Conversation, ReplyTo: in.ID, Via: in.Via, Text: "A **plan** & <more>"})
		want := "A *plan* &amp; &lt;more&gt;" + invite
		if got := r.whispered(channel); len(got) != 1 || got[0] != want {
			t.Errorf("%s: Bob sees %q, want %q", channel, got, want)
		}
		if len(r.fake.Messages(channel)) != 0 || len(r.fake.Whispers(channel, ann)) != 0 {
			t.Errorf("others see %v", r.fake.Messages(channel))
		}
	}
	if n := len(r.fake.Calls("chat.postMessage")); n != 4 { // a preview and an answer in each
		t.Errorf("%d attempts to post", n)
	}
}

func TestAnswerWithButtonsWhereTheBotIsNoMember(t *testing.T) {
	t.Parallel()
	r := outside(t)
	in := r.commands(general, "show it")
	m := card()
	m.Via, m.Conversation = in.Via, in.Conversation
	m.Attachments = []channels.Attachment{{Name: "plan_a.txt", Data: []byte("x")}}
	r.mustSend(m)
	got := r.fake.Whispers(general, bob)
	if len(got) != 1 || len(got[0]["blocks"].([]any)) != 3 {
		t.Fatalf("Bob sees %v", got)
	}
	shown := readable(got[0])
	for _, want := range []string{"#42 Fix login", "writer", "The file plan_a.txt can't be shown here.", "/invite"} {
		if !strings.Contains(shown, want) {
			t.Errorf("Bob does not see %q in %q", want, shown)
		}
	}
}

func TestLongAnswersUseAResponseURLUp(t *testing.T) {
	t.Parallel()
	r := outside(t)
	in := r.commands(general, "tell me all")
	var words []string
	for i := range 6000 {
		words = append(words, fmt.Sprint(i))
	}
	send := func(key, text string) error {
		return second(r.send(&channels.Outbound{Key: key, Conversation: in.Conversation, Via: in.Via, Text: text}))
	}
	if err := send("first", "I look."); err != nil {
		t.Fatal(err)
	}
	r.fake.Inject(fakekit.Fault{Method: "response_url", After: 1, Status: http.StatusInternalServerError})
	if e := refusal(t, send("all", strings.Join(words, " "))); e.Terminal || e.NotTaken {
		t.Errorf("got %+v", e)
	}
	if err := send("all", strings.Join(words, " ")); err != nil {
		t.Fatal(err)
	}
	got := r.whispered(general)
	if len(got) != 4 { // one of five uses failed
		t.Fatalf("Bob sees %d messages", len(got))
	}
	if end := "\n\n_The rest did not fit here._" + invite; !strings.HasSuffix(got[3], end) || strings.Contains(got[2], "_") {
		t.Errorf("it ends with %q", got[3][len(got[3])-200:])
	}
	all := strings.Fields(strings.TrimSuffix(strings.Join(got[1:], " "), "\n\n_The rest did not fit here._"+invite))
	if strings.Join(all, " ") != strings.Join(words[:len(all)], " ") || len(all) < 1000 {
		t.Errorf("%d words are not in order", len(all))
	}
	if e := refusal(t, send("more", "more")); !e.Terminal || !e.Gone || !e.NotTaken {
		t.Errorf("got %+v", e)
	}
}

func TestAnswerThatIsForOnePerson(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	root := r.thread(general)
	m := card()
	m.Conversation = at(general, root)
	r.press(general, r.mustSend(m), "l2:0:0", "")
	in := r.next()
	shown := len(r.fake.Messages(general))
	r.mustSend(&channels.Outbound{Conversation: in.Conversation, Via: in.Via, To: ann, Text: "for Ann"}) // it is Bob's
	for range 7 {                                                                                        // more than the response URL can take
		r.mustSend(&channels.Outbound{Conversation: in.Conversation, Via: in.Via, To: bob, Text: "not **you**"})
	}
	r.mustSend(&channels.Outbound{Conversation: in.Conversation, To: bob, Text: "not **you**"})
	got := r.fake.Whispers(general, bob)
	if len(got) != 8 || len(r.fake.Calls("response_url")) != 5 || len(r.fake.Messages(general)) != shown {
		t.Errorf("Bob sees %d, all see %d more", len(got), len(r.fake.Messages(general))-shown)
	}
	for _, w := range got {
		if w["text"] != "not *you*" || w["thread_ts"] != root {
			t.Errorf("Bob sees %v", w)
		}
	}
	if got := r.fake.Whispers(general, ann); len(got) != 1 || got[0]["text"] != "for Ann" {
		t.Errorf("Ann sees %v", got)
	}
	if replaced := r.fake.Calls("response_url")[0]; replaced.Bool("replace_original") || replaced.Header.Get("Authorization") != "" {
		t.Errorf("posted %v", replaced.Params)
	}
}

func TestSpentResponseURL(t *testing.T) {
	t.Parallel()
	r := outside(t)
	in := r.commands(general, "a question")
	r.fake.Inject(fakekit.Fault{Method: "response_url", Status: http.StatusNotFound, Times: -1})
	m := &channels.Outbound{Conversation: in.Conversation, Via: in.Via, Text: "an answer"}
	if e := refusal(t, second(r.send(m))); !e.Terminal || !e.Gone || !e.NotTaken {
		t.Errorf("got %+v", e)
	}
	m.To = bob
	if e := refusal(t, second(r.send(m))); !e.Terminal || !e.Gone {
		t.Errorf("got %+v", e)
	}
	r.fake.SetMember(general, true)
	r.mustSend(m)
	if got := r.whispered(general); len(got) != 1 || got[0] != "an answer" {
		t.Errorf("Bob sees %q", got)
	}
}

func TestBadMomentOfAResponseURL(t *testing.T) {
	t.Parallel()
	r := outside(t)
	in := r.commands(general, "a question")
	r.fake.Inject(fakekit.Fault{Method: "response_url", Drop: true})
	m := &channels.Outbound{Key: "k", Conversation: in.Conversation, Via: in.Via, Text: "an answer"}
	if e := refusal(t, second(r.send(m))); e.Terminal || e.NotTaken {
		t.Errorf("got %+v", e)
	}
	m.Attempt.Unsure = true
	r.mustSend(m)
	r.mustSend(m) // all of it is shown: nothing is shown twice
	if got := r.whispered(general); len(got) != 1 {
		t.Errorf("Bob sees %q", got)
	}
}

func TestRefusedButtonsOfAnAnswerForOnePerson(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	r.fake.Inject(fakekit.Fault{Method: "chat.postEphemeral", Error: "invalid_blocks"})
	m := card()
	m.To = bob
	r.mustSend(m)
	if got := r.fake.Whispers(general, bob); len(got) != 1 || got[0]["blocks"] != nil {
		t.Errorf("Bob sees %v", got)
	}
}

func TestLongAnswerForOnePersonGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	m := &channels.Outbound{Conversation: at(general, ""), To: bob, Text: strings.Repeat("some words and more\n\n", 300)}
	fault, kept := errors.New("no database"), 0
	m.Attempt.Delivered = func(_ context.Context, parts int) error {
		if kept = parts; parts == 2 {
			return fault
		}
		return nil
	}
	if e := refusal(t, second(r.send(m))); !errors.Is(e, fault) || !e.NotTaken {
		t.Errorf("got %+v", e)
	}
	m.Attempt.Parts, m.Attempt.Delivered = kept, nil
	r.mustSend(m)
	if got := strings.Join(r.whispered(general), " "); strings.Count(got, "some words and more") != 300 {
		t.Errorf("Bob sees %d lines", strings.Count(got, "some words and more"))
	}
}

func TestPressWhereTheBotIsNoMemberAnyMore(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	id := r.mustSend(card())
	r.fake.SetMember(general, false)
	r.failing(func(*channels.Inbound) error { return errors.New("no database") })
	r.press(general, id, "l2:0:0", "")
	r.fake.Wait("response_url")
	if got := r.whispered(general); len(got) != 1 || !strings.Contains(got[0], "could not keep") {
		t.Errorf("Bob sees %q", got)
	}
}

// TestResponseURLsOfOthers: what people wrote goes to Slack only, whatever a delivery says.
func TestResponseURLsOfOthers(t *testing.T) {
	t.Parallel()
	hits := make(chan string, 10)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { hits <- q.URL.Path }))
	t.Cleanup(elsewhere.Close)
	r := newRig(t, slackfake.WithEvents("none")).startHTTP()
	r.fake.SetMember(general, false)
	for _, url := range []string{
		elsewhere.URL + "/x", "http://hooks.slack.com/x", "https://hooks.slack.com.evil.example/x", "https://a@hooks.slack.com/x",
		"https://evil.example/hooks.slack.com", "file:///etc/passwd", "%", "",
		strings.Replace(r.fake.URL, "http:", "https:", 1) + "/response/1", r.fake.URL + " " + elsewhere.URL,
	} {
		if via := slack.Via(r.ch, bob, url); via != "" {
			t.Errorf("%q is kept as %q", url, via)
		}
		forged := fmt.Sprintf("%s %d %s", bob, time.Now().Add(time.Hour).Unix(), url)
		for _, to := range []channels.UserID{"", bob} {
			m := &channels.Outbound{Conversation: at(general, ""), Via: forged, To: to, Text: "a secret"}
			if e := refusal(t, second(r.send(m))); !e.Terminal {
				t.Errorf("%q: %+v", url, e)
			}
		}
	}
	for _, url := range []string{"https://hooks.slack.com/commands/T1/2/x", "https://HOOKS.slack.com/actions/T1/2/x", r.fake.URL + "/response/1"} {
		if slack.Via(r.ch, bob, url) == "" {
			t.Errorf("%q is not kept", url)
		}
	}
	old := fmt.Sprintf("%s %d %s/response/1", bob, time.Now().Add(-time.Second).Unix(), r.fake.URL)
	if e := refusal(t, second(r.send(&channels.Outbound{Conversation: at(general, ""), Via: old, Text: "late"}))); !e.Gone {
		t.Errorf("got %+v", e)
	}
	select {
	case path := <-hits:
		t.Errorf("%s was called", path)
	default:
	}
	if n := len(r.fake.Calls("response_url")); n != 0 {
		t.Errorf("%d uses", n)
	}
}

func TestRedirectOfAResponseURLIsNotFollowed(t *testing.T) {
	t.Parallel()
	hit := false
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/hook":
			http.Redirect(w, q, srv.URL+"/elsewhere", http.StatusTemporaryRedirect)
		case "/elsewhere":
			hit = true
		default:
			_, _ = w.Write([]byte(`{"ok":false,"error":"not_in_channel"}`))
		}
	}))
	t.Cleanup(srv.Close)
	r := newRig(t)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": srv.URL})
	m := &channels.Outbound{Conversation: at(general, ""), Via: slack.Via(r.ch, bob, srv.URL+"/hook"), Text: "a secret"}
	if e := refusal(t, second(r.send(m))); !e.Terminal || hit {
		t.Errorf("got %+v, followed %v", e, hit)
	}
}

func TestResponseURLIsNotInErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.Contains(q.URL.Path, "CANARY") {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(`{"ok":false,"error":"not_in_channel"}`))
	}))
	t.Cleanup(srv.Close)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": srv.URL})
	for _, to := range []channels.UserID{"", bob} {
		m := &channels.Outbound{Conversation: at(general, ""), Via: slack.Via(r.ch, bob, srv.URL+"/CANARY"), To: to, Text: "x"}
		if e := refusal(t, second(r.send(m))); e.NotTaken || strings.Contains(e.Error(), "CANARY") {
			t.Errorf("got %+v: %v", e, e)
		}
	}
	if strings.Contains(r.log.String(), "CANARY") {
		t.Errorf("the log:\n%s", r.log)
	}
}

func TestFormsKeepTheResponseURLOfTheirPress(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.WithEvents("none")).start()
	r.press(general, r.mustSend(card()), "l2:0:1", "")
	r.until(func() bool { return r.fake.View("") != nil }, "the form is open")
	r.fake.Must(r.fake.Submit(r.fake.View("")["id"].(string), bob, map[string]map[string]string{"answer": {"text": "so"}}))
	in := r.next()
	if *in.Action != (channels.Action{Token: channeltest.Token(2), Answer: "so"}) {
		t.Errorf("received %+v", in.Action)
	}
	r.mustSend(&channels.Outbound{Conversation: in.Conversation, Via: in.Via, To: in.Sender.ID, Text: "kept"})
	if len(r.fake.Calls("response_url")) != 1 || len(r.whispered(general)) != 1 {
		t.Errorf("Bob sees %q", r.whispered(general))
	}
}
