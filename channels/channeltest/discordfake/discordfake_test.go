package discordfake_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// do sends a JSON request as the bot.
func do(t *testing.T, s *discordfake.Server, verb, path, body string) (int, fakekit.Object) {
	t.Helper()
	req, err := http.NewRequest(verb, s.APIBase()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("User-Agent", "DiscordBot (https://example.com, 1)")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return send(t, req)
}

func send(t *testing.T, req *http.Request) (int, fakekit.Object) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out fakekit.Object
	json.NewDecoder(resp.Body).Decode(&out) //nolint:errcheck // may be empty
	return resp.StatusCode, out
}

// needSpec skips a test that checks something against the OpenAPI document.
func needSpec(t *testing.T) {
	t.Helper()
	if _, err := specs.Find(specs.Discord); errors.Is(err, specs.ErrNotFound) {
		t.Skip("needs the OpenAPI document of Discord, which was not found")
	}
}

func TestViolations(t *testing.T) {
	// Other rules stand in the document only.
	builtin := []string{"fine", "unknown operation", "wrong verb"}
	messages := "/channels/" + textID + "/messages"
	for _, tc := range []struct {
		name, verb, path, body string
		status                 int
		want                   string // violation, "" for none
	}{
		{"fine", "POST", messages, `{"content":"hi"}`, 200, ""},
		{"unknown operation", "POST", "/channels/" + textID + "/message", `{}`, 404, "unknown operation"},
		{"wrong verb", "PUT", messages, `{}`, 405, "unknown operation"},
		{"unknown property", "POST", messages, `{"content":"hi","text":"hi"}`, 200, `unknown property "text"`},
		{"wrong type", "POST", messages, `{"content":5}`, 400, "body.content: 5 is not of type string or null"},
		{"bad snowflake", "GET", "/channels/general", "", 400, "does not match"},
		{"too many embeds", "POST", messages, `{"embeds":[` + strings.Repeat(`{"title":"x"},`, 10) + `{"title":"x"}]}`, 400, "must have 10 or fewer items"},
		{"bad button", "POST", messages, `{"content":"x","components":[{"type":1,"components":[{"type":2,"label":"x"}]}]}`, 400, `missing required property "style"`},
		{"long label", "POST", messages, `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"` + strings.Repeat("l", 81) + `"}]}]}`, 400, "must be 80 or fewer"},
		{"bad command name", "PUT", "/applications/1080000000000000001/commands", `[{"name":"` + strings.Repeat("n", 33) + `","description":"d"}]`, 400, "must be 32 or fewer"},
		{"unknown query", "GET", messages + "?count=3", "", 200, `unknown query parameter "count"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !slices.Contains(builtin, tc.name) {
				needSpec(t)
			}
			s := newServer(t, discordfake.Lenient())
			status, body := do(t, s, tc.verb, tc.path, tc.body)
			if status != tc.status {
				t.Errorf("status %d, want %d: %v", status, tc.status, body)
			}
			got := s.Violations()
			if tc.want == "" {
				if len(got) > 0 {
					t.Errorf("violations %v", got)
				}
			} else if len(got) == 0 || !strings.Contains(got[0].Message, tc.want) {
				t.Errorf("violations %v, want %q", got, tc.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := newServer(t)
	messages := "/channels/" + textID + "/messages"
	for _, tc := range []struct {
		body string
		code float64
	}{
		{`{"content":"` + strings.Repeat("a", 2000) + `"}`, 0},
		{`{"content":"` + strings.Repeat("a", 2001) + `"}`, 50035},
		{`{"content":""}`, 50006},
		{`{"content":"x","flags":32768}`, 50035},
		{`{"flags":32768,"components":[{"type":10,"content":"components v2"}]}`, 0},
		{`{"content":"x","message_reference":{"message_id":"1"}}`, 50035},
		{`{"content":"x","message_reference":{"message_id":"1","fail_if_not_exists":false}}`, 0},
	} {
		_, body := do(t, s, "POST", messages, tc.body)
		if code, _ := body["code"].(float64); code != tc.code {
			t.Errorf("%.60s: %v, want code %v", tc.body, body, tc.code)
		}
	}
	// A repeated nonce does not post again.
	_, first := do(t, s, "POST", messages, `{"content":"once","nonce":"n1","enforce_nonce":true}`)
	_, second := do(t, s, "POST", messages, `{"content":"once","nonce":"n1","enforce_nonce":true}`)
	if first["id"] == nil || first["id"] != second["id"] {
		t.Errorf("nonce: %v and %v", first["id"], second["id"])
	}
}

func TestFileLimit(t *testing.T) {
	s := newServer(t, discordfake.Lenient())
	var buf bytes.Buffer
	mw := multipart.NewWriter(&buf)
	must(0, mw.WriteField("payload_json", `{"attachments":[{"id":0,"filename":"big"}]}`))
	must(must(mw.CreateFormFile("files[0]", "big")).Write(make([]byte, discordfake.MaxFile+1)))
	mw.Close()
	req := must(http.NewRequest(http.MethodPost, s.APIBase()+"/channels/"+textID+"/messages", &buf))
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("Content-Type", mw.FormDataContentType())
	if status, body := send(t, req); status != http.StatusBadRequest || len(s.Violations()) != 1 {
		t.Errorf("%d %v %v", status, body, s.Violations())
	}
}

func TestInteractionDeadline(t *testing.T) {
	s := newServer(t, discordfake.Lenient(), discordfake.WithAckTimeout(50*time.Millisecond), discordfake.WithTokenLife(300*time.Millisecond))
	got := make(chan *discordgo.InteractionCreate, 10)
	dg := newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { got <- i })
	})
	must(dg.ApplicationCommandCreate(s.AppID(), "", &discordgo.ApplicationCommand{Name: "slow", Description: "d"}))
	must(s.UseCommand(discordfake.Command{ChannelID: textID, Name: "slow"}))
	i := receive(t, got)
	time.Sleep(100 * time.Millisecond)
	ack := &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	if err := dg.InteractionRespond(i.Interaction, ack); err == nil || !strings.Contains(err.Error(), "10062") {
		t.Errorf("late response: %v", err)
	}
	if v := s.Violations(); len(v) != 1 || !strings.Contains(v[0].Message, "was not answered") {
		t.Errorf("violations %v", v)
	}
	// After the token's life, answers are refused.
	must(s.UseCommand(discordfake.Command{ChannelID: textID, Name: "slow"}))
	i = receive(t, got)
	must(0, dg.InteractionRespond(i.Interaction, ack))
	time.Sleep(350 * time.Millisecond)
	content := "late"
	if _, err := dg.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &content}); err == nil || !strings.Contains(err.Error(), "50027") {
		t.Errorf("expired token: %v", err)
	}
}

// TestResponsesConform checks what the fake answers against the document.
func TestResponsesConform(t *testing.T) {
	needSpec(t)
	s := newServer(t)
	dg := newSession(t, s)
	m := must(dg.ChannelMessageSendComplex(textID, &discordgo.MessageSend{
		Content: "x", Embeds: []*discordgo.MessageEmbed{{Title: "t", Description: "d"}},
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.Button{Label: "OK", CustomID: "ok", Style: discordgo.PrimaryButton}}}},
		Files:      []*discordgo.File{{Name: "a.txt", ContentType: "text/plain", Reader: strings.NewReader("a")}},
	}))
	must(dg.ChannelMessageEdit(textID, m.ID, "y"))
	must(dg.ChannelMessage(textID, m.ID))
	must(dg.ChannelMessages(textID, 5, "", "", ""))
	must(dg.MessageThreadStart(textID, m.ID, "t", 60))
	must(dg.ForumThreadStart(forumID, "p", 60, "first"))
	must(dg.Channel(textID))
	must(dg.GuildChannels(guildID))
	must(dg.GuildMember(guildID, s.AppID()))
	must(dg.UserChannelCreate("5"))
	must(dg.User("@me"))
	must(dg.GatewayBot())
	must(dg.ApplicationCommandCreate(s.AppID(), "", &discordgo.ApplicationCommand{Name: "c", Description: "d"}))
	must(dg.ApplicationCommands(s.AppID(), ""))
	must(dg.ApplicationCommandBulkOverwrite(s.AppID(), guildID, []*discordgo.ApplicationCommand{{Name: "c", Description: "d"}}))
	seen := map[string]bool{}
	for _, call := range s.Calls("") {
		if strings.HasPrefix(call.Method, "GATEWAY") || call.Status == http.StatusNoContent {
			continue
		}
		for _, p := range s.CheckResponse(call) {
			// A new post is answered with its first message, which the
			// document leaves out.
			if !seen[call.Method+p] && !strings.Contains(p, `"message"`) {
				seen[call.Method+p] = true
				t.Errorf("%s: %s", call.Method, p)
			}
		}
	}
}

func TestFaultOfOneChannel(t *testing.T) {
	s := newServer(t)
	s.Inject(fakekit.Fault{Chat: textID, RetryAfter: fakekit.Duration(time.Second), Times: -1})
	for id, want := range map[string]int{textID: http.StatusTooManyRequests, forumID: http.StatusOK} {
		if status, body := do(t, s, http.MethodGet, "/channels/"+id, ""); status != want {
			t.Errorf("%s: %d %v, want %d", id, status, body, want)
		}
	}
}

func TestNamedDirectoryWithoutDescriptions(t *testing.T) {
	t.Setenv(specs.EnvDir, t.TempDir())
	if _, err := discordfake.Start(); err == nil || !strings.Contains(err.Error(), specs.EnvDir) {
		t.Errorf("got %v, want an error that names %s", err, specs.EnvDir)
	}
}

func TestWithoutDescriptions(t *testing.T) {
	t.Setenv(specs.EnvDir, "")
	t.Chdir("/")
	s := newServer(t, discordfake.Lenient())
	s.HandleFunc("GET /voice/regions", func(fakekit.Call) (any, error) { return []any{}, nil })
	messages := "/channels/" + textID + "/messages"
	for _, step := range []struct {
		verb, path, body string
		status           int
	}{
		{http.MethodPost, messages, `{"content":"x"}`, http.StatusOK},
		{http.MethodPost, messages, `{"content":"` + strings.Repeat("x", 2001) + `"}`, http.StatusBadRequest},
		{http.MethodPost, messages, `{"content"`, http.StatusBadRequest},
		{http.MethodPost, "/channels/" + textID + "/threads", `{"name":"t","type":11}`, http.StatusCreated},
		{http.MethodPost, "/channels/" + textID + "/typing", "", http.StatusNoContent},
		{http.MethodGet, "/voice/regions", "", http.StatusOK},
		{http.MethodGet, "/voice", "", http.StatusNotFound},
		{http.MethodPut, messages, `{}`, http.StatusMethodNotAllowed},
	} {
		if status, body := do(t, s, step.verb, step.path, step.body); status != step.status {
			t.Errorf("%s %s: %d %v, want %d", step.verb, step.path, status, body, step.status)
		}
	}
	req := must(http.NewRequest(http.MethodGet, s.APIBase()+"/channels/"+textID, nil))
	if status, body := send(t, req); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d %v", status, body)
	}
}
