package skill

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Parameters of BM25 as they are usual: how soon more of the same word counts no more, and how much long texts lose.
const (
	saturation = 1.2
	lengthLoss = 0.75
)

// rank gives the indexes of the n texts that are most about a query, the best first, by BM25 (Robertson and Zaragoza,
// "The Probabilistic Relevance Framework", 2009). Texts without any of its words are left out.
func rank(query string, texts []string, n int) []int {
	counts, lengths, total := make([]map[string]int, len(texts)), make([]int, len(texts)), 0
	within := map[string]int{} // in how many texts a word is
	for i, text := range texts {
		counts[i] = map[string]int{}
		for _, w := range words(text) {
			if counts[i][w]++; counts[i][w] == 1 {
				within[w]++
			}
			lengths[i]++
		}
		total += lengths[i]
	}
	wanted := words(query)
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	scores := make([]float64, len(texts))
	var hits []int
	for i := range texts {
		norm := saturation * (1 - lengthLoss + lengthLoss*float64(lengths[i]*len(texts))/float64(max(total, 1)))
		for _, w := range wanted {
			tf, df := float64(counts[i][w]), float64(within[w])
			rarity := math.Log(1 + (float64(len(texts))-df+0.5)/(df+0.5))
			scores[i] += rarity * tf * (saturation + 1) / (tf + norm)
		}
		if scores[i] > 0 {
			hits = append(hits, i)
		}
	}
	slices.SortStableFunc(hits, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return hits[:min(n, len(hits))]
}

// words are the words of a text in small letters, without the endings by which forms of one word most often differ.
func words(text string) []string {
	found := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, w := range found {
		found[i] = stem(w)
	}
	return found
}

// stem takes an English ending off a word that stays long enough: release, releases, released and releasing are one.
func stem(w string) string {
	const shortest = 4
	for _, ending := range []string{"ing", "es", "ed", "s", "e"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= shortest {
			return base
		}
	}
	return w
}
