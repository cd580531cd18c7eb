// Package strict reads YAML configuration and forgives nothing: unknown keys, wrong types, keys that are set twice and
// references that lead nowhere are errors that name the line, the key and the nearest known one. Errors never hold a
// value, which may be a secret.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/tools/nearest"
)

// ReadFile decodes a configuration file as Decode does, with what it refers to filled in. An empty file sets nothing.
func ReadFile(path string, refs *References, into any) error {
	root, err := load(path)
	if err != nil || root == nil {
		return err
	}
	if err := refs.resolve(root); err != nil {
		return refs.Hide(err)
	}
	if err := Decode(root, into); err != nil {
		return refs.Hide(err)
	}
	return nil
}

// ReadTop gives the single values of the first level whose keys are named, with what they refer to filled in. Nothing
// else is looked at.
func ReadTop(path string, refs *References, keys ...string) (map[string]string, error) {
	root, err := load(path)
	if err != nil || root == nil {
		return nil, err
	}
	top := map[string]string{}
	for key, n := range singles(root) {
		if !slices.Contains(keys, key) {
			continue
		}
		if err := refs.fill(n); err != nil {
			return nil, refs.Hide(err)
		}
		top[key] = n.Value
	}
	return top, nil
}

// singles are the single values of a document's first level, by key.
func singles(doc *yaml.Node) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	top := doc.Content[0]
	for i := 0; top.Kind == yaml.MappingNode && i+1 < len(top.Content); i += 2 {
		if v := top.Content[i+1]; v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
			found[top.Content[i].Value] = v
		}
	}
	return found
}

// load reads and parses a file; nil when there is nothing in it.
func load(path string) (*yaml.Node, error) {
	raw, err := ReadBounded(path)
	if err != nil {
		return nil, err
	}
	return parse(raw)
}

// parse reads the one document of a file and writes out its aliases. It returns nil for a file without content.
func parse(raw []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var root, more yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, Plain(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: a second document begins, but only one is read", max(more.Line, 1))
	}
	return resolve(&root)
}

// quoted are the quotations of the YAML library that can be long enough for a secret; others are single signs.
var quoted = regexp.MustCompile("`[^`]*`|'[^' ]{4,}'")

// Plain makes an error of the YAML library fit for people. What it quotes may be a secret.
func Plain(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return errors.New(quoted.ReplaceAllString(text, "…"))
}

// Decode decodes a YAML node without aliases. It rejects keys that into does not have, naming the nearest, and
// values of the wrong type. Its errors name the line and never hold a value.
func Decode(n *yaml.Node, into any) error {
	var c checker
	c.check(n, reflect.TypeOf(into).Elem(), "")
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	if err := n.Decode(into); err != nil {
		return Plain(err)
	}
	return nil
}

var nodeType = reflect.TypeFor[yaml.Node]()

// checker walks a node beside the type that it is decoded into. It stops at yaml.Node fields: those are checked by
// whoever decodes them.
type checker struct{ errs []error }

func (c *checker) fail(n *yaml.Node, path string, err error) {
	if path != "" {
		err = fmt.Errorf("%s: %w", path, err)
	}
	c.errs = append(c.errs, fmt.Errorf("line %d: %w", n.Line, err))
}

func (c *checker) check(n *yaml.Node, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.DocumentNode:
		c.check(n.Content[0], t, path)
		return
	case n.ShortTag() == "!!null" && t.Kind() == reflect.Slice: // all, or none: who left it empty may mean either
		c.fail(n, path, errors.New("it is empty: write [] for none, or leave the key out"))
		return
	case t == nodeType, n.ShortTag() == "!!null" && t.Kind() != reflect.String:
		return
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		if n.Kind != yaml.MappingNode {
			c.fail(n, path, errors.New("keys with values are expected here"))
			return
		}
		c.mapping(n, t, path)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			c.fail(n, path, errors.New("a list is expected here, such as [one, two]"))
			return
		}
		for _, item := range n.Content {
			c.check(item, t.Elem(), path)
		}
	default:
		c.scalar(n, t, path)
	}
}

func (c *checker) mapping(n *yaml.Node, t reflect.Type, path string) {
	fields := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		for f := range t.Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
				fields[key] = f.Type
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		sub := strings.TrimPrefix(path+"."+key.Value, ".")
		if t.Kind() == reflect.Map {
			c.check(value, t.Elem(), sub)
			continue
		}
		if ft, ok := fields[key.Value]; ok {
			c.check(value, ft, sub)
		} else {
			c.fail(key, path, UnknownName("key", key.Value, slices.Sorted(maps.Keys(fields))))
		}
	}
}

func (c *checker) scalar(n *yaml.Node, t reflect.Type, path string) {
	if n.Kind != yaml.ScalarNode {
		c.fail(n, path, errors.New("a single value is expected here"))
		return
	}
	wanted := "other text is expected here"
	switch t.Kind() {
	case reflect.String:
		if n.Tag == "" { // a reference was filled in: what looks like null or a number is still text
			n.Tag = "!!str"
		}
	case reflect.Bool:
		wanted = "true or false is expected here"
	case reflect.Int, reflect.Int64:
		wanted = "a whole number is expected here"
		if n.ShortTag() == "!!float" { // the library would cut it
			c.fail(n, path, errors.New(wanted))
			return
		}
	}
	if n.Decode(reflect.New(t).Interface()) != nil {
		c.fail(n, path, errors.New(wanted))
	}
}

// UnknownName is the error for a name that is not one of known. It names the nearest, or all when none is near.
func UnknownName(what, name string, known []string) error {
	if near := nearest.Nearest(name, known, 1); len(near) > 0 {
		return fmt.Errorf("unknown %s %q: did you mean %q?", what, shown(name), near[0])
	}
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none to choose from", what, shown(name))
	}
	return fmt.Errorf("unknown %s %q: known are %s", what, shown(name), strings.Join(known, ", "))
}

// longestShown is how much of a wrong name is repeated in an error. What is longer may be a key in the wrong place.
const longestShown = 32

func shown(name string) string {
	if r := []rune(name); len(r) > longestShown {
		return string(r[:6]) + "…"
	}
	return name
}
