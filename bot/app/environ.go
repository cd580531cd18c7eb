package app

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/bot/app/strict"
)

// Environ is the environment.
type Environ map[string]string

// OSEnviron is the environment of this process.
func OSEnviron() Environ {
	env := Environ{}
	for _, pair := range os.Environ() {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	return env
}

// variables are all that start with LEADHAND_; others of that prefix are mistakes.
var variables = []string{
	"LEADHAND_ACCESS", "LEADHAND_CONFIG", "LEADHAND_DATA", "LEADHAND_DATABASE_URL", "LEADHAND_LISTEN", "LEADHAND_LOG",
	"LEADHAND_MODEL", "LEADHAND_SECRET_KEY", "LEADHAND_SECRET_KEY_FILE", "LEADHAND_TIME_ZONE",
}

// misspelt finds variables that look like ours but are not.
func (env Environ) misspelt() []error {
	var errs []error
	for _, name := range names(env) {
		known := slices.Contains(variables, name) || strings.HasPrefix(name, "LEADHAND_TEST_")
		if strings.HasPrefix(name, "LEADHAND_") && !known {
			errs = append(errs, strict.UnknownName("environment variable", name, variables))
		}
	}
	return errs
}

// configured tells whether the environment names a model. A wrong name counts: it is somebody's wish, and an error.
func (env Environ) configured() bool {
	_, _, err := modelFromEnv(env)
	return !errors.Is(err, ErrNoModel)
}
