package openai

import (
	"encoding/json"

	"github.com/leadhand/leadhand/agent/llm"
)

// kind is this adapter's key in Part.Meta.
const kind = "openai"

// Fields outside of OpenAI's schema that servers answer with and want back.
const (
	reasoningContent = "reasoning_content" // DeepSeek, older vLLM
	reasoningPlain   = "reasoning"         // OpenRouter, Ollama, newer vLLM
	reasoningDetails = "reasoning_details" // OpenRouter: signed blocks of the model behind it
	extraContent     = "extra_content"     // Gemini's compatible endpoint: thought signatures on calls
)

// meta is kept in Part.Meta. Only the model that wrote it gets it back: others refuse fields that they don't know.
type meta struct {
	From    string            `json:"from"`
	Field   string            `json:"field,omitempty"`   // where reasoning text came in
	Details []json.RawMessage `json:"details,omitempty"` // reasoning_details
	Extra   json.RawMessage   `json:"extra,omitempty"`   // extra_content of a call
}

func (m meta) pack() map[string]json.RawMessage {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return map[string]json.RawMessage{kind: raw}
}

// kept is what the model called name left with part; zero if it was another one.
func kept(part *llm.Part, name string) meta {
	var m meta
	if json.Unmarshal(part.Meta[kind], &m) != nil || m.From != name {
		return meta{}
	}
	return m
}

// reasoning is what goes back with an assistant message that has calls. DeepSeek wants it there, also in later turns;
// on messages without calls older models refuse it.
func (p *provider) reasoning(parts []llm.Part) map[string]any {
	fields := map[string]any{}
	text := ""
	var details []json.RawMessage
	for _, part := range parts {
		if part.Reasoning == nil {
			continue
		}
		k := kept(&part, p.Name())
		if k.Field != "" {
			text += part.Reasoning.Text
			fields[k.Field] = text
		}
		details = append(details, k.Details...)
	}
	if len(details) > 0 {
		fields[reasoningDetails] = details
	}
	return fields
}
