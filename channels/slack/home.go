package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	slackgo "github.com/slack-go/slack"
)

// showHome publishes the bot's page, unless a person sees it already. Slack asks at every visit.
func (c *Channel) showHome(ctx context.Context, e *homeOpened) {
	if e.User == "" || e.Tab != "" && e.Tab != "home" {
		return
	}
	page := c.home()
	if e.View != nil && e.View.PrivateMetadata == page.PrivateMetadata {
		return
	}
	request := slackgo.PublishViewContextRequest{UserID: e.User, View: page}
	if e.View != nil && e.View.Hash != "" {
		request.Hash = &e.View.Hash
	}
	err := c.api.call(ctx, "views.publish", "", func(ctx context.Context) error {
		_, err := c.api.PublishViewContext(ctx, request)
		return err
	})
	if f, failed := errors.AsType[*failure](err); failed && !f.is("hash_conflict") && ctx.Err() == nil {
		c.env.Log.Warn("the page of the bot could not be shown", "err", err)
	}
}

// home is the bot's page: what it is and what it understands. Its metadata is the same as long as it is.
func (c *Channel) home() slackgo.HomeTabViewRequest {
	text := func(s string) slackgo.Block {
		return slackgo.NewSectionBlock(slackgo.NewTextBlockObject(slackgo.MarkdownType, cut(s, 3000), false, false), nil, nil)
	}
	blocks := []slackgo.Block{
		slackgo.NewHeaderBlock(plainText("Your team's lead agent", maxHeader)),
		text("I plan work, give it to teammates, ask before risky steps and answer questions. " +
			"Mention me in a channel and I answer in a thread, or write to me in Messages."),
	}
	if len(c.env.Commands) > 0 {
		list := "*What I understand*, after a mention of me or after `/lead`:"
		for _, info := range c.env.Commands {
			list += "\n• `" + escape(info.Name) + "` – " + escape(info.Help)
		}
		blocks = append(blocks, slackgo.NewDividerBlock(), text(list))
	}
	page := slackgo.HomeTabViewRequest{Type: slackgo.VTHomeTab, Blocks: slackgo.Blocks{BlockSet: blocks}}
	if data, err := json.Marshal(page); err == nil {
		sum := sha256.Sum256(data)
		page.PrivateMetadata = "page:" + hex.EncodeToString(sum[:8])
	}
	return page
}

// suggest shows what a person could ask in a new thread with the bot.
func (c *Channel) suggest(ctx context.Context, e *assistantStarted) {
	if e.Thread.Channel == "" || !isTS(e.Thread.TS) {
		c.leaveOut("assistant_thread_started", errIncomplete)
		return
	}
	prompts := slackgo.AssistantThreadsSetSuggestedPromptsParameters{
		ChannelID: e.Thread.Channel, ThreadTS: e.Thread.TS, Title: "For a start",
	}
	prompts.AddPrompt("What can you do?", "What can you do here, and what do you need from me?")
	prompts.AddPrompt("Plan some work", "Help me plan a piece of work and split it into tasks.")
	prompts.AddPrompt("What is waiting on me?", "What is waiting on me?")
	err := c.api.call(ctx, "assistant.threads.setSuggestedPrompts", e.Thread.Channel, func(ctx context.Context) error {
		return c.api.SetAssistantThreadsSuggestedPromptsContext(ctx, prompts)
	})
	if err != nil && ctx.Err() == nil {
		c.env.Log.Debug("suggest what to ask", "err", err)
	}
}
