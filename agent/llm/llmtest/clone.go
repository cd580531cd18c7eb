package llmtest

import (
	"maps"
	"slices"

	"github.com/leadhand/leadhand/agent/llm"
)

// clone copies everything a caller may change after the generation. Raw JSON and image bytes are shared: nobody edits
// them in place.
func clone(req *llm.Request) *llm.Request {
	c := *req
	c.Tools = slices.Clone(req.Tools)
	c.Messages = slices.Clone(req.Messages)
	for i := range c.Messages {
		parts := slices.Clone(c.Messages[i].Parts)
		for j := range parts {
			parts[j] = clonePart(parts[j])
		}
		c.Messages[i].Parts = parts
	}
	return &c
}

func clonePart(p llm.Part) llm.Part {
	p.Reasoning = shallow(p.Reasoning)
	p.Image = shallow(p.Image)
	p.Call = shallow(p.Call)
	p.Result = shallow(p.Result)
	p.Meta = maps.Clone(p.Meta)
	return p
}

func shallow[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}
