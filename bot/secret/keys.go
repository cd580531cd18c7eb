package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Keys is where the keys are. Either Text holds them, or a file does; both are refused.
type Keys struct {
	Text string
	Path string
	// Mine says that the program makes the file when it is missing, and changes it. Others are somebody's own.
	Mine bool
}

// ErrNoKeys tells that there are no keys yet.
var ErrNoKeys = errors.New("there is no key yet")

// Where tells in words where the keys are.
func (k Keys) Where() string {
	if k.Text != "" {
		return "LEADHAND_SECRET_KEY"
	}
	return k.Path
}

// maxKeyFile bounds a file of keys, in bytes.
const maxKeyFile = 16 << 10

// Ring reads the keys. ErrNoKeys.
func (k Keys) Ring() (Ring, error) {
	if k.Text != "" && k.Path != "" {
		return nil, errors.New("LEADHAND_SECRET_KEY and LEADHAND_SECRET_KEY_FILE are both set: take one of them")
	}
	text := k.Text
	if text == "" {
		f, err := os.Open(k.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s is missing", ErrNoKeys, k.Path)
		}
		if err != nil {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		defer func() { _ = f.Close() }()
		raw, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
		if err != nil {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		text = string(raw)
	}
	ring, err := ParseRing(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Where(), err)
	}
	return ring, nil
}

// ensure is Ring, and makes the file if it is the program's to make.
func (k Keys) ensure() (Ring, error) {
	ring, err := k.Ring()
	if !errors.Is(err, ErrNoKeys) || !k.Mine {
		return ring, err
	}
	unlock, err := k.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if ring, err = k.Ring(); !errors.Is(err, ErrNoKeys) { // somebody was first
		return ring, err
	}
	fresh, err := Generate()
	if err != nil {
		return nil, err
	}
	return Ring{fresh}, k.write(Ring{fresh})
}

// lock keeps other processes from changing the file. It never waits.
func (k Keys) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the key: %w", err)
	}
	lock := flock.New(k.Path+".lock", flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the key: %w", err)
	}
	if !got {
		return nil, errors.New("another leadhand changes the key right now: try again")
	}
	return func() { _ = lock.Unlock() }, nil
}

// write puts the keys into the file, whole or not at all, for its owner alone.
func (k Keys) write(ring Ring) (err error) {
	f, err := os.CreateTemp(filepath.Dir(k.Path), "."+filepath.Base(k.Path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the key: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.WriteString(ring.text())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), k.Path)
}
