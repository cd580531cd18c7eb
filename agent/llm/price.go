package llm

import (
	"context"
	"fmt"
	"iter"
)

// Price is what a model costs, in US dollars for a million tokens, which is also millionths of a dollar for one. What
// is read from the provider's cache costs Input when CacheRead is 0.
type Price struct {
	Input, Output, CacheRead float64
}

// String is the price in words: "$0.25 in, $2 out".
func (p Price) String() string { return fmt.Sprintf("$%g in, $%g out", p.Input, p.Output) }

// Known tells whether there is a price.
func (p Price) Known() bool { return p != Price{} }

// cost is what tokens cost, in millionths of a dollar.
func (p Price) cost(u Usage) int64 {
	cached := p.CacheRead
	if cached == 0 {
		cached = p.Input
	}
	return int64(float64(u.Input-u.CacheRead)*p.Input + float64(u.CacheRead)*cached + float64(u.Output)*p.Output + 0.5)
}

// Priced adds to every answer what it costs.
func Priced(p Provider, price Price) Provider { return priced{p, price} }

type priced struct {
	Provider
	price Price
}

func (p priced) Generate(ctx context.Context, req *Request) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		for c, err := range p.Provider.Generate(ctx, req) {
			if err == nil && c.Final != nil {
				final, last := *c.Final, *c
				final.Usage.Cost += p.price.cost(final.Usage)
				last.Final, c = &final, &last
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
