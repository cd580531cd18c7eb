package openai

import (
	"bytes"
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/leadhand/leadhand/agent/llm"
)

// maxQuirks is how many parameters a server may dislike before it gets no more tries.
const maxQuirks = 2

// adapt changes the request to what a server says it understands, and tells whether there is something to try again.
func adapt(body *sdk.ChatCompletionNewParams, err error, said []byte) bool {
	if llm.ReasonOf(err) != llm.Rejected {
		return false
	}
	switch {
	case mentions(said, "stream_options", "include_usage") && !param.IsOmitted(body.StreamOptions):
		body.StreamOptions = sdk.ChatCompletionStreamOptionsParam{}
		return true
	case mentions(said, "max_completion_tokens", "max_tokens") && body.MaxTokens.Valid():
		body.MaxCompletionTokens, body.MaxTokens = body.MaxTokens, param.Opt[int64]{}
		return true
	}
	return false
}

func mentions(said []byte, names ...string) bool {
	for _, n := range names {
		if bytes.Contains(said, []byte(n)) {
			return true
		}
	}
	return false
}

// blockedByPolicy tells whether a rejection is a content filter's verdict on the prompt. That is a refusal to answer,
// which no other provider should be asked to overrule.
func blockedByPolicy(err error, said []byte) bool {
	if llm.ReasonOf(err) != llm.Rejected {
		return false
	}
	var report struct {
		Error struct {
			Code any `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(said, &report) != nil {
		return false
	}
	return report.Error.Code == "content_filter" || report.Error.Code == "content_policy_violation"
}
