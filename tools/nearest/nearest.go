// Package nearest finds the known names that somebody probably meant, for error texts about tools, settings and files.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	// longest bounds the runes of a name that are compared, so that a hostile name costs little.
	longest = 64
	// enough is the likeness from which a name is worth showing; 1 means the same letters or words.
	enough = 0.5
)

// Nearest gives up to n of the names in among that are most like name, the best first. Likeness is by words in any
// order ("file_read" is read_file) or by letters ("raed_file"), whatever the case and the separators. Names that are
// not at all alike are left out.
func Nearest(name string, among []string, n int) []string {
	type candidate struct {
		name     string
		likeness float64
	}
	wanted := words(name)
	var found []candidate
	for _, other := range among {
		if l := likeness(wanted, words(other)); l >= enough {
			found = append(found, candidate{other, l})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range found[:min(n, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// words splits at separators and where an upper-case letter follows a lower-case one.
func words(s string) []string {
	var b strings.Builder
	previous, count := ' ', 0
	for _, r := range s {
		if count++; count > longest {
			break
		}
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	return strings.Fields(b.String())
}

func likeness(a, b []string) float64 {
	return max(similar(strings.Join(a, ""), strings.Join(b, "")), sharedWords(a, b))
}

// sharedWords is the share of words that a and b have in common, a word with a typing error included.
func sharedWords(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	rest := slices.Clone(b)
	shared := 0.0
	for _, word := range a {
		best, at := 0.7, -1
		for i, other := range rest {
			if s := similar(word, other); s >= best {
				best, at = s, i
			}
		}
		if at >= 0 {
			shared += best
			rest = slices.Delete(rest, at, at+1)
		}
	}
	return shared / (float64(len(a)+len(b)) - shared)
}

// similar is 1 for equal words and 0 for words without any letter in place.
func similar(a, b string) float64 {
	ra, rb := []rune(a), []rune(b)
	if len(ra) == 0 || len(rb) == 0 {
		return 0
	}
	return 1 - float64(distance(ra, rb))/float64(max(len(ra), len(rb)))
}

// distance counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
func distance(a, b []rune) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
