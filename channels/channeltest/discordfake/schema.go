package discordfake

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// openAPI is the part of Discord's OpenAPI document that the fake uses.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	OperationID string      `json:"operationId"`
	Parameters  []parameter `json:"parameters"`
	RequestBody *struct {
		Content  map[string]struct{ Schema *schema }
		Required bool
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	} `json:"responses"`
	Security []map[string]any `json:"security"`
}

type parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required"`
	Schema   *schema `json:"schema"`
}

// schema is the subset of JSON Schema that the document uses.
type schema struct {
	Ref                  string             `json:"$ref"`
	Type                 typeList           `json:"type"`
	Enum                 []any              `json:"enum"`
	Const                any                `json:"const"`
	OneOf                []*schema          `json:"oneOf"`
	AnyOf                []*schema          `json:"anyOf"`
	AllOf                []*schema          `json:"allOf"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	Pattern              string             `json:"pattern"`
	Format               string             `json:"format"`
	MinLength            *int               `json:"minLength"`
	MaxLength            *int               `json:"maxLength"`
	MinItems             *int               `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	MaxProperties        *int               `json:"maxProperties"`
	Minimum              json.Number        `json:"minimum"`
	Maximum              json.Number        `json:"maximum"`
	UniqueItems          bool               `json:"uniqueItems"`
}

type typeList []string

// UnmarshalJSON accepts one type name or a list of them.
func (t *typeList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

type route struct {
	name     string // "POST /channels/{channel_id}/messages"
	verb     string
	segments []string
	op       operation
}

// router finds the operation of a request.
type router struct {
	spec   *openAPI
	routes []*route
}

func newRouter() (*router, error) {
	spec, err := specs.Load[openAPI](specs.Discord)
	if err != nil {
		return nil, err
	}
	r := &router{spec: spec}
	for path, item := range spec.Paths {
		var shared []parameter
		if raw, ok := item["parameters"]; ok {
			if err := json.Unmarshal(raw, &shared); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		for verb, raw := range item {
			if verb == "parameters" {
				continue
			}
			rt := &route{verb: strings.ToUpper(verb), segments: strings.Split(path, "/")[1:]}
			rt.name = rt.verb + " " + path
			if err := json.Unmarshal(raw, &rt.op); err != nil {
				return nil, fmt.Errorf("%s: %w", rt.name, err)
			}
			rt.op.Parameters = append(rt.op.Parameters, shared...)
			r.routes = append(r.routes, rt)
		}
	}
	return r, nil
}

// find returns the best route for a path and the values of its variables. The
// second result is false if the path exists with other verbs only.
func (r *router) find(verb, path string) (*route, map[string]string, bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	var (
		best      *route
		bestFixed = -1
		pathKnown bool
	)
	for _, rt := range r.routes {
		fixed, ok := matchSegments(rt.segments, segments)
		if !ok {
			continue
		}
		pathKnown = true
		if rt.verb == verb && fixed > bestFixed {
			best, bestFixed = rt, fixed
		}
	}
	if best == nil {
		return nil, nil, pathKnown
	}
	params := map[string]string{}
	for i, s := range best.segments {
		if name, ok := variable(s); ok {
			params[name] = segments[i]
		}
	}
	return best, params, true
}

func variable(segment string) (string, bool) {
	if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

func matchSegments(pattern, segments []string) (fixed int, ok bool) {
	if len(pattern) != len(segments) {
		return 0, false
	}
	for i, p := range pattern {
		if _, isVar := variable(p); isVar {
			continue
		}
		if p != segments[i] {
			return 0, false
		}
		fixed++
	}
	return fixed, true
}

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
	} else if len(alternatives) > 0 && !slices.ContainsFunc(alternatives, func(a *schema) bool { return equalJSON(a.Const, v) }) {
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

// checkResponse validates what the fake answers.
func (r *router) checkResponse(rt *route, status int, body any) []string {
	resp, ok := rt.op.Responses[strconv.Itoa(status)]
	if !ok {
		if status/100 == 2 {
			return []string{fmt.Sprintf("the spec has no %d response", status)}
		}
		return nil
	}
	content, ok := resp.Content["application/json"]
	if !ok {
		return nil
	}
	c := &checker{spec: r.spec}
	c.check("response", content.Schema, body)
	return append(c.errs, c.unknown...)
}

// needsBot reports whether an operation needs the bot's token.
func (rt *route) needsBot() bool {
	if len(rt.op.Security) == 0 {
		return false
	}
	for _, s := range rt.op.Security {
		if len(s) == 0 {
			return false
		}
	}
	return true
}
