package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// keySize is that of AES-256, in bytes.
const keySize = 32

// Key seals values. It is written as 32 bytes in base64 or hexadecimal digits.
type Key struct {
	id   string
	raw  [keySize]byte
	aead cipher.AEAD
}

// ID names a key without telling anything of it: the beginning of a hash.
func (k *Key) ID() string { return k.id }

func (k *Key) String() string { return "key " + k.id }

// GoString keeps the key out of what prints everything.
func (k *Key) GoString() string { return k.String() }

func (k *Key) text() string { return base64.StdEncoding.EncodeToString(k.raw[:]) }

func newKey(raw [keySize]byte) (*Key, error) {
	block, err := aes.NewCipher(raw[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("leadhand secret key\x00"), raw[:]...))
	return &Key{id: hex.EncodeToString(sum[:4]), raw: raw, aead: aead}, nil
}

// Generate makes a key.
func Generate() (*Key, error) {
	var raw [keySize]byte
	_, _ = rand.Read(raw[:]) // never fails
	return newKey(raw)
}

// errNoKey tells that a text is no key, without repeating it.
var errNoKey = errors.New("a key is 32 bytes in base64 or hexadecimal digits; `openssl rand -base64 32` makes one")

func parseKey(text string) (*Key, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != keySize {
		raw, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(
			strings.NewReplacer("-", "+", "_", "/").Replace(text), "="))
	}
	if err != nil || len(raw) != keySize {
		return nil, errNoKey
	}
	return newKey([keySize]byte(raw))
}

// Ring is keys: the first seals, all open.
type Ring []*Key

// ParseRing reads keys that stand between white space or commas.
func ParseRing(text string) (Ring, error) {
	var ring Ring
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		k, err := parseKey(word)
		if err != nil {
			return nil, err
		}
		ring = append(ring, k)
	}
	if len(ring) == 0 {
		return nil, errNoKey
	}
	return ring, nil
}

func (r Ring) text() string {
	var b strings.Builder
	for _, k := range r {
		b.WriteString(k.text() + "\n")
	}
	return b.String()
}

func (r Ring) find(id string) *Key {
	for _, k := range r {
		if k.id == id {
			return k
		}
	}
	return nil
}

func (r Ring) ids() string {
	ids := make([]string, len(r))
	for i, k := range r {
		ids[i] = k.id
	}
	return strings.Join(ids, ", ")
}

// Errors of opening.
var (
	ErrKey     = errors.New("it is sealed under another key")
	ErrDamaged = errors.New("it was changed or moved in the database, and does not open")
)

// Seal seals a value for a row.
func (r Ring) Seal(row Row, value string) Sealed {
	k := r[0]
	return Sealed{Key: k.id, Text: k.aead.Seal(nil, nil, []byte(value), row.bound(k.id))}
}

// Open opens the value of a row. ErrKey, ErrDamaged.
func (r Ring) Open(row Row, s Sealed) (string, error) {
	k := r.find(s.Key)
	if k == nil {
		return "", fmt.Errorf("%w: %s, and here is %s", ErrKey, s.Key, r.ids())
	}
	value, err := k.aead.Open(nil, nil, s.Text, row.bound(k.id))
	if err != nil {
		return "", ErrDamaged
	}
	return string(value), nil
}

// bound is what a sealed value is bound to: nothing of it can be put in another row.
func (row Row) bound(key string) []byte {
	var b []byte
	for _, part := range []string{row.Tenant, row.Name, key} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}
