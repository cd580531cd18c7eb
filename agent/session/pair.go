package session

import "github.com/leadhand/leadhand/agent/llm"

// Pair is a call with its result.
type Pair struct {
	Call   *llm.Call
	Result *llm.Result // nil if the log has none
}

// Pairs lists the calls in the entries, in order. It pairs as [Repair] does.
func Pairs(entries []Entry) []Pair {
	var pairs []Pair
	for i := range entries {
		m := &entries[i].Message
		if m.Role != llm.Assistant || len(m.Calls()) == 0 {
			continue
		}
		var results []llm.Part
		for _, e := range entries[i+1:] {
			if e.Message.Role == llm.Assistant {
				break
			}
			if e.Message.Role == llm.ToolRole {
				c := cleaned(&e.Message)
				results = append(results, c.Parts...)
			}
		}
		for _, call := range m.Calls() {
			pair := Pair{Call: call}
			if p, ok := take(&results, call); ok {
				pair.Result = p.Result
			}
			pairs = append(pairs, pair)
		}
	}
	return pairs
}
