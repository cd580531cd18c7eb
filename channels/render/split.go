package render

import "slices"

// Writer writes blocks as one message in a platform's markup and returns it with the length that the platform counts
// against its limit: of the message, or of what a reader sees of it. A message's length is at least the number of
// runes of its visible text, and grows with the blocks. A Writer is called often with the same blocks and must not
// keep or change them.
type Writer[M any] func(blocks []Block) (message M, length int)

// Split writes the blocks as messages that are no longer than limit, in order. It ends a message between blocks where
// it can; what does not fit in a message of its own is cut at the end of a line, a sentence or a word, in this order,
// and else between runes. Code is cut at the ends of lines, which stay with the line, so that its parts joined are the
// original; a table between rows, with its header repeated. A heading stays with what follows. Blank messages are left
// out.
//
// Markers, fences and the like must leave room for text: below a limit of 64 a message may come out longer.
func Split[M any](blocks []Block, limit int, write Writer[M]) []M {
	p := pager{limit: limit, length: func(blocks []Block) int {
		_, length := write(blocks)
		return length
	}}
	var messages []M
	for rest := slices.Clone(blocks); len(rest) > 0; {
		var page []Block
		page, rest = p.next(rest)
		if seen(page) {
			message, _ := write(page)
			messages = append(messages, message)
		}
	}
	return messages
}

// pager takes one message after the other from the front of a list of blocks.
type pager struct {
	limit  int
	length func([]Block) int
}

// next returns the blocks of one message, at least a part of one, and what is left. It may change rest.
func (p pager) next(rest []Block) (page, left []Block) {
	n := p.fitting(rest)
	if n == len(rest) {
		return rest, nil
	}
	// The block that does not fit is cut only if it has to be, or else a heading would stand alone; and not for a
	// small rest of the message.
	end := p.boundary(rest, n)
	whole := n > 0 && p.fits(rest[n:n+1])
	if end > 0 && (whole || p.length(rest[:n]) > p.limit*3/4) {
		return rest[:end], rest[end:]
	}
	if head, tail, ok := p.cut(rest[:n], rest[n]); ok {
		page = append(slices.Clone(rest[:n]), head)
		if !seen([]Block{tail}) {
			return page, rest[n+1:]
		}
		rest[n] = tail
		return page, rest[n:]
	}
	if n > 0 {
		if end == 0 {
			end = n
		}
		return rest[:end], rest[end:]
	}
	return p.force(rest)
}

// fits tells whether the blocks make one message. Text that is too long in any case is not written to see it.
func (p pager) fits(blocks []Block) bool {
	least := 0
	for _, b := range blocks {
		for _, span := range b.Text {
			least += len(span.Text)
		}
		for _, row := range b.Rows {
			least += len(row)
			for _, cell := range row {
				for _, span := range cell {
					least += len(span.Text)
				}
			}
			if least > p.mostBytes() {
				return false
			}
		}
		if least++; least > p.mostBytes() {
			return false
		}
	}
	return p.length(blocks) <= p.limit
}

// mostBytes is the size of the longest text in UTF-8 that may be within the limit.
func (p pager) mostBytes() int { return 4*p.limit + 4 }

// fitting is how many blocks from the front fit in one message.
func (p pager) fitting(rest []Block) int {
	low, high := 0, 1
	for high < len(rest) && p.fits(rest[:high]) {
		low, high = high, high*2
	}
	return most(low, min(high, len(rest)), func(n int) bool { return p.fits(rest[:n]) })
}

// most is the greatest n up to high for which ok holds; for low it always does, and if for n, then for all below.
func most(low, high int, ok func(n int) bool) int {
	for low < high {
		mid := low + (high-low+1)/2
		if ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// boundary is the best number of whole blocks for a message in which n fit; 0 if it would end with a heading that has
// nothing before it. A blank line is a better end than the middle of a tight list, if half of the message is used.
func (p pager) boundary(rest []Block, n int) int {
	end := withoutHeading(rest, n)
	for k := end; k > 0; k-- {
		if rest[k].Tight || withoutHeading(rest, k) != k {
			continue
		}
		if p.length(rest[:k]) >= p.limit/2 {
			return k
		}
		break
	}
	return end
}

// withoutHeading moves the end of a message before the headings that it would end with.
func withoutHeading(rest []Block, end int) int {
	for end > 0 && rest[end-1].Kind == Heading {
		end--
	}
	return end
}

// force takes something from a first block of which not even a part fits: a table's row becomes code, links become
// text, and at last the limit is passed by one rune.
func (p pager) force(rest []Block) (page, left []Block) {
	b := &rest[0]
	spelled := SpellOut(rest[:1], func(Kind, string) bool { return false })[0]
	switch {
	case b.Kind == Table:
		*b = Block{Kind: Code, Text: Spans{{Text: Grid(*b)}}, Quote: b.Quote, Depth: b.Depth}
	case len(spelled.Text) != len(b.Text):
		*b = spelled
	default:
		head, tail := b.divide(graphemeEnd(b.Text.String()))
		if len(tail.Text) == 0 {
			return rest[:1], rest[1:]
		}
		*b = tail
		return []Block{head}, rest
	}
	return nil, rest
}

// seen tells whether a reader sees anything of the blocks.
func seen(blocks []Block) bool {
	return slices.ContainsFunc(blocks, func(b Block) bool {
		return b.Kind == Table || b.Kind == Rule || b.Marker != "" || !blank(b.Text.String())
	})
}
