package discordfake_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const laidOut = `"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"x"}]}]`

func TestLaidOutMessages(t *testing.T) {
	s := newServer(t, discordfake.Lenient())
	messages := "/channels/" + textID + "/messages"
	post := func(body string) string {
		t.Helper()
		status, m := do(t, s, "POST", messages, body)
		if status != http.StatusOK {
			t.Fatalf("%d: %v", status, m)
		}
		return messages + "/" + fakekit.Text(m["id"])
	}
	texts := func(n, length int) string {
		text := fmt.Sprintf(`{"type":10,"content":%q}`, strings.Repeat("x", length))
		return `{"flags":32768,"components":[` + strings.TrimSuffix(strings.Repeat(text+",", n), ",") + `]}`
	}
	shown := post("{" + laidOut + "}")
	plain, empty := post(`{"content":"x"}`), post(`{"content":"x"}`)
	embedded := post(`{"embeds":[{"description":"x"}]}`)
	for _, tc := range []struct {
		name, verb, path, body string
		status                 int
	}{
		{"with a text", "POST", messages, `{"content":"x",` + laidOut + `}`, 400},
		{"with an empty text", "POST", messages, `{"content":"",` + laidOut + `}`, 400},
		{"with embeds", "POST", messages, `{"embeds":[{"description":"x"}],` + laidOut + `}`, 400},
		{"without the flag", "POST", messages, strings.Replace("{"+laidOut+"}", "32768", "0", 1), 400},
		{"as many as fit", "POST", messages, texts(40, 100), 200},
		{"too many components", "POST", messages, texts(41, 1), 400},
		{"too much text", "POST", messages, texts(3, 1334), 400},
		{"changed to text", "PATCH", shown, `{"content":"x"}`, 400},
		{"flag taken away", "PATCH", shown, `{"content":"x","flags":0}`, 400},
		{"changed", "PATCH", shown, `{"content":null,"embeds":[],` + laidOut + `}`, 200},
		{"instead of a text that stays", "PATCH", plain, `{` + laidOut + `}`, 400},
		{"instead of a text", "PATCH", plain, `{"content":null,` + laidOut + `}`, 200},
		{"instead of a text, emptied", "PATCH", empty, `{"content":"",` + laidOut + `}`, 400},
		{"instead of embeds, with null", "PATCH", embedded, `{"embeds":null,` + laidOut + `}`, 400},
		{"instead of embeds", "PATCH", embedded, `{"embeds":[],` + laidOut + `}`, 200},
	} {
		if status, out := do(t, s, tc.verb, tc.path, tc.body); status != tc.status {
			t.Errorf("%s: %d, want %d: %v", tc.name, status, tc.status, out)
		}
	}
}

func TestDeletions(t *testing.T) {
	s := newServer(t)
	gone := make(chan string, 10)
	newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDelete) { gone <- e.ID })
		dg.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDeleteBulk) { gone <- strings.Join(e.Messages, ",") })
	})
	var ids []string
	for range 3 {
		m := must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "x"}))
		ids = append(ids, fakekit.Text(m["id"]))
	}
	s.Must(s.DeleteMessage(textID, ids[0]))
	if id := receive(t, gone); id != ids[0] {
		t.Errorf("deleted %s", id)
	}
	body := fmt.Sprintf(`{"messages":[%q,%q]}`, ids[1], ids[2])
	if status, out := do(t, s, "POST", "/channels/"+textID+"/messages/bulk-delete", body); status != http.StatusNoContent {
		t.Fatalf("%d: %v", status, out)
	}
	if all := receive(t, gone); all != ids[1]+","+ids[2] || len(s.Messages(textID)) != 0 {
		t.Errorf("deleted %s", all)
	}
	if s.DeleteMessage(textID, ids[0]) == nil {
		t.Error("deleted what is not there")
	}
}

func TestCommandsOfMessages(t *testing.T) {
	s := newServer(t)
	used := make(chan *discordgo.InteractionCreate, 10)
	dg := newSession(t, s, func(dg *discordgo.Session) {
		dg.AddHandler(func(_ *discordgo.Session, e *discordgo.InteractionCreate) { used <- e })
	})
	must(dg.ApplicationCommandBulkOverwrite(s.AppID(), "", []*discordgo.ApplicationCommand{
		{Type: discordgo.MessageApplicationCommand, Name: "Make a task"},
	}))
	m := must(s.SendMessage(discordfake.Incoming{ChannelID: textID, Content: "broken"}))
	id := fakekit.Text(m["id"])
	for _, name := range []string{"Other", "Make a task"} {
		_, err := s.UseMessageCommand(textID, id, name, discordfake.User("501", "ann"))
		if (err == nil) != (name == "Make a task") {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := receive(t, used)
	data := e.ApplicationCommandData()
	if data.TargetID != id || data.Resolved.Messages[id].Content != "broken" {
		t.Errorf("used %+v", data)
	}
	s.Must(dg.InteractionRespond(e.Interaction, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: "only you", Flags: discordgo.MessageFlagsEphemeral},
	}))
	if got := s.Private(textID, "501"); len(got) != 1 || got[0]["content"] != "only you" || len(s.Private(textID, "502")) != 0 {
		t.Errorf("shown %v", got)
	}
}
