package spill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/tools/nearest"
)

// step is one step into a value of JSON: a key, or an index when isIndex.
type step struct {
	key     string
	index   int
	isIndex bool
}

const mostSteps = 100

// stepsOf reads a path: items[0].name, $.a.b, ["a key"][-1].
func stepsOf(path string) ([]step, error) {
	rest := strings.TrimPrefix(strings.TrimSpace(path), "$")
	var steps []step
	for rest != "" {
		if len(steps) == mostSteps {
			return nil, fmt.Errorf("path: it has more than %d steps", mostSteps)
		}
		if rest[0] == '.' {
			if rest = rest[1:]; rest == "" {
				break
			}
		}
		if rest[0] != '[' {
			n := strings.IndexAny(rest, ".[")
			if n < 0 {
				n = len(rest)
			}
			if n == 0 {
				return nil, fmt.Errorf("path: %q has an empty step", path)
			}
			steps, rest = append(steps, step{key: rest[:n]}), rest[n:]
			continue
		}
		s, after, err := bracket(rest[1:])
		if err != nil {
			return nil, err
		}
		steps, rest = append(steps, s), after
	}
	return steps, nil
}

// bracket reads what stands between [ and ].
func bracket(rest string) (step, string, error) {
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		key, after, ok := strings.Cut(rest[1:], rest[:1]+"]")
		if !ok {
			return step{}, "", errors.New("path: a key in brackets has no end")
		}
		return step{key: key}, after, nil
	}
	inner, after, ok := strings.Cut(rest, "]")
	n, err := strconv.Atoi(strings.TrimSpace(inner))
	if !ok || err != nil {
		return step{}, "", errors.New(`path: brackets hold a number, [0], or a key, ["name"]`)
	}
	return step{index: n, isIndex: true}, after, nil
}

// into takes the step. Its error says what is there instead.
func (s step) into(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		key := s.key
		if s.isIndex {
			key = strconv.Itoa(s.index)
		}
		if inner, ok := v[key]; ok {
			return inner, nil
		}
		keys := slices.Sorted(maps.Keys(v))
		if near := nearest.Nearest(key, keys, 3); len(near) > 0 {
			keys = near
		}
		return nil, fmt.Errorf("there is no key %q; there is %s", key, shorten(strings.Join(keys, ", "), longestItem))
	case []any:
		i := s.index
		if !s.isIndex {
			n, err := strconv.Atoi(s.key)
			if err != nil {
				return nil, fmt.Errorf("it is a list of %d: take one by its number, [0]", len(v))
			}
			i = n
		}
		if i < 0 {
			i += len(v)
		}
		if i < 0 || i >= len(v) {
			return nil, fmt.Errorf("it is a list of %d", len(v))
		}
		return v[i], nil
	}
	return nil, fmt.Errorf("it is %s and has no parts", scalar(v))
}

// written is a path as people write it.
func written(steps []step) string {
	text := "$"
	for _, s := range steps {
		if s.isIndex {
			text += fmt.Sprintf("[%d]", s.index)
		} else {
			text += "." + s.key
		}
	}
	return text
}
