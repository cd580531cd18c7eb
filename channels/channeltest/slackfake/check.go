package slackfake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
		list, ok := listOf(v)
		if !ok {
			c.errorf("%s: not an array", path)
			return
		}
		c.checkList(path, a, list)
	case "object":
		decoded, _ := decode(v)
		if _, ok := decoded.(fakekit.Object); !ok {
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
		if fakekit.Text(v) != "" {
			c.errorf("%s: not null", path)
		}
	}
	same := func(e any) bool { return fakekit.Text(e) == fakekit.Text(v) }
	if len(a.Enum) > 0 && !slices.ContainsFunc(a.Enum, same) {
		c.errorf("%s: %q is not one of %s", path, fakekit.Text(v), fakekit.Text(a.Enum))
	}
}

// listOf returns an array argument, which may be JSON text or, in a form, a
// list separated by commas.
func listOf(v any) ([]any, bool) {
	text, isText := v.(string)
	if isText {
		if decoded, err := fakekit.DecodeJSON([]byte(text)); err == nil {
			v = decoded
		} else if !strings.HasPrefix(strings.TrimSpace(text), "[") {
			var list []any
			for part := range strings.SplitSeq(text, ",") {
				list = append(list, part)
			}
			return list, true
		}
	}
	list, ok := v.([]any)
	return list, ok
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
