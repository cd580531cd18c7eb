package slack

import (
	"regexp"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/render"
)

// markdownWriter writes the blocks of one message of several as Markdown again.
type markdownWriter struct {
	out  strings.Builder
	open []string // the marks of inline styles that are open, outermost first
}

func (w *markdownWriter) blocks(blocks []render.Block) {
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Tight:
			w.out.WriteString("\n")
		case b.Quote > 0 && blocks[i-1].Quote > 0:
			w.out.WriteString("\n" + strings.TrimRight(quoted(min(b.Quote, blocks[i-1].Quote)), " ") + "\n")
		default:
			w.out.WriteString("\n\n")
		}
		w.block(b)
	}
}

func quoted(depth int) string { return strings.Repeat("> ", depth) }

func (w *markdownWriter) block(b render.Block) {
	prefix := quoted(b.Quote)
	switch b.Kind {
	case render.Code: // at the left, so that no line of it changes
		w.lines(fenced(b.Text.String(), b.Language), prefix, prefix)
	case render.Table:
		w.lines(w.table(b), prefix, prefix)
	case render.Rule:
		w.out.WriteString(prefix + "---")
	default:
		head, rest := prefix, prefix
		if b.Depth > 0 {
			indent := strings.Repeat("    ", b.Depth-1)
			head, rest = prefix+indent+marker(b), prefix+indent+"    "
		}
		if b.Kind == render.Heading {
			head += strings.Repeat("#", b.Level) + " "
			rest = prefix
		}
		w.lines(w.inline(b.Text, b.Kind == render.Heading), head, rest)
	}
}

func (w *markdownWriter) lines(text, head, rest string) {
	w.out.WriteString(head + strings.ReplaceAll(text, "\n", "\n"+rest))
}

// marker is what a list item starts with; the other blocks of an item start as deep as its text.
func marker(b render.Block) string {
	switch {
	case b.Marker == "":
		return "    "
	case b.Task == render.OpenTask:
		return b.Marker + " [ ] "
	case b.Task == render.DoneTask:
		return b.Marker + " [x] "
	}
	return b.Marker + " "
}

func fenced(code, language string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence
}

func (w *markdownWriter) table(b render.Block) string {
	var rows []string
	for i, row := range b.Rows {
		line := "|"
		for _, cell := range row {
			text := strings.ReplaceAll(w.inline(cell, true), "|", `\|`)
			line += " " + text + " |"
		}
		rows = append(rows, line)
		if i == 0 {
			line = "|"
			for _, a := range b.Align {
				line += map[render.Align]string{
					render.AlignLeft: " --- |", render.AlignCenter: " :---: |", render.AlignRight: " ---: |",
				}[a]
			}
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "\n")
}

// inline writes text with its styles. Spaces at the ends of a style stand outside of its marks, or these would be text.
func (w *markdownWriter) inline(text render.Spans, oneLine bool) string {
	var out strings.Builder
	for _, span := range text {
		s := span.Text
		if oneLine {
			s = strings.ReplaceAll(s, "\n", " ")
		}
		body := strings.TrimSpace(s)
		if body == "" {
			out.WriteString(s)
			continue
		}
		lead, tail, _ := strings.Cut(s, body)
		marks := marksOf(span.Style)
		if lead != "" {
			w.marks(&out, nil)
		}
		out.WriteString(lead)
		w.marks(&out, marks)
		out.WriteString(spelled(span, body))
		if tail != "" {
			w.marks(&out, nil)
			out.WriteString(tail)
		}
	}
	w.marks(&out, nil)
	return out.String()
}

func marksOf(style render.Style) []string {
	var marks []string
	if style&render.Bold != 0 {
		marks = append(marks, "**")
	}
	if style&render.Italic != 0 {
		marks = append(marks, "*")
	}
	if style&render.Strike != 0 {
		marks = append(marks, "~~")
	}
	return marks
}

// marks closes and opens marks so that exactly the given ones are open.
func (w *markdownWriter) marks(out *strings.Builder, marks []string) {
	same := 0
	for same < min(len(marks), len(w.open)) && marks[same] == w.open[same] {
		same++
	}
	for _, mark := range slices.Backward(w.open[same:]) {
		out.WriteString(mark)
	}
	for _, mark := range marks[same:] {
		out.WriteString(mark)
	}
	w.open = marks
}

// spelled is a span's text without the marks of its style.
func spelled(span render.Span, text string) string {
	switch {
	case span.Style&render.Mono != 0:
		text = mono(text)
	case span.Style&render.Bare == 0:
		text = literal(text)
	}
	if span.Link == "" {
		return text
	}
	return "[" + text + "](" + strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E").
		Replace(span.Link) + ")"
}

func mono(text string) string {
	tick := "`"
	for strings.Contains(text, tick) {
		tick += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return tick + text + tick
}

var (
	inlineMarks = regexp.MustCompile("[*~`\\[\\]]|\\\\(?:[[:punct:]])|\\b_|_\\b|&(?:#|\\w+;)|<[a-zA-Z/!?]")
	lineMarks   = regexp.MustCompile(`(?m)^(\s*)([#>+-]|\d+[.)])(\s|$|>)`)
)

// literal writes text so that nothing in it is taken for Markdown.
func literal(s string) string {
	s = inlineMarks.ReplaceAllStringFunc(s, func(mark string) string {
		if strings.HasPrefix(mark, `\`) {
			return `\\\` + mark[1:]
		}
		return `\` + mark
	})
	return lineMarks.ReplaceAllStringFunc(s, func(mark string) string {
		body := strings.TrimLeft(mark, " \t")
		at := len(mark) - len(body)
		if i := strings.IndexAny(body, ".)"); i > 0 {
			at += i
		}
		return mark[:at] + `\` + mark[at:]
	})
}
