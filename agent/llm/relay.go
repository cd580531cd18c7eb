package llm

import (
	"context"
	"errors"
)

// outcome is how one attempt inside a decorator ended. A nil err means that nothing is left to do: the final chunk
// went out, or the consumer stopped.
type outcome struct {
	err      error
	streamed bool // deltas went out before err
}

// relay passes on the chunks of one generation and holds back its error, so that the caller can try something else.
func relay(ctx context.Context, p Provider, req *Request, yield func(*Chunk, error) bool) outcome {
	var end outcome
	for c, err := range p.Generate(ctx, req) {
		if err != nil {
			end.err = err
			return end
		}
		if !yield(c, nil) || c.Final != nil {
			return outcome{}
		}
		end.streamed = !c.Reset && (end.streamed || c.Text != "" || c.Reasoning != "")
	}
	if ctx.Err() != nil {
		end.err = context.Cause(ctx)
		return end
	}
	end.err = &Error{Provider: p.Name(), Reason: BadAnswer, Err: errors.New("the stream ended without an answer")}
	return end
}
