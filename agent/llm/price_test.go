package llm_test

import (
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
)

func TestAnswersHaveTheirPrice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		price llm.Price
		want  int64 // millionths of a dollar
	}{
		"no price":                      {llm.Price{}, 0},
		"by the million":                {llm.Price{Input: 0.25, Output: 2}, 250_000 + 20_000},
		"the cache is cheaper":          {llm.Price{Input: 0.25, Output: 2, CacheRead: 0.025}, 150_000 + 10_000 + 20_000},
		"what is too little is nothing": {llm.Price{Output: 0.00001}, 0},
	} {
		step := llmtest.Answer(llm.Answer{
			Message: llm.AssistantText("done"), Finish: llm.Stop,
			Usage: llm.Usage{Input: 1_000_000, CacheRead: 400_000, Output: 10_000, Reasoning: 5000},
		})
		p := llm.Priced(llmtest.New(t, step), tt.price)
		a, err := llm.Collect(t.Context(), p, &llm.Request{Messages: []llm.Message{llm.UserText("go")}}, nil)
		if err != nil || a.Usage.Cost != tt.want {
			t.Errorf("%s: %d, %v; want %d", name, a.Usage.Cost, err, tt.want)
		}
	}
}
