package gemini

import (
	"encoding/json"

	"google.golang.org/genai"

	"github.com/leadhand/leadhand/agent/llm"
)

// draft is an answer while its chunks come in.
type draft struct {
	parts  []llm.Part
	usage  llm.Usage
	finish llm.Finish
	broken string // a finish reason that means the model failed
	done   bool   // a finish reason or a blocked prompt was seen
}

// add takes one response in and returns what to pass on.
func (d *draft) add(r *genai.GenerateContentResponse) []*llm.Chunk {
	if u := r.UsageMetadata; u != nil {
		d.usage = usage(u)
	}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		d.finish, d.done = llm.Refused, true
	}
	if len(r.Candidates) == 0 || r.Candidates[0] == nil {
		return nil
	}
	c := r.Candidates[0]
	var out []*llm.Chunk
	if c.Content != nil {
		for _, p := range c.Content.Parts {
			if p == nil {
				continue
			}
			if chunk := d.part(p); chunk != nil {
				out = append(out, chunk)
			}
		}
	}
	if c.FinishReason != "" && c.FinishReason != genai.FinishReasonUnspecified {
		d.end(c.FinishReason)
	}
	return out
}

// part takes one part in. A part with a signature is never joined with a later one: the signature is for its own text.
func (d *draft) part(p *genai.Part) *llm.Chunk {
	m := meta{Signature: p.ThoughtSignature}
	switch {
	case p.FunctionCall != nil:
		m.ID = p.FunctionCall.ID
		args, err := json.Marshal(p.FunctionCall.Args)
		if err != nil || p.FunctionCall.Args == nil {
			args = []byte("{}")
		}
		call := &llm.Call{ID: m.ID, Name: p.FunctionCall.Name, Args: string(args)}
		d.parts = append(d.parts, llm.Part{Call: call, Meta: m.pack()})
		return nil
	case p.Text == "":
		d.sign(m)
		return nil
	case p.Thought:
		if last := d.open(); last != nil && last.Reasoning != nil {
			last.Reasoning.Text += p.Text
		} else {
			d.parts = append(d.parts, llm.Part{Reasoning: &llm.Reasoning{Text: p.Text}})
		}
		d.sign(m)
		return &llm.Chunk{Reasoning: p.Text}
	default:
		if last := d.open(); last != nil && last.Text != "" {
			last.Text += p.Text
		} else {
			d.parts = append(d.parts, llm.Part{Text: p.Text})
		}
		d.sign(m)
		return &llm.Chunk{Text: p.Text}
	}
}

// open is the last part if more may be joined to it.
func (d *draft) open() *llm.Part {
	if n := len(d.parts); n > 0 && d.parts[n-1].Meta == nil {
		return &d.parts[n-1]
	}
	return nil
}

// sign puts a signature on the last part. The API also sends one alone, after the text that it belongs to.
func (d *draft) sign(m meta) {
	if last := d.open(); last != nil && len(m.Signature) > 0 {
		last.Meta = m.pack()
	}
}

func (d *draft) end(reason genai.FinishReason) {
	d.done = true
	switch reason {
	case genai.FinishReasonStop:
		d.finish = llm.Stop
	case genai.FinishReasonMaxTokens:
		d.finish = llm.Length
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonLanguage:
		d.finish = llm.Refused
	default:
		d.finish, d.broken = llm.Stop, string(reason)
	}
}

// usage counts thoughts to the output, where the API keeps them apart.
func usage(u *genai.GenerateContentResponseUsageMetadata) llm.Usage {
	return llm.Usage{
		Input:     int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
		Output:    int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
		CacheRead: int(u.CachedContentTokenCount),
		Reasoning: int(u.ThoughtsTokenCount),
	}
}

// kind is this adapter's key in Part.Meta.
const kind = "gemini"

// meta is kept with the part that it came with.
type meta struct {
	Signature []byte `json:"signature,omitempty"`
	ID        string `json:"id,omitempty"` // of a call, if the API gave one
}

func (m meta) pack() map[string]json.RawMessage {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return map[string]json.RawMessage{kind: raw}
}

// unpack reads what this adapter left with a part, and whether it did at all.
func unpack(p *llm.Part) (meta, bool) {
	var m meta
	raw, ok := p.Meta[kind]
	return m, ok && json.Unmarshal(raw, &m) == nil
}
