package discord

import (
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// embed is a card of Discord.
type embed struct {
	Description string       `json:"description,omitempty"`
	Color       int          `json:"color,omitempty"`
	Fields      []embedField `json:"fields,omitempty"`
}

type embedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

// Limits of an embed, in characters and numbers.
const (
	maxEmbedText   = 4096
	maxEmbedFields = 25
	maxFieldName   = 256
	maxFieldValue  = 1024
	maxEmbedTotal  = 6000
	shortField     = 40 // characters; such fields stand beside each other
)

// embedOf shows a card; ok is false for one that does not fit, which goes out as text. Title and tone are words of the
// text, so that nothing is told by the colour alone.
func embedOf(card *channels.Card) (e embed, ok bool) {
	head := channels.Card{Title: card.Title, Body: card.Body, Tone: card.Tone}
	texts := format(head.Markdown(), maxEmbedText)
	if len(texts) > 1 || len(card.Fields) > maxEmbedFields {
		return e, false
	}
	e.Description, e.Color = strings.Join(texts, ""), color(card.Tone)
	total := utf16Len(e.Description)
	for _, f := range card.Fields {
		value := format(f.Value, maxFieldValue)
		name := oneLine(f.Name)
		if len(value) != 1 || name == "" || utf16Len(name) > maxFieldName {
			return e, false
		}
		total += utf16Len(name) + utf16Len(value[0])
		e.Fields = append(e.Fields, embedField{name, value[0], utf16Len(value[0]) <= shortField})
	}
	return e, total > 0 && total <= maxEmbedTotal
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
