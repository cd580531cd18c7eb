package slackfake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// apiSpec is the current method reference.
type apiSpec struct {
	Version string             `json:"version"`
	Methods map[string]*method `json:"methods"`
	Events  []string           `json:"events"`
}

type method struct {
	JSON      bool            `json:"json"`
	RateLimit string          `json:"rate_limit"`
	Args      map[string]*arg `json:"args"`
	Required  []string        `json:"required"`
	Errors    []string        `json:"errors"`
	ArgGroups []argGroup      `json:"arg_groups"`
}

type argGroup struct {
	Args      []string `json:"args"`
	Exclusive bool     `json:"mutually_exclusive"`
	Required  *bool    `json:"required"`
}

type arg struct {
	Type      string         `json:"type"`
	Schema    string         `json:"schema"`
	Enum      []any          `json:"enum"`
	AnyOf     []*arg         `json:"anyOf"`
	Items     *arg           `json:"items"`
	Props     map[string]any `json:"properties"`
	Required  any            `json:"required"`
	MinItems  *int           `json:"minItems"`
	MaxItems  *int           `json:"maxItems"`
	MinLength *int           `json:"minLength"`
	MaxLength *int           `json:"maxLength"`
	Minimum   json.Number    `json:"minimum"`
	Maximum   json.Number    `json:"maximum"`
}

// legacySpec is the request side of the OpenAPI document of 2021.
type legacySpec struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name     string
			In       string
			Required bool
			Type     string
		}
	}
}

// loadSpec returns the methods of the current reference, and those that only
// the document of 2021 has.
func loadSpec() (map[string]*method, error) {
	current, err := specs.Load[apiSpec](specs.Slack)
	if err != nil {
		return nil, err
	}
	legacy, err := specs.Load[legacySpec](specs.SlackOpenAPI)
	if err != nil {
		return nil, err
	}
	methods := map[string]*method{}
	for path, item := range legacy.Paths {
		m := &method{Args: map[string]*arg{}}
		for _, op := range item {
			for _, p := range op.Parameters {
				m.Args[p.Name] = &arg{Type: p.Type}
				if p.Required && p.Name != "token" {
					m.Required = append(m.Required, p.Name)
				}
			}
		}
		methods[strings.TrimPrefix(path, "/")] = m
	}
	for name, m := range current.Methods {
		methods[name] = m
	}
	// The reference calls markdown_text required, but the chunks that it
	// describes on the same page take its place.
	if m := methods["chat.appendStream"]; m != nil {
		relaxed := *m
		relaxed.Required = slices.DeleteFunc(slices.Clone(m.Required), func(s string) bool { return s == "markdown_text" })
		relaxed.ArgGroups = append(slices.Clone(m.ArgGroups), argGroup{Args: []string{"markdown_text", "chunks"}})
		methods["chat.appendStream"] = &relaxed
	}
	return methods, nil
}

// checker collects what is wrong with a request.
type checker struct {
	errs     []string
	warnings []string
}

func (c *checker) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Sprintf(format, args...))
}

// checkArgs validates the arguments of a method.
func (c *checker) checkArgs(m *method, params fakekit.Object) {
	for name, v := range params {
		a := m.Args[name]
		if a == nil {
			c.errorf("unknown argument %q", name)
			continue
		}
		c.checkArg("argument "+strconv.Quote(name), a, v)
	}
	for _, name := range m.Required {
		if _, ok := params[name]; !ok && name != "token" {
			c.errorf("missing required argument %q", name)
		}
	}
	for _, g := range m.ArgGroups {
		var given []string
		for _, name := range g.Args {
			if fakekit.Text(params[name]) != "" {
				given = append(given, name)
			}
		}
		if len(given) == 0 && (g.Required == nil || *g.Required) {
			c.errorf("needs one of %s", strings.Join(g.Args, ", "))
		}
		if len(given) > 1 && g.Exclusive {
			c.errorf("%s exclude each other", strings.Join(given, " and "))
		}
	}
}

func (c *checker) checkArg(path string, a *arg, v any) {
	if len(a.AnyOf) > 0 {
		for _, alt := range a.AnyOf {
			sub := &checker{}
			sub.checkArg(path, alt, v)
			if len(sub.errs) == 0 {
				return
			}
		}
		c.errorf("%s: %.60s does not fit", path, fakekit.Text(v))
		return
	}
	text, isText := v.(string)
	switch a.Type {
	case "integer", "number":
		n := json.Number(fakekit.Text(v))
		if _, err := n.Float64(); err != nil {
			c.errorf("%s: %q is not a number", path, n)
			return
		}
		c.checkRange(path, a, n)
	case "boolean":
		if _, err := strconv.ParseBool(fakekit.Text(v)); err != nil {
			c.errorf("%s: %q is not a boolean", path, fakekit.Text(v))
		}
	case "array":
		list, ok := v.([]any)
		if isText {
			if decoded, err := fakekit.DecodeJSON([]byte(text)); err == nil {
				list, ok = decoded.([]any)
			} else if !strings.HasPrefix(strings.TrimSpace(text), "[") {
				ok = true // a comma-separated list
				for _, part := range strings.Split(text, ",") {
					list = append(list, part)
				}
			}
		}
		if !ok {
			c.errorf("%s: not an array", path)
			return
		}
		c.checkList(path, a, list)
	case "object":
		_, ok := v.(fakekit.Object)
		if isText {
			decoded, err := fakekit.DecodeJSON([]byte(text))
			_, isObject := decoded.(fakekit.Object)
			ok = err == nil && isObject
		}
		if !ok {
			c.errorf("%s: not an object", path)
		}
	case "string":
		// Structured strings may be sent as JSON values in a JSON body.
		n := utf8.RuneCountInString(fakekit.Text(v))
		if a.MaxLength != nil && n > *a.MaxLength {
			c.errorf("%s: %d characters, the limit is %d", path, n, *a.MaxLength)
		}
		if a.MinLength != nil && n < *a.MinLength {
			c.errorf("%s: %d characters, at least %d are needed", path, n, *a.MinLength)
		}
	case "null":
		if v != nil && text != "" {
			c.errorf("%s: not null", path)
		}
	}
	if len(a.Enum) > 0 && !slices.ContainsFunc(a.Enum, func(e any) bool { return fakekit.Text(e) == fakekit.Text(v) }) {
		c.errorf("%s: %q is not one of %s", path, fakekit.Text(v), fakekit.Text(a.Enum))
	}
}

func (c *checker) checkRange(path string, a *arg, n json.Number) {
	f, _ := n.Float64()
	if low, err := a.Minimum.Float64(); err == nil && f < low {
		c.errorf("%s: %s is below %s", path, n, a.Minimum)
	}
	if high, err := a.Maximum.Float64(); err == nil && f > high {
		c.errorf("%s: %s is above %s", path, n, a.Maximum)
	}
}

func (c *checker) checkList(path string, a *arg, list []any) {
	if a.MinItems != nil && len(list) < *a.MinItems {
		c.errorf("%s: %d items, at least %d are needed", path, len(list), *a.MinItems)
	}
	if a.MaxItems != nil && len(list) > *a.MaxItems {
		c.errorf("%s: %d items, the limit is %d", path, len(list), *a.MaxItems)
	}
	if a.Items == nil {
		return
	}
	for i, item := range list {
		c.checkArg(fmt.Sprintf("%s[%d]", path, i), a.Items, item)
	}
}

// decode returns a structured argument, which is JSON text in a form and a
// value in a JSON body.
func decode(v any) (any, bool) {
	s, ok := v.(string)
	if !ok {
		return v, v != nil
	}
	if s == "" {
		return nil, false
	}
	decoded, err := fakekit.DecodeJSON([]byte(s))
	return decoded, err == nil
}
