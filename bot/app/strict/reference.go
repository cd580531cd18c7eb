package strict

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// filePrefix begins a value that stands for what a file holds.
const filePrefix = "file:"

// Refers tells whether a value would be taken for a reference.
func Refers(value string) bool {
	return strings.HasPrefix(value, filePrefix) || reference.MatchString(value)
}

// References fills in what a configuration only refers to: ${VAR} stands for an environment variable, and a value
// "file:PATH" for what the file holds, without the line end. Relative paths start at Dir. Nothing is ever written back.
type References struct {
	Env map[string]string
	Dir string

	values []string // all that was filled in
}

// fill replaces the references in all values below n; keys stay as they are.
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
	isFile := strings.HasPrefix(n.Value, filePrefix)
	filled, err := r.variables(n.Value, n.Line)
	if err == nil && isFile {
		if filled, err = r.file(strings.TrimPrefix(filled, filePrefix)); err != nil {
			err = fmt.Errorf("line %d: %w", n.Line, err)
		}
	}
	n.Value, n.Tag, n.Style = filled, "", 0 // the value decides the type anew: "${PORT}" may be a number
	r.values = append(r.values, filled)
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
	return errors.New(text)
}
