package render

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline flattens the tree of inline nodes of one block.
type inline struct {
	source []byte
	cell   bool // the block is a table's cell
	out    Spans
	last   Span            // the span being written, without its text
	text   strings.Builder // of last
	task   Task
}

// spansOf returns the text of a block's node.
func (in *inline) spansOf(n ast.Node) Spans {
	in.children(n, Span{})
	in.flush()
	return in.out
}

// children adds what is in n in the style and with the link of as.
func (in *inline) children(n ast.Node, as Span) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		in.node(child, as)
	}
}

func (in *inline) node(n ast.Node, as Span) {
	switch n := n.(type) {
	case *ast.Text:
		in.segment(n, as)
	case *ast.String:
		in.add(string(n.Value), as)
	case *ast.CodeSpan:
		in.mono(n, as)
	case *ast.Emphasis:
		if n.Level == 1 {
			as.Style |= Italic
		} else {
			as.Style |= Bold
		}
		in.children(n, as)
	case *extast.Strikethrough:
		as.Style |= Strike
		in.children(n, as)
	case *ast.Link:
		in.link(n, string(n.Destination), as)
	case *ast.Image:
		in.link(n, string(n.Destination), as)
	case *ast.AutoLink:
		as.Style |= Bare
		in.add(string(n.Label(in.source)), as)
	case *ast.RawHTML:
		in.add(string(n.Segments.Value(in.source)), as)
	case *extast.TaskCheckBox:
		in.task = OpenTask
		if n.IsChecked {
			in.task = DoneTask
		}
	default:
		in.children(n, as)
	}
}

func (in *inline) segment(n *ast.Text, as Span) {
	s := string(n.Value(in.source))
	if !n.IsRaw() {
		s = unescape(s)
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		s += "\n"
	}
	in.add(s, as)
}

func (in *inline) mono(n *ast.CodeSpan, as Span) {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Value(in.source))
		}
	}
	s := strings.ReplaceAll(b.String(), "\n", " ")
	if in.cell {
		s = strings.ReplaceAll(s, `\|`, "|")
	}
	as.Style |= Mono
	in.add(s, as)
}

// link adds a link, or an image as a link with the alternative text. Of a link around an image the outer one counts.
func (in *inline) link(n ast.Node, destination string, as Span) {
	if as.Link == "" {
		as.Link = strings.TrimSpace(unescape(destination))
	}
	in.flush()
	before := len(in.out)
	in.children(n, as)
	in.flush()
	if blank(in.out[before:].String()) {
		in.add(as.Link, as)
	}
}

// add appends text, to the last span if it looks the same. Addresses stay apart.
func (in *inline) add(s string, as Span) {
	if as != in.last || as.Style&Bare != 0 {
		in.flush()
		in.last = as
	}
	in.text.WriteString(s)
}

func (in *inline) flush() {
	if in.text.Len() > 0 {
		span := in.last
		span.Text = in.text.String()
		in.out = append(in.out, span)
		in.text.Reset()
	}
}

// unescape resolves backslashes and character references in one pass, so that what a backslash or a reference yields
// is not resolved again.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			n := referenceLength(s[i:])
			b.WriteString(resolve(s[i : i+n]))
			i += n
		default:
			n := strings.IndexAny(s[i+1:], `\&`)
			if n < 0 {
				n = len(s) - i - 1
			}
			b.WriteString(s[i : i+1+n])
			i += 1 + n
		}
	}
	return b.String()
}

// referenceLength is the length of what may be a character reference at the start of s, 1 if it cannot be one.
func referenceLength(s string) int {
	const longest = 34 // "&CounterClockwiseContourIntegral;" is the longest name
	for i := 1; i < min(len(s), longest); i++ {
		switch c := s[i]; {
		case c == ';':
			return i + 1
		case c == '#' && i == 1, util.IsAlphaNumeric(c):
		default:
			return 1
		}
	}
	return 1
}

// resolve is the text that a character reference stands for, or the reference itself if it means nothing.
func resolve(reference string) string {
	name := strings.Trim(reference, "&;")
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		if entity, ok := util.LookUpHTML5EntityByName(name); ok && strings.HasSuffix(reference, ";") {
			return string(entity.Characters)
		}
		return reference
	}
	base, longest := 10, 7
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base, longest = digits[1:], 16, 6
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > longest {
		return reference
	}
	return string(util.ToValidRune(rune(n)))
}
