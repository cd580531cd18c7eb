package discordfake

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (c *checker) checkString(path string, s *schema, v string) {
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		c.errorf(path, "must be %d or more in length, is %d", *s.MinLength, n)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		c.errorf(path, "must be %d or fewer in length, is %d", *s.MaxLength, n)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			c.errorf(path, "%q does not match %s", v, s.Pattern)
		}
	}
}

func (c *checker) checkNumber(path string, s *schema, v json.Number) {
	n, ok := new(big.Float).SetString(v.String())
	if !ok {
		return
	}
	if low, ok := new(big.Float).SetString(s.Minimum.String()); ok && n.Cmp(low) < 0 {
		c.errorf(path, "%s is below %s", v, s.Minimum)
	}
	if high, ok := new(big.Float).SetString(s.Maximum.String()); ok && n.Cmp(high) > 0 {
		c.errorf(path, "%s is above %s", v, s.Maximum)
	}
}

func (c *checker) checkArray(path string, s *schema, v []any) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		c.errorf(path, "must have %d or more items, has %d", *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		c.errorf(path, "must have %d or fewer items, has %d", *s.MaxItems, len(v))
	}
	seen := map[string]bool{}
	for i, item := range v {
		if text := fakekit.Text(item); s.UniqueItems && seen[text] {
			c.errorf(path, "item %d is repeated", i)
		} else {
			seen[text] = true
		}
		c.check(path+"["+strconv.Itoa(i)+"]", s.Items, item)
	}
}

func (c *checker) checkObject(path string, s *schema, v fakekit.Object, known []string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			c.errorf(path, "missing required property %q", name)
		}
	}
	if s.MaxProperties != nil && len(v) > *s.MaxProperties {
		c.errorf(path, "must have %d or fewer properties, has %d", *s.MaxProperties, len(v))
	}
	var extra *schema
	open := string(s.AdditionalProperties) == "true"
	if len(s.AdditionalProperties) > 0 && s.AdditionalProperties[0] == '{' {
		extra = new(schema)
		if json.Unmarshal(s.AdditionalProperties, extra) != nil {
			extra, open = nil, true
		}
	}
	own := len(s.Properties) > 0
	for name, value := range v {
		switch p := s.Properties[name]; {
		case p != nil:
			c.check(path+"."+name, p, value)
		case extra != nil:
			c.check(path+"."+name, extra, value)
		case own && !open && !slices.Contains(known, name):
			c.unknownProperty(path, name, value)
		}
	}
}

func hasType(t string, v any) bool {
	switch t {
	case "null":
		return v == nil
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "number":
		_, ok := v.(json.Number)
		return ok
	case "integer":
		// Discord takes integers as text too.
		if s, ok := v.(string); ok {
			_, err := strconv.ParseInt(s, 10, 64)
			return err == nil
		}
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		_, isInt := new(big.Int).SetString(n.String(), 10)
		return isInt
	case "array":
		_, ok := v.([]any)
		return ok
	case "object":
		_, ok := v.(fakekit.Object)
		return ok
	}
	return true
}

func equalJSON(a, b any) bool { return fakekit.Text(a) == fakekit.Text(b) }

func short(v any) string {
	s := fakekit.Text(v)
	if v == nil {
		s = "null"
	}
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return s
}
