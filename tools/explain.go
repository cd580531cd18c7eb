package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/leadhand/leadhand/tools/nearest"
)

const (
	maxComplaints = 20 // complaints about one call that are listed; more don't help a model
	maxShown      = 60 // bytes of a wrong name or value that are repeated to the model
)

// explain lists everything that is wrong with value in words a model can act on.
func explain(schema *jsonschema.Schema, value any, invalid *jsonschema.ValidationError) string {
	e := explainer{schema, value, message.NewPrinter(language.English)}
	all := slices.Sorted(slices.Values(e.complaints(invalid)))
	all = slices.Compact(all)
	if len(all) > maxComplaints {
		more := len(all) - maxComplaints
		all = append(all[:maxComplaints], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

type explainer struct {
	schema  *jsonschema.Schema
	value   any
	printer *message.Printer
}

func (e explainer) complaints(v *jsonschema.ValidationError) []string {
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		return e.each(v.InstanceLocation, k.Missing, func([]string, string) string { return "missing" })
	case *kind.AdditionalProperties:
		return e.each(v.InstanceLocation, k.Properties, e.unknown)
	case *kind.Type:
		return []string{e.at(v, fmt.Sprintf("must be %s, got %s", article(k.Want), e.shown(v)))}
	case *kind.Enum:
		return []string{e.at(v, fmt.Sprintf("must be %s, got %s", oneOf(k.Want), e.shown(v)))}
	case *kind.AnyOf:
		return e.alternatives(v)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return e.alternatives(v)
		}
	case *kind.FalseSchema:
		return []string{e.at(v, "must be left out")}
	}
	if len(v.Causes) == 0 {
		return []string{e.at(v, v.ErrorKind.LocalizedString(e.printer))}
	}
	var all []string
	for _, cause := range v.Causes {
		all = append(all, e.complaints(cause)...)
	}
	return all
}

func (e explainer) each(at, names []string, about func(at []string, name string) string) []string {
	var all []string
	for _, name := range names {
		all = append(all, dotted(append(slices.Clone(at), name))+": "+about(at, name))
	}
	return all
}

func (e explainer) unknown(at []string, name string) string {
	known := propertiesAt(e.schema, at)
	if near := nearest.Nearest(name, known, 1); len(near) > 0 {
		return "unknown, did you mean " + near[0] + "?"
	}
	if len(known) == 0 {
		return "unknown, leave it out"
	}
	return "unknown, there is only " + strings.Join(known, ", ")
}

// alternatives joins what is missing for each allowed form.
func (e explainer) alternatives(v *jsonschema.ValidationError) []string {
	var forms []string
	for _, cause := range v.Causes {
		form := strings.Join(e.complaints(cause), " and ")
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return []string{strings.Join(forms, ", or ")}
}

func (e explainer) at(v *jsonschema.ValidationError, complaint string) string {
	if len(v.InstanceLocation) == 0 {
		return complaint
	}
	return dotted(v.InstanceLocation) + ": " + complaint
}

// shown is the value that v complains about, as JSON.
func (e explainer) shown(v *jsonschema.ValidationError) string {
	value := e.value
	for _, step := range v.InstanceLocation {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(parent) {
				return "something else"
			}
			value = parent[i]
		}
	}
	return compact(value)
}

// propertiesAt are the names that the schema knows for the object at a place in the arguments.
func propertiesAt(s *jsonschema.Schema, at []string) []string {
	s = target(s)
	for _, step := range at {
		items, _ := s.Items.(*jsonschema.Schema) // drafts before 2020
		switch {
		case s.Properties[step] != nil:
			s = target(s.Properties[step])
		case s.Items2020 != nil:
			s = target(s.Items2020)
		case items != nil:
			s = target(items)
		default:
			return nil
		}
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// target follows references; a chain of them that never ends does not compile.
func target(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

// dotted writes a place in the arguments the way programmers do: items[2].name.
func dotted(at []string) string {
	var b strings.Builder
	for _, step := range at {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(abridge(step))
	}
	return b.String()
}

func article(types []string) string {
	var named []string
	for _, t := range types {
		switch t {
		case "null":
			named = append(named, t)
		case "integer", "object", "array":
			named = append(named, "an "+t)
		default:
			named = append(named, "a "+t)
		}
	}
	return strings.Join(named, " or ")
}

func oneOf(allowed []any) string {
	var shown []string
	for _, a := range allowed {
		shown = append(shown, compact(a))
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

func compact(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "something unreadable"
	}
	return abridge(string(raw))
}

// abridge keeps what a model wrote from filling an error text or a log line.
func abridge(s string) string {
	if len(s) <= maxShown {
		return s
	}
	end := maxShown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
