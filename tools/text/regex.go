package text

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/leadhand/leadhand/tools"
)

const (
	longestPattern = 1000    // bytes
	longestText    = 1 << 20 // bytes
	mostFound      = 200     // matches
)

type regexParams struct {
	Pattern string  `json:"pattern" jsonschema:"regular expression (RE2: no lookaround, no backreferences)"`
	Text    string  `json:"text" jsonschema:"text to look in"`
	Replace *string `json:"replace,omitempty" jsonschema:"put this in the place of each match; $1 is a group"`
}

func regex() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "regex", Label: "matching a pattern", Group: group, Effect: tools.ReadOnly,
		Description: "Find all matches of a regular expression in a text, with their groups, or replace them.",
	}, func(_ context.Context, _ *tools.Call, in regexParams) (*tools.Result, error) {
		if len(in.Pattern) > longestPattern || len(in.Text) > longestText {
			return nil, fmt.Errorf("the pattern may have %d bytes and the text %d", longestPattern, longestText)
		}
		re, err := regexp.Compile(in.Pattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern can't be read: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		if in.Replace != nil {
			out := re.ReplaceAllString(in.Text, *in.Replace)
			if len(out) > longestText {
				return nil, fmt.Errorf("the result would have more than %d bytes", longestText)
			}
			return tools.Text(out), nil
		}
		return tools.Text(matches(re, in.Text)), nil
	})
}

// matches lists what is found, each with its place and groups.
func matches(re *regexp.Regexp, text string) string {
	found := re.FindAllStringSubmatchIndex(text, mostFound+1)
	if len(found) == 0 {
		return "nothing matches"
	}
	var b strings.Builder
	names := re.SubexpNames()
	for i, at := range found {
		if i == mostFound {
			b.WriteString("[more]\n")
			break
		}
		fmt.Fprintf(&b, "%d-%d: %q", at[0], at[1], text[at[0]:at[1]])
		for g := 1; g < len(names); g++ {
			name := names[g]
			if name == "" {
				name = fmt.Sprint(g)
			}
			if at[2*g] >= 0 {
				fmt.Fprintf(&b, " %s=%q", name, text[at[2*g]:at[2*g+1]])
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}
