package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Letters of codes: none that people take for another.
const codeLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

const (
	codeHalf    = 4 // letters of each half of a code
	requestCode = 5 // letters of a request's name, which opens nothing by itself
)

// NewCode is a fresh code such as K7QF-29XM: 40 bits.
func NewCode() string { return letters(codeHalf) + "-" + letters(codeHalf) }

// NewRequestCode names a request.
func NewRequestCode() string { return letters(requestCode) }

func letters(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = codeLetters[int(b[i])%len(codeLetters)]
	}
	return string(b)
}

// ReadCode is the code that a text consists of, alone or behind its kind ("claim K7QF-29XM"); ok is false when it is
// something else.
func ReadCode(text string) (code string, ok bool) {
	fields := strings.Fields(strings.ToUpper(text))
	if len(fields) == 2 && (fields[0] == "CLAIM" || fields[0] == "LINK" || fields[0] == "/START") {
		fields = fields[1:]
	}
	if len(fields) != 1 {
		return "", false
	}
	a, b, ok := strings.Cut(fields[0], "-")
	if !ok || len(a) != codeHalf || len(b) != codeHalf || strings.Trim(a+b, codeLetters) != "" {
		return "", false
	}
	return fields[0], true
}

// HashCode is what is kept of a code.
func HashCode(code string) string {
	sum := sha256.Sum256([]byte("leadhand code " + strings.ToUpper(code)))
	return hex.EncodeToString(sum[:])
}
