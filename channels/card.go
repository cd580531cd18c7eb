package channels

import "strings"

// Card is a message with a form: what a task, an approval or a board looks like. Adapters show it natively where their
// platform can, and its Markdown elsewhere.
type Card struct {
	Title  string  `json:"title"`
	Body   string  `json:"body,omitempty"` // Markdown
	Fields []Field `json:"fields,omitempty"`
	Tone   Tone    `json:"tone,omitempty"`
}

// Field is a named value of a card, in a few words.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"` // Markdown without blocks
}

// Tone is what a card is about. It is never told by colour alone: words say the same.
type Tone string

// Tones of cards.
const (
	Neutral Tone = ""
	Good    Tone = "good"
	Busy    Tone = "busy"
	Warning Tone = "warning"
	Bad     Tone = "bad"
)

// icon stands before a title in text.
func (t Tone) icon() string {
	switch t {
	case Good:
		return "✅ "
	case Busy:
		return "⏳ "
	case Warning:
		return "⚠️ "
	case Bad:
		return "❌ "
	}
	return ""
}

// Markdown is the card as text, a valid rendering everywhere.
func (c *Card) Markdown() string {
	var parts []string
	if c.Title != "" {
		parts = append(parts, c.Tone.icon()+"**"+literal(c.Title, false)+"**")
	}
	if c.Body != "" {
		parts = append(parts, c.Body)
	}
	var fields []string
	for _, f := range c.Fields {
		fields = append(fields, f.Name+": "+f.Value)
	}
	if len(fields) > 0 {
		parts = append(parts, strings.Join(fields, "  \n"))
	}
	return strings.Join(parts, "\n\n")
}
