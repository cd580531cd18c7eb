package session

import (
	"sync"

	"github.com/leadhand/leadhand/agent/llm"
)

// Measured with current vocabularies: English prose has 4.1 to 4.4 bytes per token, Chinese 2.35 characters.
const (
	bytesPerToken    = 4.2
	cjkRunesPerToken = 2.35
	imageTokens      = 1500 // a picture of about a megapixel
	messageTokens    = 4    // what a provider puts around each message, call, result and tool
)

// Estimator guesses how many tokens a request has. Vocabularies differ per vendor, so it learns a factor per model from
// the usage that comes with each answer. It is safe for concurrent use.
type Estimator struct {
	mu     sync.Mutex
	factor map[string]float64 // by model: real tokens per guessed token
}

// NewEstimator makes an Estimator that knows no model yet.
func NewEstimator() *Estimator { return &Estimator{factor: map[string]float64{}} }

// Request guesses the input tokens of req for the model.
func (e *Estimator) Request(model string, req *llm.Request) int {
	return int(requestTokens(req) * e.factorOf(model))
}

// Message guesses the tokens of one message for the model.
func (e *Estimator) Message(model string, m *llm.Message) int {
	return int(messageSize(m) * e.factorOf(model))
}

// Learn corrects the guesses for the model by what the provider counted for req.
func (e *Estimator) Learn(model string, req *llm.Request, u llm.Usage) {
	const (
		smallest = 300 // below it, what providers add themselves outweighs the text
		weight   = 0.3 // of the newest observation
	)
	guess := requestTokens(req)
	if guess < smallest || u.Input <= 0 {
		return
	}
	seen := min(max(float64(u.Input)/guess, 0.4), 3) // a provider that counts nonsense must not stop compaction
	e.mu.Lock()
	defer e.mu.Unlock()
	if old, ok := e.factor[model]; ok {
		seen = (1-weight)*old + weight*seen
	}
	e.factor[model] = seen
}

func (e *Estimator) factorOf(model string) float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f, ok := e.factor[model]; ok {
		return f
	}
	return 1
}

func requestTokens(req *llm.Request) float64 {
	n := textTokens(req.System)
	for i := range req.Tools {
		t := &req.Tools[i]
		n += messageTokens + textTokens(t.Name) + textTokens(t.Description) + float64(len(t.Input))/bytesPerToken
	}
	for i := range req.Messages {
		n += messageSize(&req.Messages[i])
	}
	return n
}

func messageSize(m *llm.Message) float64 {
	n := float64(messageTokens)
	for i := range m.Parts {
		p := &m.Parts[i]
		n += textTokens(p.Text)
		for _, meta := range p.Meta {
			n += float64(len(meta)) / bytesPerToken
		}
		if p.Reasoning != nil {
			n += textTokens(p.Reasoning.Text)
		}
		if p.Image != nil {
			n += imageTokens
		}
		if p.Call != nil {
			n += messageTokens + textTokens(p.Call.Name) + textTokens(p.Call.Args)
		}
		if p.Result != nil {
			n += messageTokens + textTokens(p.Result.Text)
		}
	}
	return n
}

func textTokens(s string) float64 {
	wide, bytes := 0, len(s)
	for _, c := range s {
		if c >= 0x2E80 && isCJK(c) {
			wide++
			bytes -= 3
			if c > 0xFFFF {
				bytes--
			}
		}
	}
	return float64(wide)/cjkRunesPerToken + float64(bytes)/bytesPerToken
}

func isCJK(c rune) bool {
	return c <= 0x9FFF || 0xAC00 <= c && c <= 0xD7AF || 0xF900 <= c && c <= 0xFAFF ||
		0xFF00 <= c && c <= 0xFFEF || 0x20000 <= c && c <= 0x3FFFF
}
