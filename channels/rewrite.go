package channels

import "strings"

// Rewrite makes a message of which every text that people read is what f makes of it, and so is the content of files
// that are text. What buttons do stays as it is. m itself is left alone.
func (m *Outbound) Rewrite(f func(string) string) Outbound {
	out := *m
	out.Text = f(m.Text)
	if m.Card != nil {
		card := *m.Card
		card.Title, card.Body, card.Fields = f(card.Title), f(card.Body), nil
		for _, field := range m.Card.Fields {
			card.Fields = append(card.Fields, Field{Name: f(field.Name), Value: f(field.Value)})
		}
		out.Card = &card
	}
	out.Attachments = nil
	for _, a := range m.Attachments {
		a.Name = f(a.Name)
		if strings.HasPrefix(a.MediaType, "text/") || a.MediaType == "application/json" {
			a.Data = []byte(f(string(a.Data)))
		}
		out.Attachments = append(out.Attachments, a)
	}
	out.Buttons = nil
	for _, row := range m.Buttons {
		var buttons []Button
		for _, b := range row {
			b.Text, b.Ask = f(b.Text), f(b.Ask)
			buttons = append(buttons, b)
		}
		out.Buttons = append(out.Buttons, buttons)
	}
	return out
}
