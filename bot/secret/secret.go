// Package secret keeps values that nobody may read in the database: tokens, passwords, keys.
//
// A [Vault] seals each value under the first key of a [Ring], bound to its row, so that a row that was moved or changed
// does not open. The keys stay outside of the database: in the environment or in a file ([Keys]).
package secret

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Secret is what may be told of a kept value.
type Secret struct {
	Name  string
	Key   string // the ID of the key under which it is sealed
	SetBy string // who set it, in words
	SetAt time.Time
}

// Sealed is a value under a key.
type Sealed struct {
	Key  string // its ID
	Text []byte // nonce, ciphertext and tag
}

// Row is where a sealed value belongs.
type Row struct{ Tenant, Name string }

// Store keeps sealed values.
type Store interface {
	// Put sets a value in the place of an earlier one.
	Put(ctx context.Context, row Row, s Sealed, by string) error
	// Get gives a value; ok is false when there is none.
	Get(ctx context.Context, row Row) (s Sealed, ok bool, err error)
	// List tells of all, by name.
	List(ctx context.Context, tenant string) ([]Secret, error)
	// Remove forgets a value and tells whether there was one.
	Remove(ctx context.Context, row Row) (bool, error)
	// Reseal gives every value to again and keeps what that returns: all of them, or none on an error.
	Reseal(ctx context.Context, tenant string, again func(row Row, s Sealed) (Sealed, error)) (n int, err error)
}

// MaxValue is the length of the longest value in bytes.
const MaxValue = 64 << 10

// ErrUnknown tells that there is no secret of that name.
var ErrUnknown = errors.New("there is no secret of that name")

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// CheckName tells what is wrong with a name. Its error does not hold it: somebody may have given the value.
func CheckName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return errors.New("the name of a secret has up to 64 letters, digits, -, _ and ., and begins with a letter or digit")
}

func checkValue(value string) error {
	switch {
	case value == "":
		return errors.New("the value is empty, so nothing is kept; `leadhand secret remove` takes a secret away")
	case len(value) > MaxValue:
		return fmt.Errorf("the value has %d bytes, and a secret up to %d", len(value), MaxValue)
	}
	return nil
}
