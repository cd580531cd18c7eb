package app

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/tools/nearest"
)

// decodeStrict decodes a YAML node and rejects keys that into does not have, naming the line and the nearest key.
func decodeStrict(n *yaml.Node, into any) error {
	if err := checkKeys(n, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	return n.Decode(into)
}

var nodeType = reflect.TypeFor[yaml.Node]()

// checkKeys walks the node beside the type that it is decoded into. It stops at yaml.Node fields: those are checked by
// whoever decodes them.
func checkKeys(n *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.DocumentNode:
		return checkKeys(n.Content[0], t)
	case n.Kind == yaml.AliasNode:
		return checkKeys(n.Alias, t)
	case t == nodeType:
		return nil
	case n.Kind == yaml.MappingNode && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map):
		return checkMapping(n, t)
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		var errs []error
		for _, c := range n.Content {
			errs = append(errs, checkKeys(c, t.Elem()))
		}
		return errors.Join(errs...)
	}
	return nil
}

func checkMapping(n *yaml.Node, t reflect.Type) error {
	fields := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		for f := range t.Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
				fields[key] = f.Type
			}
		}
	}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if t.Kind() == reflect.Map {
			errs = append(errs, checkKeys(n.Content[i+1], t.Elem()))
			continue
		}
		ft, ok := fields[key.Value]
		if !ok {
			errs = append(errs, fmt.Errorf("line %d: %w", key.Line, unknownName("key", key.Value, names(fields))))
			continue
		}
		errs = append(errs, checkKeys(n.Content[i+1], ft))
	}
	return errors.Join(errs...)
}

// unknownName is the error for a name that is not one of known. It names the nearest, or all when none is near.
func unknownName(what, name string, known []string) error {
	if near := nearest.Nearest(name, known, 1); len(near) > 0 {
		return fmt.Errorf("unknown %s %q: did you mean %q?", what, name, near[0])
	}
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none to choose from", what, name)
	}
	return fmt.Errorf("unknown %s %q: known are %s", what, name, strings.Join(known, ", "))
}

func checkName(name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return unknownName("value", name, known)
}

func names[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces references in all scalar values: ${VAR} by the environment, and a value "file:PATH" by what the file
// holds, without the line end. Relative paths start at dir. Nothing is ever written back.
func expand(n *yaml.Node, env Environ, dir string) error {
	var errs []error
	for _, c := range n.Content {
		errs = append(errs, expand(c, env, dir))
	}
	if n.Kind != yaml.ScalarNode {
		return errors.Join(errs...)
	}
	n.Value = reference.ReplaceAllStringFunc(n.Value, func(ref string) string {
		name := reference.FindStringSubmatch(ref)[1]
		v, ok := env[name]
		if !ok {
			errs = append(errs, fmt.Errorf("line %d: the environment has no %s", n.Line, name))
		}
		n.Tag = "" // the value decides the type anew: ${PORT} may be a number
		return v
	})
	if path, ok := strings.CutPrefix(n.Value, "file:"); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n.Line, err))
		}
		n.Value = strings.TrimRight(string(raw), "\r\n")
	}
	return errors.Join(errs...)
}
