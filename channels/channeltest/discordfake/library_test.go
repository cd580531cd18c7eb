package discordfake_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const (
	guildID = "1080000000000000100"
	textID  = "1080000000000000101"
	forumID = "1080000000000000102"
)

func newServer(t *testing.T, opts ...discordfake.Option) *discordfake.Server {
	s := discordfake.New(t, opts...)
	s.AddGuild(discordfake.Guild{ID: guildID, Name: "Ops", Channels: []discordfake.Channel{
		{ID: textID, Name: "general", Type: discordfake.TextChannel}, {ID: forumID, Name: "incidents", Type: discordfake.ForumChannel},
	}})
	return s
}

// newSession connects discordgo to the fake. Its endpoints are package
// variables, but a transport that redirects requests needs none of them; the
// gateway's address comes from GET /gateway.
func newSession(t *testing.T, s *discordfake.Server, setup ...func(*discordgo.Session)) *discordgo.Session {
	t.Helper()
	dg, err := discordgo.New("Bot " + s.Token)
	if err != nil {
		t.Fatal(err)
	}
	dg.Client = &http.Client{Transport: s.Transport(), Timeout: 20 * time.Second}
	dg.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages | discordgo.IntentMessageContent
	for _, f := range setup {
		f(dg)
	}
	if err := dg.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dg.Close() }) // fails if the server is gone
	return dg
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing received")
		panic("unreachable")
	}
}

func TestMessageAndReply(t *testing.T) {
	s := newServer(t)
	got := make(chan *discordgo.MessageCreate, 10)
	dg := newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { got <- m })
	})
	sent := must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "hello <@" + s.AppID() + ">", Files: map[string]string{"a.txt": "attached"}}))
	m := receive(t, got)
	if m.ID != sent["id"] || len(m.Mentions) != 1 || m.GuildID != guildID || m.Author.Bot {
		t.Fatalf("message %+v", m.Message)
	}
	res := must(dg.Client.Get(m.Attachments[0].URL))
	defer res.Body.Close()
	if data := must(io.ReadAll(res.Body)); string(data) != "attached" {
		t.Errorf("attachment %q", data)
	}
	reply := must(dg.ChannelMessageSendComplex(m.ChannelID, &discordgo.MessageSend{
		Content: "hi @everyone", Reference: m.Reference(), AllowedMentions: &discordgo.MessageAllowedMentions{},
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "OK", CustomID: "ok", Style: discordgo.PrimaryButton}}}},
		Files:      []*discordgo.File{{Name: "log.txt", Reader: strings.NewReader("log")}},
	}))
	if reply.MessageReference == nil || reply.MentionEveryone || len(reply.Attachments) != 1 {
		t.Errorf("reply %+v", reply)
	}
	// The bot gets its own messages too.
	if own := receive(t, got); own.ID != reply.ID || own.Author.ID != s.AppID() {
		t.Errorf("own message %+v", own.Message)
	}
	must(dg.ChannelMessageEdit(m.ChannelID, reply.ID, "edited"))
	must(0, dg.MessageReactionAdd(m.ChannelID, m.ID, "👀"))
	must(0, dg.ChannelTyping(m.ChannelID))
	must(dg.ChannelMessages(m.ChannelID, 10, "", "", ""))
	must(0, dg.ChannelMessageDelete(m.ChannelID, reply.ID))
}

func TestThreads(t *testing.T) {
	s := newServer(t)
	got := make(chan *discordgo.MessageCreate, 10)
	dg := newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { got <- m })
	})
	sent := must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "start"}))
	m := receive(t, got)
	th := must(dg.MessageThreadStart(m.ChannelID, m.ID, "topic", 60))
	if th.ID != sent["id"] || th.ParentID != textID || th.Type != discordgo.ChannelTypeGuildPublicThread {
		t.Errorf("thread %+v", th)
	}
	must(dg.ChannelMessageSend(th.ID, "in the thread"))
	receive(t, got)
	must(s.SendMessage(discordfake.Incoming{ChannelID: th.ID, Content: "answer"}))
	if m := receive(t, got); m.ChannelID != th.ID {
		t.Errorf("channel %s", m.ChannelID)
	}
	post := must(dg.ForumThreadStart(forumID, "incident 12", 60, "first message"))
	if post.ParentID != forumID {
		t.Errorf("post %+v", post)
	}
	if first := s.Messages(post.ID); len(first) != 1 || first[0]["id"] != post.ID {
		t.Errorf("first message %v", first)
	}
	// A message revives an archived thread, but not a locked one.
	s.ArchiveThread(th.ID, true, false)
	must(dg.ChannelMessageSend(th.ID, "again"))
	s.ArchiveThread(th.ID, true, true)
	var rest *discordgo.RESTError
	if _, err := dg.ChannelMessageSend(th.ID, "no"); !errors.As(err, &rest) || rest.Message.Code != 50083 {
		t.Errorf("locked thread: %v", err)
	}
}

func TestInteractions(t *testing.T) {
	s := newServer(t)
	got := make(chan *discordgo.InteractionCreate, 10)
	dg := newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { got <- i })
	})
	must(dg.ApplicationCommandBulkOverwrite(s.AppID(), guildID, []*discordgo.ApplicationCommand{{
		Name: "ask", Description: "Ask a question", Options: []*discordgo.ApplicationCommandOption{{Type: discordgo.ApplicationCommandOptionString, Name: "question", Description: "The question", Required: true}},
	}}))
	id := must(s.UseCommand(discordfake.Command{ChannelID: textID, Name: "ask", Options: []fakekit.Object{{"name": "question", "type": 3, "value": "why?"}}}))
	i := receive(t, got)
	if i.ID != id || i.ApplicationCommandData().Options[0].StringValue() != "why?" {
		t.Fatalf("interaction %+v", i.Interaction)
	}
	must(0, dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}))
	if err := dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}); err == nil {
		t.Error("a second response was accepted")
	}
	content := "because"
	components := []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "More", CustomID: "more", Style: discordgo.SecondaryButton}}}}
	m := must(dg.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &content, Components: &components}))
	must(dg.FollowupMessageCreate(i.Interaction, true, &discordgo.WebhookParams{Content: "psst", Flags: discordgo.MessageFlagsEphemeral}))
	if e := s.Ephemeral(id); len(e) != 1 || e[0]["content"] != "psst" {
		t.Errorf("ephemeral %v", e)
	}

	must(s.PressComponent(textID, m.ID, "more", nil))
	i = receive(t, got)
	if i.MessageComponentData().CustomID != "more" {
		t.Fatalf("component %+v", i.Interaction)
	}
	must(0, dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal, Data: &discordgo.InteractionResponseData{
		CustomID: "form", Title: "More", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{CustomID: "detail", Label: "Detail", Style: discordgo.TextInputShort}}}},
	}}))
	must(s.SubmitModal(i.ID, map[string]string{"detail": "yes"}))
	i = receive(t, got)
	if i.ModalSubmitData().CustomID != "form" {
		t.Fatalf("modal %+v", i.Interaction)
	}
	must(0, dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: &discordgo.InteractionResponseData{Content: "thanks"}}))
}

func TestRateLimits(t *testing.T) {
	s := newServer(t)
	dg := newSession(t, s)
	s.Inject(fakekit.Fault{Method: "POST /channels/{channel_id}/messages", RetryAfter: fakekit.Duration(200 * time.Millisecond)})
	start := time.Now()
	must(dg.ChannelMessageSend(textID, "waits and retries"))
	if d := time.Since(start); d < 200*time.Millisecond || len(s.Calls("POST /channels/{channel_id}/messages")) != 2 {
		t.Errorf("took %v and %d calls", d, len(s.Calls("POST /channels/{channel_id}/messages")))
	}
	// A global limit holds back other routes.
	s.Inject(fakekit.Fault{Method: "GET /users/@me", RetryAfter: fakekit.Duration(300 * time.Millisecond), Global: true})
	go dg.User("@me") //nolint:errcheck // retried
	s.Wait("GET /users/@me")
	time.Sleep(20 * time.Millisecond)
	start = time.Now()
	must(dg.ChannelMessageSend(textID, "held back"))
	if d := time.Since(start); d < 200*time.Millisecond {
		t.Errorf("not held back: %v", d)
	}
	// Without retries the error tells how long to wait.
	s.Inject(fakekit.Fault{Method: "POST /channels/{channel_id}/messages", RetryAfter: fakekit.Duration(250 * time.Millisecond)})
	var limited *discordgo.RateLimitError
	if _, err := dg.ChannelMessageSend(textID, "x", discordgo.WithRetryOnRatelimit(false)); !errors.As(err, &limited) || limited.RetryAfter != 250*time.Millisecond {
		t.Errorf("rate limit error: %v", err)
	}
	// Of the server errors only 502 is retried.
	s.Inject(fakekit.Fault{Method: "POST /channels/{channel_id}/messages", Status: 502})
	must(dg.ChannelMessageSend(textID, "after 502"))
	s.Inject(fakekit.Fault{Method: "POST /channels/{channel_id}/messages", Status: 500})
	if _, err := dg.ChannelMessageSend(textID, "after 500"); err == nil {
		t.Error("500 was retried")
	}
}

func TestReconnect(t *testing.T) {
	s := newServer(t)
	got := make(chan string, 100)
	resumed := make(chan bool, 10)
	newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { got <- m.Content })
		dg.AddHandler(func(_ *discordgo.Session, _ *discordgo.Resumed) { resumed <- true })
	})
	// discordgo sends a heartbeat as soon as it is connected. If that fails, it
	// may close the connection that has replaced the lost one, so every step
	// waits for the heartbeat.
	beats := 0
	settle := func() {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); s.Heartbeats() == beats; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("no heartbeat")
			}
		}
		beats = s.Heartbeats()
	}
	s.Wait("GATEWAY identify")
	settle()

	// A dropped connection is resumed and events are replayed.
	s.DropGateway()
	must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "missed"}))
	s.Wait("GATEWAY resume")
	if m := receive(t, got); m != "missed" {
		t.Errorf("got %q", m)
	}
	receive(t, resumed)
	settle()

	// So is one that Discord asks to renew.
	s.RequestReconnect()
	s.Wait("GATEWAY resume")
	receive(t, resumed)
	settle()

	// When resuming is refused the client identifies on the same connection.
	s.RefuseResume()
	s.DropGateway()
	s.Wait("GATEWAY resume")
	s.Wait("GATEWAY identify")
	must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "after"}))
	if m := receive(t, got); m != "after" {
		t.Errorf("got %q", m)
	}
}

func TestFatalCloseCodes(t *testing.T) {
	s := newServer(t, discordfake.DenyIntents(discordfake.IntentMessageContent))
	dg := must(discordgo.New("Bot " + s.Token))
	dg.Client = &http.Client{Transport: s.Transport()}
	dg.Identify.Intents = discordgo.IntentsGuildMessages | discordgo.IntentMessageContent
	if err := dg.Open(); err == nil || !strings.Contains(err.Error(), "4014") {
		t.Errorf("disallowed intent: %v", err)
	}
}

func TestMessageContentIntent(t *testing.T) {
	s := newServer(t)
	got := make(chan *discordgo.MessageCreate, 10)
	newSession(t, s, func(dg *discordgo.Session) {
		dg.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages
		dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { got <- m })
	})
	s.AddDM("1080000000000000200", discordfake.User("5", "ann"))
	for _, tc := range []struct{ channel, content, want string }{
		{textID, "not for the bot", ""},
		{textID, "for <@" + s.AppID() + ">", "for <@" + s.AppID() + ">"},
		{"1080000000000000200", "direct", "direct"},
	} {
		must(s.SendMessage(discordfake.Incoming{ChannelID: tc.channel, Content: tc.content}))
		if m := receive(t, got); m.Content != tc.want {
			t.Errorf("%q arrived as %q", tc.content, m.Content)
		}
	}
}
