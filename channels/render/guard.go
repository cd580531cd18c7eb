package render

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The parser is quadratic in a few numbers. These bounds keep 200 kB of the worst input below half a second, and
// no text that a person would read reaches them.
const (
	maxNesting = 32       // quotes and lists (two each) around a block
	maxCells   = 50_000   // columns times lines of a table
	maxLines   = 2_000    // of a paragraph that may start with link definitions
	maxInline  = 16 << 10 // bytes in one block whose inline markup is parsed
	// Inline parsing takes up to the square of a block's number of markup characters, about 3 ns each.
	maxWork   = 40_000_000 // sum of the squares over the document
	cheapMark = 64         // a block with fewer markup characters is not counted
)

// shallow stops a container from opening deeper than maxNesting: its markers are text there.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxNesting {
			return nil, parser.NoChildren
		}
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// brief keeps a long paragraph as it is instead of looking for link definitions at its start.
type brief struct{ parser.ParagraphTransformer }

func (t brief) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if node.Lines().Len() <= maxLines {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// narrow leaves a table as text when filling up its short rows would make it enormous.
type narrow struct{ parser.ParagraphTransformer }

func (t narrow) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, columns := node.Lines(), 0
	for i := range lines.Len() {
		line := lines.At(i)
		columns = max(columns, bytes.Count(line.Value(reader.Source()), []byte{'|'}))
	}
	if columns*lines.Len() <= maxCells {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// inlineMarks starts every inline construct; a space stands for the start of a line or a word.
const inlineMarks = " *_~[]!`<("

// inlineGuard comes before all other inline parsers and takes a block as text if parsing it would take too long.
// It serves one document.
type inlineGuard struct {
	block   ast.Node // the last one seen
	literal bool     // the block is taken as text
	work    int
}

func (*inlineGuard) Trigger() []byte { return []byte(inlineMarks) }

func (g *inlineGuard) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if parent != g.block {
		g.block, g.literal = parent, !g.affordable(parent.Lines(), block.Source())
	}
	if !g.literal {
		return nil
	}
	for {
		line, segment := block.PeekLine()
		segment = segment.WithStop(segment.Start + len(bytes.TrimSuffix(line, []byte{'\n'})))
		node := ast.NewRawTextSegment(segment)
		block.AdvanceLine()
		if next, _ := block.PeekLine(); next == nil {
			return node
		}
		node.SetSoftLineBreak(true)
		parent.AppendChild(parent, node)
	}
}

func (g *inlineGuard) affordable(lines *text.Segments, source []byte) bool {
	size, marks := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		size += segment.Len()
		if size > maxInline {
			return false
		}
		for _, c := range segment.Value(source) {
			if c != ' ' && bytes.IndexByte([]byte(inlineMarks), c) >= 0 {
				marks++
			}
		}
	}
	if marks <= cheapMark {
		return true
	}
	g.work += marks * marks
	return g.work <= maxWork
}
