package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

// response is the first answer to an interaction.
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
	Choices    []suggestion   `json:"choices,omitzero"`
}

// Types of responses.
const (
	respondMessage = 4
	respondLater   = 6 // with a changed message, or nothing: nobody is shown that it is awaited
	respondChoices = 8
	respondForm    = 9
)

const (
	answerInput = "answer"
	paragraph   = 2    // the style of an input for several lines
	maxTitle    = 45   // characters of a form's title and of an input's label
	maxHint     = 100  // characters of the grey text in an input
	maxReply    = 1000 // characters of what people may answer
)

// answer is how the use of something is acknowledged.
func (m *meaning) answer(ok bool) response {
	switch {
	case !ok:
		return word("This does not work any more.", onlyForThem)
	case m.word == openWord:
		return word(firstWord, 0)
	case m.word == quietWord:
		return word(firstWord, onlyForThem)
	case m.question != "":
		return form(m)
	}
	return response{Type: respondLater}
}

func word(text string, flags int) response {
	return response{respondMessage, &responseData{Content: text, Flags: flags, Mentions: noMentions}}
}

// form asks a question. Its id is the token of the button.
func form(m *meaning) response {
	input := component{
		Type: textInput, CustomID: answerInput, Style: paragraph, Label: cut(m.question, maxTitle), MaxLength: maxReply,
	}
	if input.Label != m.question {
		input.Placeholder = cut(m.question, maxHint)
	}
	return response{respondForm, &responseData{
		CustomID: m.action.Token, Title: input.Label,
		Components: []component{{Type: rowOfComponents, Components: []component{input}}},
	}}
}

const answerTries = 3

// acknowledge answers an interaction and tells whether Discord took that. When it is too late, the person sees that,
// and what was meant holds all the same.
func (c *Channel) acknowledge(ctx context.Context, i *interaction, r response) bool {
	ctx, cancel := context.WithTimeout(ctx, c.timing.answer)
	defer cancel()
	for try := range answerTries {
		err := c.api.call(ctx, request{
			op: "answer interaction", verb: http.MethodPost, url: discordgo.EndpointInteractionResponse(i.ID, i.Token),
			body: r, answers: true,
		}, nil)
		f := asFailure(err)
		if err == nil || f.is(alreadyAnswered) {
			return true
		}
		c.env.Log.Debug("answer an interaction", "message", i.ID, "try", try, "err", f)
		if ctx.Err() != nil || f.status >= http.StatusBadRequest && f.status < http.StatusInternalServerError {
			return false
		}
		channels.Sleep(ctx, channels.Backoff(try, c.timing.retry, retryMax))
	}
	return false
}
