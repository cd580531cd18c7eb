package discord

import (
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// Types of components of which messages are laid out.
const (
	textDisplay   = 10
	fileDisplay   = 13
	separator     = 14
	cardContainer = 17
)

// Limits of a message that is laid out with components.
const (
	maxDisplayed  = 4000 // characters of all texts
	maxComponents = 40   // with all that stand in others
)

// display is what components show that can't be used.
type display struct {
	Content string    `json:"content,omitempty"`
	Color   int       `json:"accent_color,omitempty"`
	File    *fileLink `json:"file,omitempty"`
}

type fileLink struct {
	URL string `json:"url"`
}

func textBlock(s string) component {
	return component{Type: textDisplay, display: display{Content: s}}
}

// cardOf shows a card, with notes below it; ok is false for one that does not fit, which goes out as text. Title and
// tone are words of the text, so that nothing is told by the colour alone.
func cardOf(card *channels.Card, notes string) (shown []component, ok bool) {
	head := channels.Card{Title: card.Title, Body: card.Body, Tone: card.Tone}
	box := component{Type: cardContainer, display: display{Color: color(card.Tone)}}
	total := 0
	add := func(s string) {
		box.Components = append(box.Components, textBlock(s))
		total += utf16Len(s)
	}
	texts := format(head.Markdown(), maxDisplayed)
	if len(texts) > 1 {
		return nil, false
	}
	if len(texts) == 1 {
		add(texts[0])
	}
	var fields []string
	for _, f := range card.Fields {
		value := format(f.Value, maxDisplayed)
		name := oneLine(f.Name)
		if len(value) != 1 || name == "" {
			return nil, false
		}
		fields = append(fields, "**"+name+"** "+value[0])
	}
	if len(fields) > 0 {
		if len(box.Components) > 0 {
			box.Components = append(box.Components, component{Type: separator})
		}
		add(strings.Join(fields, "\n"))
	}
	if len(box.Components) == 0 {
		return nil, false
	}
	shown = []component{box}
	if below := strings.Join(format(notes, maxDisplayed), ""); below != "" {
		shown = append(shown, textBlock(below))
		total += utf16Len(below)
	}
	return shown, total <= maxDisplayed && countComponents(shown)+maxRows*(1+maxInRow) <= maxComponents
}

// laidOut is a text as components, for a message that was laid out with them: Discord lets none go back.
func (p part) laidOut() part {
	p.v2 = nil
	if p.content != "" {
		p.v2 = append(p.v2, textBlock(p.content))
	}
	for _, f := range p.files { // nobody sees them otherwise
		p.v2 = append(p.v2, component{Type: fileDisplay, display: display{File: &fileLink{"attachment://" + f.name}}})
	}
	return p
}

// uncarded is a card as text, for where Discord refuses it. It stays one message.
func (p part) uncarded(card *channels.Card) part {
	words := card.Markdown()
	texts := format(join(words, p.notes), maxText)
	if len(texts) > 1 {
		p.files = append([]file{{"card.md", "text/markdown", []byte(words)}}, p.files...)
	}
	p.v2, p.content = nil, texts[0]
	return p
}

// layout is the components of a part. The buttons of a card stand in it.
func (p *part) layout() []component {
	if len(p.v2) == 0 {
		return p.buttons
	}
	all := append([]component(nil), p.v2...)
	if box := &all[0]; box.Type == cardContainer {
		box.Components = append(append([]component(nil), box.Components...), p.buttons...)
		return all
	}
	return append(all, p.buttons...)
}

// countComponents is how many there are, with those that stand in others.
func countComponents(list []component) int {
	n := len(list)
	for _, c := range list {
		n += countComponents(c.Components)
	}
	return n
}

func color(t channels.Tone) int {
	switch t {
	case channels.Good:
		return 0x2e9e5b
	case channels.Busy:
		return 0x3b82c4
	case channels.Warning:
		return 0xd99a1c
	case channels.Bad:
		return 0xc93c3c
	}
	return 0x7a7f87
}
