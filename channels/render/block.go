// Package render prepares a model's Markdown for messengers.
//
// [Parse] turns Markdown into a flat list of blocks once. [Split] divides the list into messages at the best places it
// finds, and measures them as they will be sent: each adapter brings a [Writer] that writes blocks in its platform's
// markup and tells how much of the platform's limit they take. [SpellOut] and [Grid] are for platforms that cannot
// show every link, or no table.
//
//	blocks := render.SpellOut(render.Parse(markdown), allowed)
//	messages := render.Split(blocks, 2000, write)
//
// The package knows no platform. It never fails: whatever is not Markdown is text.
package render

import "strings"

// Kind says what a block is and with it which fields of Block have a meaning.
type Kind uint8

// The kinds of blocks, each with the fields that it uses.
const (
	Paragraph Kind = iota // Text
	Heading               // Text, Level
	Code                  // Text (one span without style), Language
	Table                 // Rows, Align
	Rule                  // nothing more
)

// Block is one piece of a message that stands on lines of its own. Quotes and lists are not blocks: each block tells
// how deep in them it stands. A block that was cut by Split is two blocks of the same kind, the second without Marker.
type Block struct {
	Kind     Kind
	Text     Spans     // lines are separated by "\n"; code has no newline at its end
	Rows     [][]Spans // the first row is the header; all rows have the same number of cells
	Align    []Align   // per column
	Level    int       // 1 to 6
	Language string    // of letters, digits and "+#-_." only; empty if unknown
	Quote    int       // number of quotes around the block, at most MaxDepth
	Depth    int       // number of lists around the block, at most MaxDepth
	Marker   string    // "-", "3." or "3)" on a Paragraph or Heading that starts a list item; its Text may be empty
	Task     Task      // only with a Marker
	Tight    bool      // no blank line between this block and the one before
}

// MaxDepth bounds Quote and Depth: what is nested deeper is shown at this depth, so that indentation stays small
// against any platform's limit.
const MaxDepth = 8

// Task tells whether a list item is a task.
type Task uint8

// The states of a list item.
const (
	NoTask Task = iota
	OpenTask
	DoneTask
)

// Align is how the cells of a table's column are set.
type Align uint8

// The ways to set a column.
const (
	AlignLeft Align = iota
	AlignCenter
	AlignRight
)

// Style is a set of text attributes.
type Style uint8

// The attributes of text.
const (
	Bold Style = 1 << iota
	Italic
	Strike
	Mono // inline code
	// Bare marks a web or mail address that stands for itself. Platforms find it by themselves; a writer must not
	// escape or change it.
	Bare
)

// Span is text of one style. Text is what a reader sees: nothing in it is markup, and a Writer escapes it.
type Span struct {
	Text  string
	Style Style
	Link  string // destination, empty if none
}

// Spans is text of several styles.
type Spans []Span

// String is the text without its styles.
func (s Spans) String() string {
	if len(s) == 1 {
		return s[0].Text
	}
	var b strings.Builder
	for _, span := range s {
		b.WriteString(span.Text)
	}
	return b.String()
}

// first is the text up to the first n bytes; the bytes of one span may be cut inside a rune.
func (s Spans) first(n int) string {
	var b strings.Builder
	for _, span := range s {
		if b.Len()+len(span.Text) >= n {
			b.WriteString(span.Text[:n-b.Len()])
			break
		}
		b.WriteString(span.Text)
	}
	return b.String()
}

// divide cuts the text at a byte offset inside it.
func (s Spans) divide(at int) (head, tail Spans) {
	for i, span := range s {
		if at >= len(span.Text) {
			at -= len(span.Text)
			continue
		}
		left, right := span, span
		left.Text, right.Text = span.Text[:at], span.Text[at:]
		head = append(head, s[:i]...)
		if at > 0 {
			head = append(head, left)
		}
		tail = append(Spans{right}, s[i+1:]...)
		return head, tail
	}
	return s, nil
}
