package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string][]string{
		"exec":           {"exec"},
		"Exec":           nil,
		"exe":            nil,
		"*":              {"exec", "read_file", "web_search", "wiki_find", "jira_find", "deploy"},
		"group:fs":       {"read_file"},
		"group:FS":       nil,
		"fs":             nil,
		"group:web":      {"web_search", "wiki_find"},
		"group:leadhand": {"exec", "read_file", "web_search"},
		"group:mcp":      {"wiki_find", "jira_find"},
		"group:media":    nil,
		"group:":         nil, // not the tools without a group
		"group:*":        nil,
		"mcp:wiki":       {"wiki_find"},
		"mcp:wik":        nil,
		"mcp:":           nil,
		"mcp:*":          nil,
		"":               nil,
		"built-in":       nil,
	} {
		var got []string
		for _, d := range zoo() {
			if tools.Matches(selector, &d) {
				got = append(got, d.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q -want +got:\n%s", selector, diff)
		}
	}
}

func TestCheckSelectors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		selectors []string
		want      string // empty for no error
	}{
		"nothing":                     {nil, ""},
		"everything there is":         {[]string{"*", "exec", "group:fs", "group:mcp", "group:leadhand", "mcp:wiki"}, ""},
		"a group that is still empty": {[]string{"group:media", "group:database", "group:automation"}, ""},
		"a misspelt tool":             {[]string{"raed_file"}, `there is no tool "raed_file"; the nearest are: read_file`},
		"another case":                {[]string{"EXEC"}, `there is no tool "EXEC"; the nearest are: exec`},
		"nothing like it":             {[]string{"zzz"}, `there is no tool "zzz"; no other tool has a name like it`},
		"a group without the word":    {[]string{"web"}, `there is no tool "web"; the nearest are: group:web, web_search`},
		"a server without the word":   {[]string{"jira"}, `there is no tool "jira"; the nearest are: mcp:jira, jira_find`},
		"a misspelt group":            {[]string{"group:runtme"}, `there is no group "runtme"; the nearest are: group:runtime`},
		"a misspelt server":           {[]string{"mcp:wikki"}, `there is no MCP server "wikki"; the nearest are: mcp:wiki`},
		"an unknown server":           {[]string{"mcp:github"}, `there is no MCP server "github"; there is only jira, wiki`},
		"an empty one":                {[]string{""}, `there is no tool ""; no other tool has a name like it`},
		"all at once": {
			[]string{"exce", "group:wbe", "exec", "mcp:", "exce"},
			`there is no tool "exce"; the nearest are: exec; there is no group "wbe"; the nearest are: group:web; ` +
				`there is no MCP server ""; there is only jira, wiki`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := tools.CheckSelectors(tc.selectors, zoo()); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
	err := tools.CheckSelectors([]string{"mcp:wiki", "group:zzz"}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `there is no MCP server "wiki", and no other; there is no group "zzz"; `) {
		t.Errorf("without any tools: %v", err)
	}
}
