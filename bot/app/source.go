package app

import (
	"errors"
	"fmt"

	"github.com/leadhand/leadhand/bot/app/strict"
)

// Source is where a secret is read from.
type Source struct{ Env, File string }

// read reads a secret; flag begins the flags that name the source. Errors never hold the secret, nor the name: somebody
// may have given the one in the place of the other.
func (s Source) read(env Environ, flag string) (string, error) {
	switch {
	case s.Env != "" && s.File != "":
		return "", fmt.Errorf("%senv and %sfile: take one of them", flag, flag)
	case s.Env != "":
		value := env[s.Env]
		if value == "" {
			return "", fmt.Errorf("%senv: the environment has nothing under the name that is given", flag)
		}
		return value, nil
	case s.File != "":
		raw, err := strict.ReadBounded(s.File)
		if err != nil {
			return "", fmt.Errorf("%sfile: the file that is named can't be read: %w", flag, err)
		}
		return string(raw), nil
	}
	return "", errors.New("no source is named")
}
