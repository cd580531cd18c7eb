package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// The form that asks a question has one field.
const (
	askForm    = "lead_ask"
	askBlock   = "answer"
	askField   = "text"
	maxAnswer  = 3000 // characters
	maxTitle   = 24
	maxLabel   = 2000
	formAnswer = "response_action"
)

// asking is what a form remembers of the button that opened it.
type asking struct {
	Command channels.Command `json:"command"`
	Chat    channels.ChatID  `json:"chat"`
	Topic   channels.TopicID `json:"topic,omitempty"`
	Message string           `json:"message"`
}

// ask opens a form. Slack gives three seconds for it.
func (c *Channel) ask(ctx context.Context, p *interaction, cmd *channels.Command, question string) {
	to := p.spot()
	conv := c.conversation(p.team(), to.chat, to.thread)
	kept, err := json.Marshal(asking{*cmd, conv.Chat, conv.Topic, string(p.messageID())})
	if err != nil { // texts always can be
		return
	}
	field := slackgo.NewPlainTextInputBlockElement(nil, askField)
	field.Multiline, field.MaxLength = true, maxAnswer
	form := slackgo.ModalViewRequest{
		Type: slackgo.VTModal, CallbackID: askForm, PrivateMetadata: string(kept), Title: plainText("Your answer", maxTitle),
		Submit: plainText("Send", maxTitle), Close: plainText("Cancel", maxTitle),
		Blocks: slackgo.Blocks{BlockSet: []slackgo.Block{
			slackgo.NewInputBlock(askBlock, plainText(question, maxLabel), nil, field),
		}},
	}
	err = c.api.call(ctx, "views.open", "", func(ctx context.Context) error {
		_, err := c.api.OpenViewContext(ctx, p.Trigger, form)
		return err
	})
	if err != nil && ctx.Err() == nil {
		c.env.Log.Warn("a form could not be opened", "err", err)
		c.whisper(ctx, to, p.User.ID, "The form did not open. Please press the button again.")
	}
}

// submissionJob is about a form that was sent. Slack is told in the acknowledgement how it went: the form closes, or
// stays with what was written in it.
func (c *Channel) submissionJob(r *running, p *interaction, patience time.Duration) (job, error) {
	if p.View == nil || p.View.CallbackID != askForm {
		return job{}, nil
	}
	kept, err := decode[asking]([]byte(p.View.PrivateMetadata))
	if err != nil {
		return job{}, err
	}
	to, err := spotOf(channels.Conversation{Chat: kept.Chat, Topic: kept.Topic})
	if err != nil || kept.Command.Name == "" || p.View.ID == "" {
		return job{}, errIncomplete
	}
	answer := strings.TrimSpace(p.View.State.Values[askBlock][askField].Value)
	return job{to.chat, func(ctx context.Context) (reply, error) {
		if answer == "" {
			return reply{payload: complaint("Please write something.")}, nil
		}
		in := c.pressed(p)
		in.ID, in.EventKey = channels.MessageID(kept.Message), "v:"+p.View.ID
		in.Conversation.Chat, in.Conversation.Topic, in.Direct = kept.Chat, kept.Topic, direct(to.chat)
		in.Command = &channels.Command{
			Name: kept.Command.Name, Args: strings.TrimSpace(kept.Command.Args + " " + answer),
		}
		c.askers.keep(to.chat, in.ID, asker{p.User.ID, cmp.Or(p.User.Team, p.team())})
		if c.store(ctx, r, in, patience) != nil {
			return reply{payload: complaint(sorry)}, nil
		}
		return reply{}, nil
	}}, nil
}

// complaint keeps a form open and shows why.
func complaint(text string) map[string]any {
	return map[string]any{formAnswer: "errors", "errors": map[string]string{askBlock: text}}
}
