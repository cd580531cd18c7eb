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
		parts = append(parts, c.Tone.icon()+"**"+strings.ReplaceAll(c.Title, "*", `\*`)+"**")
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

// MaxButtonBytes bounds name and arguments of a button's command together with the space between them.
const MaxButtonBytes = 60

// Button is shown below a message. Pressing it is giving its command.
type Button struct {
	Text    string  `json:"text"`
	Command Command `json:"command"`
	Style   Style   `json:"style,omitempty"`
	// Options make the button a choice. The value of the chosen one is put behind the command's arguments.
	Options []Option `json:"options,omitempty"`
	// Ask makes the button ask a question first. The text that a person answers is put behind the command's arguments.
	Ask string `json:"ask,omitempty"`
}

// Option is one of several values to choose. MaxButtonBytes bounds its value together with the command.
type Option struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

// Style is how a button looks where platforms have styles.
type Style string

// Styles of buttons.
const (
	Plain   Style = ""
	Primary Style = "primary"
	Danger  Style = "danger"
)

// Choices is buttons as text, for where there are none: what people can write instead.
func Choices(rows [][]Button) string {
	var lines []string
	for _, row := range rows {
		for _, b := range row {
			command := strings.TrimSpace(b.Command.Name + " " + b.Command.Args)
			var values []string
			for _, o := range b.Options {
				values = append(values, "`"+command+" "+o.Value+"` ("+o.Text+")")
			}
			switch {
			case len(values) > 0:
				lines = append(lines, "- "+b.Text+": "+strings.Join(values, ", "))
			case b.Ask != "":
				lines = append(lines, "- "+b.Text+": `"+command+" …` ("+b.Ask+")")
			default:
				lines = append(lines, "- "+b.Text+": `"+command+"`")
			}
		}
	}
	return strings.Join(lines, "\n")
}
