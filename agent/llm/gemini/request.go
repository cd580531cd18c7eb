package gemini

import (
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/leadhand/leadhand/agent/llm"
)

// Words put where the API demands a user's message and the history has none.
const (
	opening = "(The conversation began earlier.)"
	going   = "(Please go on.)"
)

// foreignSignature is Google's documented stand-in for the signature of a call that another model made.
const foreignSignature = "skip_thought_signature_validator"

func settings(req *llm.Request) *genai.GenerateContentConfig {
	c := &genai.GenerateContentConfig{AutomaticContinuation: genai.Ptr(false)}
	if strings.TrimSpace(req.System) != "" {
		c.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if req.MaxTokens > 0 {
		c.MaxOutputTokens = int32(min(req.MaxTokens, 1<<31-1))
	}
	if len(req.Tools) == 0 {
		return c
	}
	tool := &genai.Tool{}
	for _, t := range req.Tools {
		tool.FunctionDeclarations = append(tool.FunctionDeclarations, &genai.FunctionDeclaration{
			Name: t.Name, Description: t.Description, ParametersJsonSchema: schema(t.Input),
		})
	}
	c.Tools = []*genai.Tool{tool}
	if req.NoTools {
		c.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{
			Mode: genai.FunctionCallingConfigModeNone,
		}}
	}
	return c
}

// schema passes a tool's schema on as it is. One that is no JSON object is sent as a function without parameters.
func schema(raw json.RawMessage) any {
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return object
}

// contents begin and end with the user. Signed says that calls need a signature.
func contents(req *llm.Request, signed bool) []*genai.Content {
	w := writer{signed: signed, ids: map[string]string{}}
	for _, m := range llm.Tidy(req.Messages) {
		if m.Role == llm.Assistant {
			w.model(m.Parts)
		} else {
			w.user(m.Parts)
		}
	}
	if n := len(w.out); n == 0 || w.out[n-1].Role == genai.RoleModel {
		w.add(genai.RoleUser, []*genai.Part{{Text: going}})
	}
	return w.out
}

// writer turns a history into contents.
type writer struct {
	out    []*genai.Content
	signed bool
	ids    map[string]string // the API's ids of calls, by ours
}

func (w *writer) add(role string, parts []*genai.Part) {
	if len(parts) == 0 {
		return
	}
	if len(w.out) == 0 && role == genai.RoleModel {
		w.add(genai.RoleUser, []*genai.Part{{Text: opening}})
	}
	w.out = append(w.out, &genai.Content{Role: role, Parts: parts})
}

// user writes a user or tool message. Results have a content of their own, because the API counts them against the
// calls before.
func (w *writer) user(parts []llm.Part) {
	var results, rest []*genai.Part
	for _, p := range parts {
		switch {
		case p.Result != nil:
			results = append(results, &genai.Part{FunctionResponse: w.response(p.Result)})
		case p.Image != nil:
			rest = append(rest, &genai.Part{InlineData: &genai.Blob{
				MIMEType: p.Image.MediaType, Data: p.Image.Data,
			}})
		case p.Text != "":
			rest = append(rest, &genai.Part{Text: p.Text})
		}
	}
	w.add(genai.RoleUser, results)
	w.add(genai.RoleUser, rest)
}

func (w *writer) response(r *llm.Result) *genai.FunctionResponse {
	key := "output"
	if r.IsError {
		key = "error"
	}
	return &genai.FunctionResponse{ID: w.ids[r.CallID], Name: r.Name, Response: map[string]any{key: r.Text}}
}

// model writes an answer. Thoughts go back only with a signature, and only the first call of a message needs one.
func (w *writer) model(parts []llm.Part) {
	var out []*genai.Part
	first := true
	for _, p := range parts {
		m, own := unpack(&p)
		switch {
		case p.Reasoning != nil:
			if len(m.Signature) > 0 {
				out = append(out, &genai.Part{
					Text: p.Reasoning.Text, Thought: true, ThoughtSignature: m.Signature,
				})
			}
		case p.Text != "":
			out = append(out, &genai.Part{Text: p.Text, ThoughtSignature: m.Signature})
		case p.Call != nil:
			if !own && w.signed && first {
				m.Signature = []byte(foreignSignature)
			}
			first = false
			w.ids[p.Call.ID] = m.ID
			out = append(out, &genai.Part{FunctionCall: call(p.Call, m.ID), ThoughtSignature: m.Signature})
		}
	}
	w.add(genai.RoleModel, out)
}

func call(c *llm.Call, id string) *genai.FunctionCall {
	var args map[string]any
	_ = json.Unmarshal(c.ArgsObject(), &args) // an object by contract
	return &genai.FunctionCall{ID: id, Name: c.Name, Args: args}
}
