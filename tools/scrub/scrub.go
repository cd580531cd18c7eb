// Package scrub takes secrets out of texts before they reach a model, a chat, a log or the database.
//
// What is known is replaced wherever it stands, also encoded: see [Scrubber.Register]. What only looks like a secret is
// found by shape: keys by the prefixes that their vendors give them, tokens and connection strings by their structure,
// anything else by the name that it is assigned to. Hashes of commits, UUIDs and code stay as they are. The labelled
// texts in testdata tell how well that goes.
package scrub

import (
	"slices"
	"strings"
	"sync"
)

// Scrubber finds and replaces secrets. The zero value knows the shapes and no values. It is safe for concurrent use.
type Scrubber struct {
	mu     sync.Mutex
	values values // replaced as a whole when one is added
}

// Found is a secret in a text.
type Found struct {
	Start, End int    // bytes in the text
	Kind       string // what it is, in words: "GitHub token"
}

// Text is a text without its secrets: each is replaced by a mark that says what it was, "[secret: GitHub token]". What
// is scrubbed again stays the same.
func (s *Scrubber) Text(text string) string {
	found := s.Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	done := 0
	for _, f := range found {
		b.WriteString(text[done:f.Start])
		b.WriteString(markStart + f.Kind + markEnd)
		done = f.End
	}
	b.WriteString(text[done:])
	return b.String()
}

const (
	markStart = "[secret: "
	markEnd   = "]"
)

// Find lists the secrets in a text, in order, none over another.
func (s *Scrubber) Find(text string) []Found {
	plain, at := visible(text)
	found := s.find(plain)
	if at != nil {
		for i := range found {
			found[i].Start, found[i].End = at(found[i].Start, false), at(found[i].End, true)
		}
	}
	return found
}

// find is Find of a text without invisible characters.
func (s *Scrubber) find(text string) []Found {
	known := s.known()
	var found []Found
	done := 0
	for i := 0; i < len(text); i++ {
		if i < done {
			i = done
			if i >= len(text) {
				break
			}
		}
		f, ok := known.at(text, i)
		if !ok {
			f, ok = shapeAt(text, i, done)
		}
		if ok && f.End > f.Start {
			found = append(found, f)
			done = f.End
		}
	}
	return found
}

// known are the values that were registered. They are only read.
func (s *Scrubber) known() values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values
}

// shapeAt is a secret by its shape whose sign stands at i. It may begin before i, but not before from.
func shapeAt(text string, i, from int) (Found, bool) {
	switch text[i] {
	case ':':
		if f, ok := telegramToken(text, i, from); ok {
			return f, true
		}
	case '.':
		if f, ok := discordToken(text, i, from); ok {
			return f, true
		}
	}
	if i+anchorLength > len(text) {
		return Found{}, false
	}
	key := anchorKey(text[i], text[i+1], text[i+2])
	if !shapes.seen(key) {
		return Found{}, false
	}
	for _, try := range shapes.tries[key] {
		if f, ok := try(text, i, from); ok {
			return f, true
		}
	}
	return Found{}, false
}

// try looks for a secret at i. What it finds may begin before i, but not before from.
type try func(text string, i, from int) (Found, bool)

// anchorLength is how many bytes decide whether something is looked at more closely.
const anchorLength = 3

// anchorKey is three bytes as a number, the same for small and capital letters.
func anchorKey(a, b, c byte) uint32 {
	const small = 0x20
	return uint32(a|small)<<16 | uint32(b|small)<<8 | uint32(c|small)
}

// anchors finds tries by the bytes that they begin with.
type anchors struct {
	bits  [1 << 10]uint64 // which hashes of keys there are
	tries map[uint32][]try
}

func (a *anchors) add(begin string, t try) {
	key := anchorKey(begin[0], begin[1], begin[2])
	if a.tries == nil {
		a.tries = map[uint32][]try{}
	}
	a.tries[key] = append(a.tries[key], t)
	h := hashOf(key)
	a.bits[h/64] |= 1 << (h % 64)
}

// seen tells whether something may begin with a key; it is wrong seldom, and never when something does.
func (a *anchors) seen(key uint32) bool {
	h := hashOf(key)
	return a.bits[h/64]&(1<<(h%64)) != 0
}

// hashOf is a number of 16 bits.
func hashOf(key uint32) uint32 { return (key * 2654435761) >> 16 }

// shapes are the tries of all shapes.
var shapes = func() *anchors {
	a := &anchors{}
	for i := range prefixes {
		p := &prefixes[i]
		a.add(p.begin, p.at)
	}
	for begin, t := range structures {
		a.add(begin, t)
	}
	seen := map[string]bool{}
	for _, word := range secretWords {
		if begin := word[:anchorLength]; !seen[begin] {
			seen[begin] = true
			a.add(begin, assigned)
		}
	}
	return a
}()

// Kinds lists what is found by shape.
func Kinds() []string {
	var all []string
	for _, p := range prefixes {
		all = append(all, p.kind)
	}
	all = append(all, kindTelegram, kindDiscord, kindJWT, kindPEM, kindPassword, kindURLToken, kindHeader, kindSlackHook,
		kindDiscordHook, kindAssigned)
	slices.Sort(all)
	return slices.Compact(all)
}
