package telegramfake

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Limits are written in prose in the spec; these find them.
var (
	reChars  = regexp.MustCompile(`(\d+)-(\d+) characters( after entit(?:y|ies) parsing)?`)
	reBytes  = regexp.MustCompile(`(\d+)-(\d+) [Bb]ytes`)
	reItems  = regexp.MustCompile(`(?:[Ll]ist of|must include) (\d+)-(\d+) `)
	reAtMost = regexp.MustCompile(`At most (\d+) \w+ can be specified`)
	reRange  = regexp.MustCompile(`Values between (\d+)-(\d+) are accepted`)
	reConst  = regexp.MustCompile(`(?:always|must be) "?([a-z_0-9]+)"?$`)
)

// checker validates one request.
type checker struct {
	spec     *apiSpec
	files    []fakekit.File
	errs     []string
	warnings []string
}

func (c *checker) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Sprintf(format, args...))
}

// uploaded reports whether the request has a file in the named field.
func (c *checker) uploaded(name string) bool {
	return slices.ContainsFunc(c.files, func(file fakekit.File) bool { return file.Field == name })
}

// checkRequest validates the parameters of a known method.
func (c *checker) checkRequest(m *entity, params fakekit.Object) {
	for name, v := range params {
		f := m.field(name)
		if f == nil {
			if legacy, ok := legacyParams[name]; ok {
				c.warnings = append(c.warnings, fmt.Sprintf("parameter %q was replaced in newer API versions", name))
				c.checkParam(name, legacy, v, params)
				continue
			}
			c.errorf("unknown parameter %q", name)
			continue
		}
		c.checkParam(name, f, v, params)
	}
	for _, file := range c.files {
		// Other files are referred to as attach://name.
		if f := m.field(file.Field); f != nil && !slices.Contains(f.Types, "InputFile") {
			c.errorf("parameter %q: does not take a file", file.Field)
		}
	}
	for _, f := range m.Fields {
		if !f.Required {
			continue
		}
		_, sent := params[f.Name]
		if !sent && !c.uploaded(f.Name) {
			c.errorf("missing required parameter %q", f.Name)
		}
	}
}

// checkParam validates a top-level parameter, which in a form is text.
func (c *checker) checkParam(name string, f *field, v any, siblings fakekit.Object) {
	if s, ok := v.(string); ok && !slices.Contains(f.Types, "String") && !slices.Contains(f.Types, "InputFile") {
		switch f.Types[0] {
		case "Integer", "Float":
			v = json.Number(s)
		case "Boolean":
			b, err := strconv.ParseBool(s)
			if err != nil {
				c.errorf("parameter %q: %q is not a Boolean", name, s)
				return
			}
			v = b
		default:
			decoded, err := fakekit.DecodeJSON([]byte(s))
			if err != nil {
				c.errorf("parameter %q: not valid JSON: %v", name, err)
				return
			}
			v = decoded
		}
	}
	if v == nil {
		c.warnings = append(c.warnings, fmt.Sprintf("parameter %q is null", name))
		return
	}
	c.checkField("parameter "+strconv.Quote(name), f, v, siblings)
}

func (c *checker) checkField(path string, f *field, v any, siblings fakekit.Object) {
	c.checkTypes(path, f.Types, v)
	switch v := v.(type) {
	case string:
		c.checkLength(path, f, v, siblings)
		if m := reConst.FindStringSubmatch(f.Description); m != nil && isDiscriminator(f.Name) && v != m[1] {
			c.errorf("%s: must be %q, not %q", path, m[1], v)
		}
		if name, ok := strings.CutPrefix(v, "attach://"); ok && !c.uploaded(name) {
			c.errorf("%s: no file named %q was uploaded", path, name)
		}
	case []any:
		if m := reItems.FindStringSubmatch(f.Description); m != nil {
			c.checkRange(path, len(v), m[1], m[2], "items")
		}
		if m := reAtMost.FindStringSubmatch(f.Description); m != nil {
			c.checkRange(path, len(v), "0", m[1], "items")
		}
	case json.Number:
		if m := reRange.FindStringSubmatch(f.Description); m != nil {
			n, _ := strconv.Atoi(v.String())
			c.checkRange(path, n, m[1], m[2], "")
		}
	}
}

func isDiscriminator(name string) bool { return name == "type" || name == "source" || name == "status" }

func (c *checker) checkLength(path string, f *field, s string, siblings fakekit.Object) {
	if m := reBytes.FindStringSubmatch(f.Description); m != nil {
		c.checkRange(path, len(s), m[1], m[2], "bytes")
	}
	m := reChars.FindStringSubmatch(f.Description)
	if m == nil {
		return
	}
	if m[3] != "" {
		mode := fakekit.Text(siblings["parse_mode"])
		if specific, ok := siblings[f.Name+"_parse_mode"]; ok {
			mode = fakekit.Text(specific)
		}
		plain, _, err := ParseText(mode, s)
		if err != nil {
			c.errorf("%s: can't parse entities: %v", path, err)
			return
		}
		s = plain
	}
	c.checkRange(path, utf8.RuneCountInString(s), m[1], m[2], "characters")
}

func (c *checker) checkRange(path string, n int, lo, hi, unit string) {
	low, _ := strconv.Atoi(lo)
	high, _ := strconv.Atoi(hi)
	if n < low || n > high {
		c.errorf("%s: %s", path, strings.TrimSpace(fmt.Sprintf("%d %s, allowed are %d-%d", n, unit, low, high)))
	}
}

// checkTypes reports an error unless v fits one of the types.
func (c *checker) checkTypes(path string, types []string, v any) {
	var best []string
	for i, t := range types {
		sub := &checker{spec: c.spec, files: c.files}
		sub.checkType(path, t, v)
		if len(sub.errs) == 0 {
			return
		}
		if i == 0 || len(sub.errs) < len(best) {
			best = sub.errs
		}
	}
	c.errs = append(c.errs, best...)
}

func (c *checker) checkType(path, t string, v any) {
	if elem, ok := strings.CutPrefix(t, "Array of "); ok {
		list, ok := v.([]any)
		if !ok {
			c.errorf("%s: not an array", path)
			return
		}
		for i, item := range list {
			c.checkTypes(fmt.Sprintf("%s[%d]", path, i), []string{elem}, item)
		}
		return
	}
	switch t {
	case "Integer":
		if n, ok := v.(json.Number); !ok || !isInteger(n) {
			c.errorf("%s: %s is not an Integer", path, fakekit.Text(v))
		}
	case "Float":
		n, ok := v.(json.Number)
		if _, err := strconv.ParseFloat(n.String(), 64); !ok || err != nil {
			c.errorf("%s: %s is not a Float", path, fakekit.Text(v))
		}
	case "Boolean", "True":
		if _, ok := v.(bool); !ok {
			c.errorf("%s: %s is not a Boolean", path, fakekit.Text(v))
		}
	case "String":
		if _, ok := v.(string); !ok {
			c.errorf("%s: %s is not a String", path, fakekit.Text(v))
		}
	case "InputFile":
		if _, ok := v.(string); !ok {
			c.errorf("%s: not a file", path)
		}
	default:
		c.checkObject(path, t, v)
	}
}

func isInteger(n json.Number) bool { _, err := n.Int64(); return err == nil }

func (c *checker) checkObject(path, t string, v any) {
	typ, ok := c.spec.Types[t]
	if !ok {
		c.errorf("%s: the spec has no type %q", path, t)
		return
	}
	if len(typ.Subtypes) > 0 {
		c.checkTypes(path, typ.Subtypes, v)
		return
	}
	obj, ok := v.(fakekit.Object)
	if !ok {
		c.errorf("%s: not an object of type %s", path, t)
		return
	}
	for name, value := range obj {
		f := typ.field(name)
		if f == nil {
			c.errorf("%s: type %s has no field %q", path, t, name)
			continue
		}
		c.checkField(path+"."+name, f, value, obj)
	}
	for _, f := range typ.Fields {
		if _, sent := obj[f.Name]; f.Required && !sent {
			c.errorf("%s: type %s needs field %q", path, t, f.Name)
		}
	}
	if t == "InlineKeyboardButton" && len(obj) < 2 {
		c.errorf("%s: an inline button needs exactly one action", path)
	}
}
