package telegram

import (
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/render"
)

const (
	listIndent = "    " // per level; in a proportional font spaces are narrow
	itemIndent = "  "   // of an item's text under its marker
	rule       = "———"
)

// htmlWriter writes blocks as Telegram's HTML and, side by side, as what a reader sees of it.
type htmlWriter struct {
	html, plain strings.Builder
	open        []string // the inline start tags that are open, outermost first
}

// blocks writes a whole message. Neighbouring blocks in quotes share one blockquote, because those do not nest.
func (w *htmlWriter) blocks(blocks []render.Block) {
	quoting := false
	for i, b := range blocks {
		if quoting && b.Quote == 0 {
			w.html.WriteString("</blockquote>")
		}
		switch {
		case i == 0:
		case b.Tight:
			w.text("\n")
		default:
			w.text("\n\n")
		}
		if !quoting && b.Quote > 0 {
			w.html.WriteString("<blockquote>")
		}
		quoting = b.Quote > 0
		w.block(b)
	}
	if quoting {
		w.html.WriteString("</blockquote>")
	}
}

func (w *htmlWriter) block(b render.Block) {
	switch b.Kind {
	case render.Code:
		w.pre(b.Text.String(), b.Language)
	case render.Table:
		w.pre(render.Grid(b), "")
	case render.Rule:
		w.text(rule)
	case render.Heading:
		w.item(b, render.Bold)
	default:
		w.item(b, 0)
	}
}

func (w *htmlWriter) pre(text, language string) {
	start, end := "<pre>", "</pre>"
	if language != "" {
		start, end = `<pre><code class="language-`+language+`">`, "</code></pre>"
	}
	w.html.WriteString(start)
	w.text(text)
	w.html.WriteString(end)
}

// item writes text with the marker and the indentation that it has in a list.
func (w *htmlWriter) item(b render.Block, style render.Style) {
	indent := ""
	if b.Depth > 0 {
		indent = strings.Repeat(listIndent, b.Depth-1)
		w.text(indent + marker(b))
		indent += itemIndent
	}
	for _, span := range b.Text {
		w.tags(tagsOf(span, style))
		w.text(strings.ReplaceAll(span.Text, "\n", "\n"+indent))
	}
	w.tags(nil)
}

// marker is what a list item starts with; the other blocks of an item start as deep as its text.
func marker(b render.Block) string {
	m := b.Marker
	switch {
	case b.Task == render.OpenTask:
		m = "☐"
	case b.Task == render.DoneTask:
		m = "☑"
	case m == "-":
		m = "•"
	case m == "":
		return itemIndent
	}
	if len(b.Text) == 0 {
		return m
	}
	return m + " "
}

// tagsOf returns the start tags of a span, outermost first. Telegram lets code share its characters with no other
// entity: a link is worth more than its look as code, and code more than other styles.
func tagsOf(span render.Span, style render.Style) []string {
	style |= span.Style
	var tags []string
	if span.Link != "" {
		tags = append(tags, `<a href="`+attributeEscaper.Replace(span.Link)+`">`)
	} else if style&render.Mono != 0 {
		return []string{"<code>"}
	}
	if style&render.Bold != 0 {
		tags = append(tags, "<b>")
	}
	if style&render.Italic != 0 {
		tags = append(tags, "<i>")
	}
	if style&render.Strike != 0 {
		tags = append(tags, "<s>")
	}
	return tags
}

// tags closes and opens inline tags so that exactly the given ones are open.
func (w *htmlWriter) tags(tags []string) {
	same := 0
	for same < min(len(tags), len(w.open)) && tags[same] == w.open[same] {
		same++
	}
	for _, tag := range slices.Backward(w.open[same:]) {
		name, _, _ := strings.Cut(strings.Trim(tag, "<>"), " ")
		w.html.WriteString("</" + name + ">")
	}
	for _, tag := range tags[same:] {
		w.html.WriteString(tag)
	}
	w.open = tags
}

func (w *htmlWriter) text(s string) {
	w.html.WriteString(escape(s))
	w.plain.WriteString(s)
}
