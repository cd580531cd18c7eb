package discord

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/render"
)

const (
	listIndent = "  " // per level
	rule       = "———"
	maxHeading = 3 // levels; what is deeper is bold
	fence      = "```"
	nothing    = "\u200b" // a blank of no width, which parts what must not stand together
)

// writer writes blocks as Discord's Markdown.
type writer struct {
	b    strings.Builder
	open []tag  // the styles that are open, outermost first
	gap  string // blanks that are still to be written
}

// blocks writes a whole message.
func (w *writer) blocks(blocks []render.Block) {
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Tight, blocks[i-1].Kind == render.Heading && blocks[i-1].Level <= maxHeading: // which has room below it
			w.b.WriteString("\n")
		case b.Quote > 0 && blocks[i-1].Quote > 0:
			w.b.WriteString("\n> \n")
		default:
			w.b.WriteString("\n\n")
		}
		var one writer
		one.block(b)
		text := one.b.String()
		if b.Quote > 0 { // quotes do not nest
			text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
		}
		w.b.WriteString(text)
	}
}

func (w *writer) block(b render.Block) {
	switch b.Kind {
	case render.Code:
		w.code(b.Text.String(), b.Language)
	case render.Table:
		w.code(render.Grid(b), "")
	case render.Rule:
		w.b.WriteString(rule)
	case render.Heading:
		if b.Level <= maxHeading && b.Depth == 0 {
			w.b.WriteString(strings.Repeat("#", b.Level) + " ")
			w.spans(b.Text, 0, "")
			return
		}
		w.item(b, render.Bold)
	default:
		w.item(b, 0)
	}
}

// code writes a block of code. A fence inside it would end it, and longer fences Discord does not know.
func (w *writer) code(text, language string) {
	for strings.Contains(text, fence) {
		text = strings.ReplaceAll(text, fence, "``"+nothing+"`")
	}
	w.b.WriteString(fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence)
}

// item writes text with the marker and the indentation that it has in a list.
func (w *writer) item(b render.Block, style render.Style) {
	indent := ""
	if b.Depth > 0 {
		indent = strings.Repeat(listIndent, b.Depth-1)
		w.b.WriteString(indent + marker(b))
		indent += listIndent
	}
	w.spans(b.Text, style, indent)
}

// marker is what a list item starts with; the other blocks of an item start as deep as its text.
func marker(b render.Block) string {
	m := b.Marker
	switch {
	case m == "":
		return listIndent
	case strings.HasSuffix(m, ")"): // which Discord does not take for a list
		m = strings.TrimSuffix(m, ")") + "."
	}
	switch b.Task {
	case render.OpenTask:
		m += " ☐"
	case render.DoneTask:
		m += " ☑"
	}
	return m + " "
}

func (w *writer) spans(spans render.Spans, style render.Style, indent string) {
	for i, s := range spans {
		s.Style |= style
		w.span(s, indent, i == 0, func() string { return w.italic(spans[i:]) })
	}
	w.closeExcept(0)
}

// span writes a text of one style. Blanks at its ends stay outside of a style that ends or begins there: they would
// break it.
func (w *writer) span(s render.Span, indent string, starts bool, italic func() string) {
	text := strings.ReplaceAll(s.Text, "\n", "\n"+indent)
	core := strings.TrimSpace(text)
	if core == "" {
		w.gap += text
		return
	}
	head, tail, _ := strings.Cut(text, core)
	w.gap += head
	w.closeExcept(s.Style)
	starts = starts || strings.HasSuffix(strings.TrimRight(w.b.String(), " "), "\n")
	w.openAll(s.Style, italic)
	switch {
	case s.Style&render.Mono != 0:
		if core = inline(core); strings.HasSuffix(w.b.String(), "`") {
			core = nothing + core
		}
	case s.Style&render.Bare == 0:
		core = escape(core, starts)
	}
	if s.Link != "" && s.Style&render.Bare == 0 {
		core = "[" + core + "](" + inLink.Replace(s.Link) + ")"
	}
	w.b.WriteString(core)
	w.gap = tail
}

// inline writes code in a line. Two backquotes enclose it if it holds any; three would begin a block, so that those
// that it holds beside each other are parted.
func inline(code string) string {
	if !strings.Contains(code, "`") {
		return "`" + code + "`"
	}
	for strings.Contains(code, "``") {
		code = strings.ReplaceAll(code, "``", "`"+nothing+"`")
	}
	return "`` " + code + " ``"
}

// tag is an open style.
type tag struct {
	style render.Style
	mark  string
}

// nesting is the order of styles, outermost first.
var nesting = []tag{{render.Bold, "**"}, {render.Strike, "~~"}, {render.Italic, "*"}}

// closeExcept closes the styles that do not go on in a text of a style, and writes the blanks between.
func (w *writer) closeExcept(style render.Style) {
	kept := 0
	for kept < len(w.open) && style&w.open[kept].style != 0 {
		kept++
	}
	for _, t := range slices.Backward(w.open[kept:]) {
		w.b.WriteString(t.mark)
	}
	w.open = w.open[:kept]
	w.b.WriteString(w.gap)
	w.gap = ""
}

// openAll opens the styles that are not open yet. italic is asked for the mark of italics.
func (w *writer) openAll(style render.Style, italic func() string) {
	for _, t := range w.open {
		style &^= t.style
	}
	for _, t := range nesting {
		if style&t.style == 0 {
			continue
		}
		if t.style == render.Italic {
			t.mark = italic()
		}
		w.b.WriteString(t.mark)
		w.open = append(w.open, t)
	}
}

// italic is the mark for italics that begin with the first of the spans: "_", which can't be mistaken for a part of
// "**", unless a letter stands beside it.
func (w *writer) italic(spans render.Spans) string {
	before, _ := utf8.DecodeLastRuneInString(w.b.String())
	after := ' '
	for _, s := range spans {
		if s.Style&render.Italic == 0 {
			after, _ = utf8.DecodeRuneInString(s.Text)
			break
		}
	}
	if letter(before) || letter(after) {
		return "*"
	}
	return "_"
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
