package discordfake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// checker validates values against schemas. Unknown properties are kept apart
// since Discord ignores them; those that say nothing, because they are empty,
// are worth no more than a warning.
type checker struct {
	spec     *openAPI
	errs     []string
	unknown  []string
	warnings []string
}

func (c *checker) unknownProperty(path, name string, value any) {
	msg := fmt.Sprintf("%s: unknown property %q", path, name)
	if isEmpty(value) {
		c.warnings = append(c.warnings, msg)
	} else {
		c.unknown = append(c.unknown, msg)
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case fakekit.Object:
		return len(v) == 0
	}
	return false
}

func (c *checker) errorf(path, format string, args ...any) {
	c.errs = append(c.errs, path+": "+fmt.Sprintf(format, args...))
}

func (c *checker) resolve(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = c.spec.Components.Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	return s
}

// check validates v. known lists properties that an enclosing allOf allows.
func (c *checker) check(path string, s *schema, v any, known ...string) {
	s = c.resolve(s)
	if s == nil {
		return
	}
	if len(s.AllOf) > 0 {
		all := append(slices.Clone(known), c.propertyNames(s)...)
		for _, part := range s.AllOf {
			c.check(path, part, v, all...)
		}
	}
	if alternatives := append(slices.Clone(s.OneOf), s.AnyOf...); len(alternatives) > 0 && !isEnumeration(alternatives) {
		c.checkAlternatives(path, alternatives, v)
		return
	} else if len(alternatives) > 0 && !slices.ContainsFunc(alternatives, func(a *schema) bool {
		return equalJSON(a.Const, v)
	}) {
		c.errorf(path, "%s is not one of the allowed values", fakekit.Text(v))
		return
	}
	if n, ok := v.(json.Number); ok && s.Format == "snowflake" {
		v = n.String() // taken as well
	}
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return hasType(t, v) }) {
		c.errorf(path, "%s is not of type %s", short(v), strings.Join(s.Type, " or "))
		return
	}
	if v == nil {
		return
	}
	if s.Const != nil && !equalJSON(s.Const, v) {
		c.errorf(path, "must be %s", fakekit.Text(s.Const))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return equalJSON(e, v) }) {
		c.errorf(path, "%s is not one of the allowed values", short(v))
	}
	switch v := v.(type) {
	case string:
		c.checkString(path, s, v)
	case json.Number:
		c.checkNumber(path, s, v)
	case []any:
		c.checkArray(path, s, v)
	case fakekit.Object:
		c.checkObject(path, s, v, known)
	}
}

// isEnumeration reports whether alternatives only list constants.
func isEnumeration(alternatives []*schema) bool {
	return !slices.ContainsFunc(alternatives, func(s *schema) bool { return s.Const == nil })
}

func (c *checker) checkAlternatives(path string, alternatives []*schema, v any) {
	var best *checker
	for _, a := range alternatives {
		sub := &checker{spec: c.spec}
		sub.check(path, a, v)
		if best == nil || cost(sub) < cost(best) {
			best = sub
		}
	}
	c.errs = append(c.errs, best.errs...)
	c.unknown = append(c.unknown, best.unknown...)
	c.warnings = append(c.warnings, best.warnings...)
}

// cost ranks how badly a value fits; a wrong type or constant fits worst.
func cost(c *checker) int {
	n := 2*len(c.unknown) + len(c.warnings)
	for _, e := range c.errs {
		n += 10
		if strings.Contains(e, "is not of type") || strings.Contains(e, "allowed values") {
			n += 10
		}
	}
	return n
}

func (c *checker) propertyNames(s *schema) []string {
	s = c.resolve(s)
	if s == nil {
		return nil
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	for _, part := range s.AllOf {
		names = append(names, c.propertyNames(part)...)
	}
	return names
}
