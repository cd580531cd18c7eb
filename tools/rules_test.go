package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/tools"
)

func TestRulesAreReadFromYAML(t *testing.T) {
	t.Parallel()
	text := `
profile: coding
allow: []
deny: [exec]
also_allow: ["mcp:wiki"]
subagent_deny: ["group:web"]
leaf_deny: [spawn]
providers:
  openai: {profile: messaging, allow: [read_file]}
`
	want := tools.Rules{
		Profile: "coding", Allow: []string{}, Deny: []string{"exec"}, AlsoAllow: []string{"mcp:wiki"},
		SubagentDeny: []string{"group:web"}, LeafDeny: []string{"spawn"},
		Providers: map[string]tools.ProviderRules{"openai": {Profile: "messaging", Allow: []string{"read_file"}}},
	}
	read := func(text string) (r tools.Rules, err error) {
		dec := yaml.NewDecoder(strings.NewReader(text))
		dec.KnownFields(true)
		err = dec.Decode(&r)
		return r, err
	}
	got, err := read(text)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	if _, err := read("alow: [exec]"); err == nil {
		t.Error("an unknown key is taken")
	}
}

func TestRulesCheck(t *testing.T) {
	t.Parallel()
	ds := tools.Descriptors(office())
	good := tools.Rules{
		Profile: "full", Allow: []string{"*", "group:mcp"}, Deny: []string{"exec", "mcp:wiki"}, AlsoAllow: []string{"spawn"},
		Providers: map[string]tools.ProviderRules{"openai": {Profile: "minimal", Allow: []string{"group:team"}}},
	}
	if err := good.Check(ds); err != nil {
		t.Error(err)
	}
	bad := tools.Rules{
		Profile: "codng", Allow: []string{"exce", "group:wbe"}, Deny: []string{"mcp:wikki"}, AlsoAllow: []string{"zzz"},
		SubagentDeny: []string{"corn"}, LeafDeny: []string{"spwan"},
		Providers: map[string]tools.ProviderRules{"b": {Allow: []string{"exce"}}, "a": {Profile: "x"}},
	}
	want := strings.TrimSpace(`
profile: there is no profile "codng"; the nearest is coding
allow: there is no tool "exce"; the nearest are: exec; there is no group "wbe"; the nearest are: group:web
deny: there is no MCP server "wikki"; the nearest are: mcp:wiki
also_allow: there is no tool "zzz"; no other tool has a name like it
subagent_deny: there is no tool "corn"; the nearest are: cron
leaf_deny: there is no tool "spwan"; the nearest are: spawn
providers.a.profile: there is no profile "x"; there is only full, coding, messaging, minimal
providers.b.allow: there is no tool "exce"; the nearest are: exec`)
	if diff := cmp.Diff(want, fmt.Sprint(bad.Check(ds))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProfilesNameOnlyKnownGroups(t *testing.T) {
	t.Parallel()
	for _, profile := range tools.Profiles() {
		selectors, ok := tools.ProfileSelectors(profile)
		groups := slices.DeleteFunc(selectors, func(s string) bool { return !strings.HasPrefix(s, "group:") })
		if err := tools.CheckSelectors(groups, nil); err != nil || !ok {
			t.Errorf("%s: %v, %v", profile, ok, err)
		}
	}
}
