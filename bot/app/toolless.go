package app

import (
	"context"
	"fmt"
	"iter"

	"github.com/leadhand/leadhand/agent/llm"
)

// toolless is a model that cannot call tools. It is told of none, and what tools did before, with another model, it
// reads as text: servers refuse even old calls when the model knows no tools.
type toolless struct{ llm.Provider }

func (t toolless) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	told := *req
	told.Tools, told.NoTools, told.Messages = nil, false, nil
	for _, m := range req.Messages {
		plain := llm.Message{Role: m.Role}
		if m.Role == llm.ToolRole {
			plain.Role = llm.User
		}
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				p = llm.Part{Text: fmt.Sprintf("[called the tool %s]", p.Call.Name)}
			case p.Result != nil:
				p = llm.Part{Text: fmt.Sprintf("[program] The tool %s said: %s", p.Result.Name, p.Result.Text)}
			}
			plain.Parts = append(plain.Parts, p)
		}
		told.Messages = append(told.Messages, plain)
	}
	return t.Provider.Generate(ctx, &told)
}
