package spill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/leadhand/leadhand/tools"
)

const readOutput = "read_output"

type readParams struct {
	Ref    string `json:"ref" jsonschema:"ref of the output"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to show, counted from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to show"`
	Search string `json:"search,omitempty" jsonschema:"only lines that match this regular expression"`
	Path   string `json:"path,omitempty" jsonschema:"only this part of JSON: items[0].name; of jsonl [3].name"`
	Tail   int    `json:"tail,omitempty" jsonschema:"show the last lines, this many"`
}

// Tool reads outputs that are kept.
func Tool(s Store) tools.Tool {
	return tools.New(tools.Descriptor{
		Name: readOutput, Label: "reading an output", Group: "outputs", Effect: tools.ReadOnly,
		Description: "Read a large output that is kept under a ref, in parts: by lines (offset, limit), by search, by path " +
			"(JSON), or from its end (tail). A path and a search or lines go together.",
	}, func(ctx context.Context, call *tools.Call, in readParams) (*tools.Result, error) {
		out, err := s.Get(ctx, ownerOf(call), in.Ref)
		if err != nil {
			return nil, err
		}
		return read(out, in)
	})
}

func read(out *Output, in readParams) (*tools.Result, error) {
	text, name := out.Text, "output "+out.Ref
	if in.Path != "" {
		var err error
		if text, err = at(out, in.Path); err != nil {
			return nil, err
		}
		name += " at " + in.Path
	}
	switch {
	case in.Search != "" && in.Tail > 0:
		return nil, errors.New("search and tail don't go together: take one of them")
	case in.Search != "":
		return search(name, text, in)
	case in.Tail > 0:
		all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		return tools.Page(name, text, max(1, len(all)-in.Tail+1), 0)
	}
	return tools.Page(name, text, in.Offset, in.Limit)
}

// longestPattern is in bytes.
const longestPattern = 1000

// search shows the lines that match, with their numbers.
func search(name, text string, in readParams) (*tools.Result, error) {
	if len(in.Search) > longestPattern {
		return nil, fmt.Errorf("search: it has more than %d characters", longestPattern)
	}
	re, err := regexp.Compile(in.Search)
	if err != nil { // most people mean the words
		re = regexp.MustCompile(regexp.QuoteMeta(in.Search))
	}
	var found strings.Builder
	n, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if re.MatchString(line) {
			n++
			fmt.Fprintf(&found, "%d: %s\n", number, shorten(line, 2*longestItem))
		}
	}
	if n == 0 {
		return tools.Text(fmt.Sprintf("%s: none of its %s matches", name, lines(text))), nil
	}
	return tools.Page(fmt.Sprintf("%s, lines that match", name), found.String(), in.Offset, in.Limit)
}

// at is the part of JSON at a path, in lines.
func at(out *Output, path string) (string, error) {
	var v any
	var err error
	switch out.Kind {
	case JSON:
		err = json.Unmarshal([]byte(out.Text), &v)
	case JSONLines:
		var list []any
		for line := range strings.Lines(out.Text) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			var item any
			if err = json.Unmarshal([]byte(line), &item); err != nil {
				break
			}
			list = append(list, item)
		}
		v = list
	default:
		return "", fmt.Errorf("path: the output is %s, and only json and jsonl have paths", out.Kind)
	}
	if err != nil {
		return "", fmt.Errorf("path: the output can't be read as JSON: %w", err)
	}
	steps, err := stepsOf(path)
	if err != nil {
		return "", err
	}
	for i, step := range steps {
		if v, err = step.into(v); err != nil {
			return "", fmt.Errorf("path: at %s: %w", written(steps[:i]), err)
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	return string(raw), err
}
