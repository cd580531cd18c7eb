package scrub

import (
	"cmp"
	stdbase64 "encoding/base64"
	stdhex "encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// shortestValue is from what length a value can be registered: a shorter one would be found in ordinary words.
const shortestValue = 6

// values are what is known to be secret, in all its forms, by the bytes that they begin with.
type values struct {
	anchors  *anchorSet
	byKey    map[uint32][]form // the longest first
	longest  int               // bytes of a form
	original []string
}

// form is one way in which a value may stand in a text.
type form struct{ text, kind string }

// anchorSet tells which beginnings there are.
type anchorSet [1 << 10]uint64

func (a *anchorSet) has(key uint32) bool {
	h := hashOf(key)
	return a[h/64]&(1<<(h%64)) != 0
}

// Register lets a value be replaced from now on, wherever it stands: as it is, in JSON, in a URL, in hex and in base64.
// kind says what it is, in words. It tells false for a value that is too short to be found without harm.
func (s *Scrubber) Register(value, kind string) bool {
	value = strings.TrimSpace(value)
	if len(value) < shortestValue {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values.original, value) {
		return true
	}
	next := values{
		anchors: &anchorSet{}, byKey: maps.Clone(s.values.byKey), longest: s.values.longest,
		original: append(slices.Clone(s.values.original), value),
	}
	if s.values.anchors != nil {
		*next.anchors = *s.values.anchors
	}
	if next.byKey == nil {
		next.byKey = map[uint32][]form{}
	}
	for _, text := range formsOf(value) {
		key := anchorKey(text[0], text[1], text[2])
		list := append(slices.Clone(next.byKey[key]), form{text, kind})
		slices.SortStableFunc(list, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
		next.byKey[key] = list
		h := hashOf(key)
		next.anchors[h/64] |= 1 << (h % 64)
		next.longest = max(next.longest, len(text))
	}
	s.values = next
	return true
}

// formsOf are the ways in which a value may stand in a text.
func formsOf(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	if quoted, err := json.Marshal(value); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	h := stdhex.EncodeToString([]byte(value))
	all = append(all, h, strings.ToUpper(h))
	for _, e := range []*stdbase64.Encoding{stdbase64.RawStdEncoding, stdbase64.RawURLEncoding} {
		for shift := range 3 { // it may stand anywhere in what was encoded
			all = append(all, inBase64(e, value, shift))
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < shortestValue })
	slices.Sort(all)
	return slices.Compact(all)
}

// inBase64 is the part of an encoded value that is the same whatever stands around it, when shift bytes (modulo 3)
// stand before it.
func inBase64(e *stdbase64.Encoding, value string, shift int) string {
	const bitsOfByte, bitsOfChar = 8, 6
	encoded := e.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	first := (shift*bitsOfByte + bitsOfChar - 1) / bitsOfChar // the first character that holds only bits of the value
	last := (shift + len(value)) * bitsOfByte / bitsOfChar
	return encoded[first:last]
}

// at is the value that stands at i.
func (v *values) at(text string, i int) (Found, bool) {
	if v.anchors == nil || i+anchorLength > len(text) {
		return Found{}, false
	}
	key := anchorKey(text[i], text[i+1], text[i+2])
	if !v.anchors.has(key) {
		return Found{}, false
	}
	for _, f := range v.byKey[key] {
		if strings.HasPrefix(text[i:], f.text) {
			return Found{i, i + len(f.text), f.kind}, true
		}
	}
	return Found{}, false
}
