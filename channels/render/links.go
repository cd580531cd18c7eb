package render

import "strings"

// SpellOut returns the blocks with every link that the platform cannot carry turned into text: "label (destination)".
// It is called before Split, so that long destinations are measured and cut like other text. keep tells for a link in
// a block of this kind whether the platform can carry it. The given blocks are not changed.
func SpellOut(blocks []Block, keep func(in Kind, destination string) bool) []Block {
	out := make([]Block, len(blocks))
	for i, b := range blocks {
		kept := func(destination string) bool { return keep(b.Kind, destination) }
		b.Text = spellOut(b.Text, kept)
		if b.Rows != nil {
			rows := make([][]Spans, len(b.Rows))
			for r, row := range b.Rows {
				for _, cell := range row {
					rows[r] = append(rows[r], spellOut(cell, kept))
				}
			}
			b.Rows = rows
		}
		out[i] = b
	}
	return out
}

func spellOut(text Spans, keep func(destination string) bool) Spans {
	var out Spans
	label := "" // of the link so far: one link may be several spans
	for i, span := range text {
		if span.Link == "" || keep(span.Link) {
			out = append(out, span)
			continue
		}
		link := span.Link
		label += span.Text
		span.Link = ""
		out = append(out, span)
		if i+1 < len(text) && text[i+1].Link == link {
			continue
		}
		if label != link && "mailto:"+label != link {
			out = append(out, Span{Text: " ("}, Span{Text: link, Style: Bare}, Span{Text: ")"})
		}
		label = ""
	}
	return out
}

// SchemeIn returns whether a link's destination is absolute with one of the schemes, given in lower case without colon.
func SchemeIn(destination string, schemes ...string) bool {
	scheme, rest, ok := strings.Cut(destination, ":")
	if !ok || strings.Trim(rest, "/") == "" {
		return false
	}
	for _, s := range schemes {
		if strings.EqualFold(scheme, s) {
			return true
		}
	}
	return false
}
