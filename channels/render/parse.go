package render

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse reads CommonMark with GFM tables, strikethrough, task lists and bare links. Any text is valid, also an answer
// that is still being written: what is not complete yet is text, and an open fence reaches to the end. HTML is text.
// No block is blank, except for a list item that is. Time is linear in the input also for hostile input, because what
// would take too long to understand is kept as text.
func Parse(markdown string) []Block {
	source := []byte(clean(markdown))
	root := newParser().Parse(text.NewReader(source))
	c := converter{source: source}
	c.children(root, false)
	return c.out
}

// clean makes line ends "\n" and takes out what is not text.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
}

// webAddress is a bare link. Beyond GFM it takes hosts without a dot ("http://localhost:8080") and "*" and "|" in the
// path, where emphasis would take characters out of the address.
var webAddress = regexp.MustCompile(
	`^(?:https?|ftp)://[-a-zA-Z0-9@:%._+~#=]+(?:[/#?][-a-zA-Z0-9@:%_+.~#$!?&/=();,'">^{}\[\]*|` + "`" + `]*)?`)

// newParser makes a parser for one document: its guards count.
func newParser() parser.Parser {
	return parser.NewParser(
		// HTML blocks are left out: an unclosed one would swallow the rest of the answer.
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(&inlineGuard{}, 0),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 50),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(extension.WithLinkifyURLRegexp(webAddress)), 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(brief{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(narrow{extension.NewTableParagraphTransformer()}, 200),
		),
	)
}
