package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// DefaultLimit is how many characters of a result a model is shown, about 2,000 tokens.
const DefaultLimit = 8000

// Truncate caps the text of results at limit characters; 0 means [DefaultLimit]. The cut is at the end of a line
// where one is near, and the model is told how much is missing and how to get at it.
func Truncate(limit int) After {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return func(_ context.Context, _ *Call, r *Result) {
		total := utf8.RuneCountInString(r.ForModel)
		if total <= limit {
			return
		}
		kept := head(r.ForModel, limit)
		cut := total - utf8.RuneCountInString(kept)
		r.ForModel = kept + fmt.Sprintf("\n[%d of %d characters are cut off here. To read the rest, call again for a "+
			"smaller part: a range of lines, a narrower path or a narrower query.]", cut, total)
	}
}

// head is the beginning of s with at most n characters, up to the last line break in its second half if there is one.
func head(s string, n int) string {
	end := len(s)
	for i := range s {
		if n == 0 {
			end = i
			break
		}
		n--
	}
	s = s[:end]
	if i := strings.LastIndexByte(s, '\n'); i >= len(s)/2 {
		return s[:i]
	}
	return s
}
