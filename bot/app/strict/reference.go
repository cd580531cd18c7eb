package strict

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Prefixes of values that stand for what a file holds, and for a secret.
const (
	filePrefix   = "file:"
	secretPrefix = "secret:"
)

// Refers tells whether a value would be taken for a reference.
func Refers(value string) bool {
	return strings.HasPrefix(value, filePrefix) || IsSecret(value) || reference.MatchString(value)
}

// IsSecret tells whether a value stands for a secret. Prose that begins with the word does not.
func IsSecret(value string) bool {
	name, ok := strings.CutPrefix(value, secretPrefix)
	return ok && name != "" && !strings.ContainsFunc(name, unicode.IsSpace)
}

// References fills in what a configuration only refers to: ${VAR} stands for an environment variable, a value
// "file:PATH" for what the file holds, without the line end, and "secret:NAME" for a secret. Relative paths start at
// Dir. Nothing is ever written back.
type References struct {
	Env map[string]string
	Dir string
	// Secrets opens what keeps the secrets when there is a reference to one. The rest is filled in then; top holds the
	// single values of the first level. nil leaves references to secrets as they are.
	Secrets func(top map[string]string) (Lookup, error)

	values  []string     // all that was filled in
	secrets []*yaml.Node // where references to secrets stand
}

// Lookup gives a secret by its name.
type Lookup func(name string) (string, error)

// resolve replaces all references below the document n.
func (r *References) resolve(n *yaml.Node) error {
	if err := r.fill(n); err != nil || r.Secrets == nil || len(r.secrets) == 0 {
		return err
	}
	top := map[string]string{}
	for key, single := range singles(n) {
		top[key] = single.Value
	}
	lookup, err := r.Secrets(top)
	if err != nil {
		return fmt.Errorf("line %d: %w", r.secrets[0].Line, err)
	}
	var errs []error
	for _, n := range r.secrets {
		value, err := lookup(strings.TrimPrefix(n.Value, secretPrefix))
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n.Line, err))
		}
		r.put(n, value)
	}
	return errors.Join(errs...)
}

// put fills in a value, which decides the type anew: "${PORT}" may be a number.
func (r *References) put(n *yaml.Node, value string) {
	n.Value, n.Tag, n.Style = value, "", 0
	r.values = append(r.values, value)
}

// fill replaces the references in all values below n, but those to secrets; keys stay as they are.
func (r *References) fill(n *yaml.Node) error {
	var errs []error
	switch n.Kind {
	case yaml.ScalarNode:
		return r.scalar(n)
	case yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			errs = append(errs, r.fill(n.Content[i]))
		}
	default:
		for _, c := range n.Content {
			errs = append(errs, r.fill(c))
		}
	}
	return errors.Join(errs...)
}

func (r *References) scalar(n *yaml.Node) error {
	if !Refers(n.Value) {
		return nil
	}
	if IsSecret(n.Value) {
		r.secrets = append(r.secrets, n)
		return nil
	}
	isFile := strings.HasPrefix(n.Value, filePrefix)
	filled, err := r.variables(n.Value, n.Line)
	if err == nil && isFile {
		if filled, err = r.file(strings.TrimPrefix(filled, filePrefix)); err != nil {
			err = fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	r.put(n, filled)
	return err
}

func (r *References) variables(value string, line int) (string, error) {
	var errs []error
	filled := reference.ReplaceAllStringFunc(value, func(ref string) string {
		name := reference.FindStringSubmatch(ref)[1]
		v, ok := r.Env[name]
		if !ok {
			errs = append(errs, fmt.Errorf("line %d: the environment has no %s", line, name))
		}
		r.values = append(r.values, v)
		return v
	})
	return filled, errors.Join(errs...)
}

// maxFile bounds a configuration file and a file that one refers to, in bytes.
const maxFile = 1 << 20

func (r *References) file(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	raw, err := ReadBounded(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	text := strings.TrimRight(string(raw), "\r\n")
	if text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// ReadBounded reads a regular file or a pipe up to maxFile. Its errors do not hold the path.
func ReadBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return raw, nil
}

// cause is why a file could not be used, without the path that callers name themselves.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// shortest is the length from which a filled-in value is hidden: a shorter one is no secret, and stands in many words.
const shortest = 6

// hidden is an error whose text does not hold what was filled in. It is still what it was, but does not give that text.
type hidden struct {
	text string
	err  error
}

func (h hidden) Error() string        { return h.text }
func (h hidden) Is(target error) bool { return errors.Is(h.err, target) }

// Hide takes what was filled in out of an error's text.
func (r *References) Hide(err error) error {
	text := err.Error()
	for _, v := range r.values {
		if len(v) >= shortest {
			text = strings.ReplaceAll(text, v, "…")
		}
	}
	if text == err.Error() {
		return err
	}
	return hidden{text, err}
}
