package session

import "github.com/leadhand/leadhand/agent/llm"

// Cut says how much of a session to keep word for word when the rest is replaced by a summary. Amounts are tokens.
type Cut struct {
	Keep  int // the newest entries that fit in here are kept
	Whole int // the current turn is kept whole if it fits in here
	Size  func(m *llm.Message) int
}

// Find gives the number of entries, of those that [Live] gives, to put into the summary; 0 if there is nothing to gain.
// It cuts between turns. If the current turn alone is too large it cuts inside it before an answer of the model, so
// that no call is parted from its result; the newest answer stays.
func (c Cut) Find(live []Entry, turn int64) int {
	tail := make([]int, len(live)+1) // tail[i] is the size of live[i:]
	for i := len(live) - 1; i >= 0; i-- {
		tail[i] = tail[i+1]
		if live[i].Kind != KindStrip {
			tail[i] += c.Size(&live[i].Message)
		}
	}
	first := 0
	if len(live) > 0 && live[0].Kind == KindSummary {
		first = 1
	}
	current := first
	for current < len(live) && live[current].Turn != turn {
		current++
	}
	if tail[current] > c.Whole {
		if n := c.inside(live, tail, current); n > first {
			return n
		}
	}
	for i := first + 1; i < current; i++ {
		if live[i].Turn != live[i-1].Turn && tail[i] <= c.Keep {
			return i
		}
	}
	if current == first {
		return 0
	}
	return current
}

// inside finds the place in the current turn before which everything goes; 0 if there is none.
func (c Cut) inside(live []Entry, tail []int, current int) int {
	last := 0
	for i := current + 1; i < len(live); i++ {
		if live[i].Kind == KindMessage && live[i].Message.Role == llm.Assistant {
			if last = i; tail[i] <= c.Keep {
				break
			}
		}
	}
	return last
}
