package render

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// converter flattens the tree of blocks.
type converter struct {
	source []byte
	out    []Block

	quote, depth int
	tight        bool   // for the next block
	marker       string // of a list item that has shown nothing yet
}

// children converts what is in n; all but the first follow their predecessor tightly if tight is set.
func (c *converter) children(n ast.Node, tight bool) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.PreviousSibling() != nil {
			c.tight = tight
		}
		c.block(child)
	}
}

func (c *converter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Blockquote:
		c.quote++
		c.children(n, false)
		c.quote--
	case *ast.List:
		c.list(n)
	case *ast.Heading:
		c.text(Block{Kind: Heading, Level: n.Level}, n)
	case *ast.FencedCodeBlock:
		c.code(n, language(n.Language(c.source)))
	case *ast.CodeBlock:
		c.code(n, "")
	case *ast.ThematicBreak:
		c.leaf(Block{Kind: Rule})
	case *extast.Table:
		c.table(n)
	default: // paragraphs, and the text of a tight list item
		c.text(Block{Kind: Paragraph}, n)
	}
}

func (c *converter) list(list *ast.List) {
	c.lonelyMarker()
	c.depth++
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil {
			c.tight = list.IsTight
		}
		c.marker = "-"
		if list.IsOrdered() {
			c.marker = strconv.Itoa(number) + string(list.Marker)
			number++
		}
		c.children(item, list.IsTight)
		c.lonelyMarker()
	}
	c.depth--
}

// lonelyMarker shows an item whose first block cannot carry the marker, or that is empty.
func (c *converter) lonelyMarker() {
	if c.marker != "" {
		c.add(Block{Kind: Paragraph})
		c.tight = true
	}
}

func (c *converter) text(b Block, n ast.Node) {
	in := inline{source: c.source}
	b.Text = in.spansOf(n)
	b.Task = in.task
	if c.marker == "" {
		b.Task = NoTask
	}
	if !blank(b.Text.String()) || b.Task != NoTask {
		c.add(b)
	}
}

func (c *converter) code(n ast.Node, language string) {
	text := strings.TrimSuffix(string(n.Lines().Value(c.source)), "\n")
	if !blank(text) {
		c.leaf(Block{Kind: Code, Language: language, Text: Spans{{Text: text}}})
	}
}

func (c *converter) table(n *extast.Table) {
	b := Block{Kind: Table}
	for _, a := range n.Alignments {
		align := AlignLeft
		switch a {
		case extast.AlignRight:
			align = AlignRight
		case extast.AlignCenter:
			align = AlignCenter
		}
		b.Align = append(b.Align, align)
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Spans
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			in := inline{source: c.source, cell: true}
			cells = append(cells, in.spansOf(cell))
		}
		b.Rows = append(b.Rows, cells)
	}
	c.leaf(b)
}

// leaf adds a block that cannot carry a list marker.
func (c *converter) leaf(b Block) {
	c.lonelyMarker()
	c.add(b)
}

func (c *converter) add(b Block) {
	b.Quote, b.Depth = min(c.quote, MaxDepth), min(c.depth, MaxDepth)
	b.Marker, b.Tight = c.marker, c.tight && len(c.out) > 0
	c.marker = ""
	c.out = append(c.out, b)
}

// language keeps of a fence's first word what is safe in every platform's markup.
func language(word []byte) string {
	const longest = 32
	s := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+#-_.", r)) {
			return r
		}
		return -1
	}, string(word))
	return s[:min(len(s), longest)]
}

// blank tells whether a reader sees nothing; platforms refuse such messages.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
	}) < 0
}
