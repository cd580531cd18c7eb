package discord

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

// meaning is what the use of a component or a command says.
type meaning struct {
	command  *channels.Command
	text     string // instead of a command
	question string // to ask before the command is given
}

// meant tells what was meant; ok is false when it is nothing of this program.
func (i *interaction) meant() (m meaning, ok bool) {
	switch i.Type {
	case usedCommand:
		return i.typed()
	case usedComponent:
		if m.command, m.question, ok = unpack(asksPrefix, i.Data.CustomID); ok {
			m.question = cmp.Or(strings.TrimSpace(m.question), "?")
			return m, true
		}
		if m.command, _, ok = unpack(actsPrefix, i.Data.CustomID); ok {
			m.command.Args = strings.TrimSpace(m.command.Args + " " + strings.Join(i.Data.Values, " "))
		}
	case usedModal:
		if m.command, _, ok = unpack(actsPrefix, i.Data.CustomID); ok {
			m.command.Args = strings.TrimSpace(m.command.Args + " " + answered(i.Data.Components))
		}
	}
	return m, ok
}

// typed is what a command line says: /lead stop all.
func (i *interaction) typed() (m meaning, ok bool) {
	if i.Data.Name != commandName || len(i.Data.Options) == 0 {
		return m, false
	}
	sub := i.Data.Options[0]
	text := ""
	for _, o := range sub.Options {
		if s, ok := o.Value.(string); ok && o.Name == textOption {
			text = strings.TrimSpace(s)
		}
	}
	if sub.Name == askCommand {
		return meaning{text: text}, text != ""
	}
	return meaning{command: &channels.Command{Name: sub.Name, Args: text}}, sub.Name != ""
}

// answered is what was written into a form.
func answered(parts []component) string {
	for _, p := range parts {
		if p.CustomID == answerInput {
			return strings.TrimSpace(p.Value)
		}
		if s := answered(p.Components); s != "" {
			return s
		}
	}
	return ""
}

// pressed makes a received message of what was used.
func (c *Channel) pressed(ctx context.Context, i *interaction, m meaning) (*channels.Inbound, error) {
	conv, direct, err := c.conversation(ctx, i.ChannelID)
	if err != nil {
		return nil, err
	}
	in := &channels.Inbound{
		ID: channels.MessageID(i.ID), EventKey: "i:" + i.ID, Conversation: conv, Sender: sender(i.who(), i.Member),
		Direct: direct, Mentioned: true, Text: m.text, Command: m.command, SentAt: time.Now().UTC(),
	}
	if i.Message != nil {
		in.ID = channels.MessageID(i.Message.ID)
	}
	return in, nil
}

// response is the answer to an interaction.
type response struct {
	Type int           `json:"type"`
	Data *responseData `json:"data,omitempty"`
}

type responseData struct {
	Content    string         `json:"content,omitempty"`
	Flags      int            `json:"flags,omitempty"`
	Mentions   *mentionPolicy `json:"allowed_mentions,omitempty"`
	CustomID   string         `json:"custom_id,omitempty"`
	Title      string         `json:"title,omitempty"`
	Components []component    `json:"components,omitempty"`
}

// Types of responses.
const (
	respondMessage = 4
	respondLater   = 6 // with a changed message, or nothing: nobody is shown that it is awaited
	respondForm    = 9
)

const (
	onlyForThem = 1 << 6 // the flag of a message that nobody else sees
	answerInput = "answer"
	paragraph   = 2    // the style of an input for several lines
	maxTitle    = 45   // characters of a form's title and of an input's label
	maxHint     = 100  // characters of the grey text in an input
	maxReply    = 1000 // characters of what people may answer
)

// answer is how the use of something is acknowledged.
func (i *interaction) answer(m meaning, ok bool) response {
	switch {
	case !ok:
		return whisper("This does not work any more.")
	case i.Type == usedCommand:
		return whisper("On it.")
	case m.question != "":
		return form(m)
	}
	return response{Type: respondLater}
}

// whisper is a text that only the person sees.
func whisper(text string) response {
	return response{respondMessage, &responseData{Content: text, Flags: onlyForThem, Mentions: noMentions}}
}

// form asks a question.
func form(m meaning) response {
	id, err := pack(actsPrefix, *m.command, "")
	if err != nil { // it was longer than any of ours
		return whisper("This does not work any more.")
	}
	input := component{
		Type: textInput, CustomID: answerInput, Style: paragraph, Label: cut(m.question, maxTitle), MaxLength: maxReply,
	}
	if input.Label != m.question {
		input.Placeholder = cut(m.question, maxHint)
	}
	return response{respondForm, &responseData{
		CustomID: id, Title: input.Label,
		Components: []component{{Type: rowOfComponents, Components: []component{input}}},
	}}
}

const answerTries = 3

// acknowledge answers an interaction. When it is too late, the person sees that, and what was meant holds all the same.
func (c *Channel) acknowledge(ctx context.Context, i *interaction, r response) {
	ctx, cancel := context.WithTimeout(ctx, c.timing.answer)
	defer cancel()
	for try := range answerTries {
		err := c.api.call(ctx, request{
			op: "answer interaction", verb: http.MethodPost, url: discordgo.EndpointInteractionResponse(i.ID, i.Token),
			body: r, answers: true,
		}, nil)
		f := asFailure(err)
		if err == nil || f.is(alreadyAnswered) {
			return
		}
		c.env.Log.Debug("answer an interaction", "message", i.ID, "try", try, "err", f)
		if ctx.Err() != nil || f.status >= http.StatusBadRequest && f.status < http.StatusInternalServerError {
			return
		}
		channels.Sleep(ctx, channels.Backoff(try, c.timing.retry, retryMax))
	}
}
