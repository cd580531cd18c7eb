package bot

import (
	"cmp"
	"context"
	"strings"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
)

// Added tells that the bot was added to a chat: it says hello with a card that sets the chat up, so that nobody has to
// look for words or ids. The event's key keeps one that is told again from being shown again.
func (r *Router) Added(ctx context.Context, eventKey string, at channels.Conversation, by channels.Sender) error {
	r.cfg.Log.Info("added to a chat", "channel", at.Channel, "chat", at.Chat, "user", by.ID)
	e, err := r.cfg.Places.At(ctx, at)
	if err != nil {
		return err
	}
	return r.cfg.Outbox.Post(ctx, r.cfg.Tenant, "", channels.Outbound{
		Key: "setup/" + at.Channel + "/" + eventKey, Conversation: at, Card: setupCard(e), Buttons: setupButtons(),
	})
}

func setupCard(e *place.Effective) *channels.Card {
	var lists []string
	for _, rule := range e.Tools() {
		lists = append(lists, rule.String())
	}
	return &channels.Card{
		Title: "Hello, I am this team's lead agent",
		Body: "Mention me and say what you need: I plan work, answer questions and use tools. " +
			"An admin can set me up for this chat here, or change it later with `topic` and `tools`.",
		Fields: []channels.Field{
			{Name: "Who may talk to me", Value: map[place.Who]string{
				place.Members: "people who were let in", place.Everyone: "everyone here", place.Listed: "some people; see `topic`",
			}[e.Who()]},
			{Name: "I answer", Value: map[place.Answer]string{
				place.Mention: "when I am mentioned", place.Always: "always",
			}[e.Answer()]},
			{Name: "Tools", Value: channels.Literal(cmp.Or(strings.Join(lists, "; "), place.ToolList{}.String()))},
		},
	}
}

// setupButtons are the words of `topic` and `tools` for the whole chat, in plain words.
func setupButtons() [][]channels.Button {
	topic := func(text, word string, options ...channels.Option) channels.Button {
		return channels.Button{Text: text, Command: channels.Command{Name: "topic", Args: word}, Options: options}
	}
	return [][]channels.Button{
		{topic("Who may talk to me", "who",
			channels.Option{Text: "People who were let in", Value: "members --chat"},
			channels.Option{Text: "Everyone here", Value: "everyone --chat"})},
		{topic("When I answer", "answer",
			channels.Option{Text: "When I am mentioned", Value: "mention --chat"},
			channels.Option{Text: "Always", Value: "always --chat"})},
		{{Text: "Tools", Command: channels.Command{Name: "tools"}, Options: []channels.Option{
			{Text: "All that I have", Value: "reset --chat"},
			{Text: "Chat only, no tools", Value: "only none --chat"},
			{Text: "Research: the web, and files to read", Value: "only group:web read_file list_files --chat"},
			{Text: "Media, the web and files", Value: "only group:media group:web group:fs --chat"},
		}}},
	}
}
