package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	Token   string           `json:"token"`
	Chat    channels.ChatID  `json:"chat"`
	Topic   channels.TopicID `json:"topic,omitempty"`
	Message string           `json:"message"`
	Via     string           `json:"via,omitempty"` // of the press: Slack gives none with the form
}

// ask opens a form. Slack gives three seconds for it.
func (c *Channel) ask(ctx context.Context, p *interaction, token, question string) {
	to := p.spot()
	conv := c.conversation(c.teamOf(p), to.chat, to.thread)
	kept, err := json.Marshal(asking{token, conv.Chat, conv.Topic, string(p.messageID()), c.viaOf(p.User.ID, p.Respond)})
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
	if f, failed := errors.AsType[*failure](err); failed && ctx.Err() == nil && f.channelError(f.method).NotTaken {
		c.env.Log.Warn("a form could not be opened", "err", err)
		c.whisper(ctx, p, "The form did not open. Please press the button again.")
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
	if err != nil || p.View.ID == "" {
		return job{}, errIncomplete
	}
	pressed, known := channels.Pressed(kept.Token)
	answer := strings.TrimSpace(p.View.State.Values[askBlock][askField].Value)
	return job{to.chat, func(ctx context.Context) (reply, error) {
		switch {
		case !known:
			return reply{payload: complaint("This form does not work any more.")}, nil
		case answer == "":
			return reply{payload: complaint("Please write something.")}, nil
		}
		in := c.pressed(p)
		in.ID, in.EventKey = channels.MessageID(kept.Message), "v:"+p.View.ID
		in.Conversation.Chat, in.Conversation.Topic, in.Direct = kept.Chat, kept.Topic, direct(to.chat)
		in.Action, in.Via = &channels.Action{Token: pressed.Token, Answer: answer}, kept.Via
		c.asked(to.chat, in.ID, asker{p.User.ID, cmp.Or(p.User.Team, c.teamOf(p))})
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
