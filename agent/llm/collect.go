package llm

import (
	"context"
	"errors"
)

// Collect runs one generation to its end. onChunk, if not nil, sees every chunk on the way.
func Collect(ctx context.Context, p Provider, req *Request, onChunk func(*Chunk)) (*Answer, error) {
	for c, err := range p.Generate(ctx, req) {
		if err != nil {
			return nil, err
		}
		if onChunk != nil {
			onChunk(c)
		}
		if c.Final != nil {
			return c.Final, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, &Error{Provider: p.Name(), Reason: BadAnswer, Err: errors.New("the stream ended without an answer")}
}
