package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/app"
)

// canary is a secret that must not be in any error.
const canary = "sk-CANARY-0123456789abcdef"

// write makes a file in a new directory and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func home(t *testing.T) app.Environ { return app.Environ{"HOME": t.TempDir()} }

func TestLoadRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file string
		want []string
	}{
		"unknown key":              {"listn: x", []string{`line 1: unknown key "listn": did you mean "listen"?`}},
		"unknown nested key":       {"log: info\nlimits:\n  tuns: 3", []string{"line 3", "limits", `"turns"`}},
		"unknown key below a name": {"agents:\n  lead:\n    model: [a]", []string{"line 3", "agents.lead", `"models"`}},
		"unknown key of a module":  {"models:\n  a: {kind: demo, setings: {}}", []string{"line 2", `"settings"`}},
		"unknown model setting": {"models:\n  a:\n    kind: openai\n    settings: {api_kye: x}",
			[]string{"line 4", `"api_key"`}},
		"nothing near":          {"zzzzzzzz: 1", []string{`unknown key "zzzzzzzz": known are access, agents,`}},
		"every mistake at once": {"listn: x\nlimits: {tuns: 1}", []string{"line 1", "line 2"}},
		"key set twice": {"log: info\nlisten: a\nlog: warn",
			[]string{`line 3: "log" is already set in line 1`}},
		"setting twice": {"models:\n  a:\n    kind: demo\n    settings:\n      model: x\n      model: y",
			[]string{"line 6", "line 5"}},
		"number with letters": {"limits:\n  turns: " + canary,
			[]string{"line 2: limits.turns: a whole number is expected"}},
		"fraction": {"limits: {turns: 1.5}", []string{"line 1: limits.turns: a whole number"}},
		"yes is no bool": {"models: {a: {kind: demo, settings: {no_tools: maybe}}}",
			[]string{"no_tools: true or false is expected"}},
		"text instead of keys": {"limits: " + canary, []string{"line 1: limits: keys with values"}},
		"list instead of keys": {"models: [" + canary + "]", []string{"line 1: models: keys with values"}},
		"whole file is text":   {canary, []string{"line 1: keys with values"}},
		"whole file is a list": {"- a\n- b", []string{"line 1: keys with values"}},
		"text instead of a list": {"agents: {lead: {models: " + canary + "}}",
			[]string{"agents.lead.models: a list is expected"}},
		"keys instead of text": {"listen: {a: b}", []string{"line 1: listen: a single value"}},
		"list item of wrong type": {"agents: {lead: {models: [{a: b}]}}",
			[]string{"agents.lead.models: a single value"}},
		"tab":               {"limits:\n\tturns: 3", []string{"line 2"}},
		"broken flow":       {"models: {a: {kind: demo", []string{"line 1: did not find expected ',' or '}'"}},
		"unknown alias":     {"log: *" + canary, []string{"unknown anchor … referenced"}},
		"second document":   {"log: info\n---\nlog: warn", []string{"a second document begins"}},
		"merge of a scalar": {"limits:\n  <<: 3", []string{"line 2: only mappings can be merged"}},
		"alias inside itself": {"limits: &a\n  turns: *a",
			[]string{"line 2: this alias is inside of what it stands for"}},
		"key that is a list":       {"? [a, b]\n: c", []string{"line 1: a key must be a plain word"}},
		"alias bomb":               {bomb(), []string{"too large once its aliases are written out"}},
		"missing variable":         {"log: info\nlisten: ${NOPE}", []string{"line 2: the environment has no NOPE"}},
		"missing referenced file":  {"log: info\nlisten: file:nope", []string{"line 2: read ", "/nope: no such file"}},
		"referenced file is empty": {"listen: file:empty", []string{"/empty is empty"}},
		"referenced directory":     {"listen: file:.", []string{"is a directory"}},
		"wrong choice":             {"access: opne", []string{`access: unknown value "opne": did you mean "open"?`}},
		"unknown role":             {"roles: {membr: {deny: [edit]}}", []string{`unknown role "membr": did you mean "member"?`}},
		"unknown tool of a role":   {"roles: {guest: {deny: [edti]}}", []string{"roles.guest.deny", "edit"}},
		"unknown choice":           {"models: {a: {kind: demo}}\nagents: {lead: {models: [a], choices: [b]}}", []string{"agents.lead.choices"}},
		"negative price":           {"models: {a: {kind: demo, settings: {price: {input: -1}}}}", []string{"price: it can't be negative"}},
		"wrong steering":           {"steering: que", []string{`did you mean "queue"?`}},
		"wrong log level":          {"log: chatty", []string{"log:", "debug, info, warn, error"}},
		"wrong zone":               {"time_zone: Berlin", []string{"time_zone:", "Europe/Berlin"}},
		"zone that is a path":      {"time_zone: ../../etc/passwd", []string{"time_zone:"}},
		"unknown channel kind":     {"channels: {s: {kind: slak}}", []string{"channels.s.kind"}},
		"unknown model kind": {"models: {m: {kind: opnai}}",
			[]string{`models.m.kind: unknown value "opnai": did you mean "openai"?`}},
		"no kind": {"models: {m: {settings: {model: x}}}",
			[]string{"models.m: it has no kind", "openai"}},
		"model not defined": {"models: {fast: {kind: demo}}\nagents: {lead: {models: [fats]}}",
			[]string{`agents.lead.models: unknown model "fats": did you mean "fast"?`}},
		"no model defined": {"agents: {lead: {models: [fast]}}", []string{"there are none to choose from"}},
		"model without key": {"models: {m: {kind: anthropic}}",
			[]string{"models.m.settings: api_key is missing", "ANTHROPIC_API_KEY"}},
		"base URL without scheme": {"models: {m: {kind: openai, settings: {base_url: 'u:" + canary + "@host'}}}",
			[]string{"base_url: it must be a URL"}},
		"a skill that can't be":    {"agents: {lead: {skills: [Deploy it]}}", []string{"agents.lead.skills: \"Deploy it\" is no name"}},
		"an empty list":            {"agents:\n  lead:\n    skills:\n", []string{"line 3: agents.lead.skills: it is empty: write [] for none"}},
		"a choice of nothing":      {"agents: {lead: {choices: [gpt]}}", []string{"agents.lead.choices: unknown model"}},
		"calls of no tool":         {"limits: {calls: {tools: {read_fil: 3}}}", []string{"limits.calls.tools:", "read_file"}},
		"no calls at all":          {"limits: {calls: {session: -1}}", []string{"limits.calls.session: -1 is not between"}},
		"negative limit":           {"limits: {turns: -1}", []string{"limits.turns: -1 is not between 1 and"}},
		"absurd limit":             {"limits: {turns: 99999999}", []string{"limits.turns:"}},
		"number over any integer":  {"limits: {turns: 99999999999999999999}", []string{"limits.turns: a whole number"}},
		"file beyond workspace":    {"limits: {file_bytes: 200, workspace_bytes: 100}", []string{"limits.file_bytes:"}},
		"tiny window":              {"agents: {lead: {window: 5}}", []string{"agents.lead.window:"}},
		"secret as choice":         {"log: ${KEY}", []string{`unknown value "…"`}},
		"secret in a longer text":  {"time_zone: zone-${KEY}", []string{"time_zone"}},
		"secret from a file":       {"access: file:key", []string{"access: unknown value"}},
		"secret of the wrong type": {"limits: {turns: \"${KEY}\"}", []string{"limits.turns: a whole number"}},
		"secret as a base URL": {"models: {m: {kind: openai, settings: {base_url: \"${KEY}\"}}}",
			[]string{"base_url"}},
		"key in the place of a name": {"log: " + canary + canary, []string{`unknown value "sk-CAN…"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "leadhand.yaml", tt.file)
			for file, content := range map[string]string{"empty": "\n", "key": canary + "\n"} {
				if err := os.WriteFile(filepath.Join(filepath.Dir(path), file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := home(t)
			env["KEY"] = canary
			_, err := app.Load(t.Context(), app.Flags{Config: path}, env)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not contain %q", err, want)
				}
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("the error holds the secret: %v", err)
			}
		})
	}
}

// bomb is a small file that would be 9^9 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 10; i++ {
		ref := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Join([]string{ref, ref, ref, ref, ref, ref, ref, ref, ref}, ","))
	}
	return b.String()
}

func TestABombIsRejectedAtOnce(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := app.Load(t.Context(), app.Flags{Config: write(t, "c.yaml", bomb())}, home(t))
	if err == nil || time.Since(start) > 5*time.Second || len(err.Error()) > 500 {
		t.Fatalf("after %s: %v", time.Since(start), err)
	}
}

func TestLoadAccepts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file string
		got  func(*app.Config) any
		want any
	}{
		"nothing":         {"", func(c *app.Config) any { return c.Log }, "info"},
		"only a comment":  {"# nothing here\n", func(c *app.Config) any { return c.Log }, "info"},
		"null":            {"limits:\nlog: warn", func(c *app.Config) any { return c.Log }, "warn"},
		"byte order mark": {"\ufefflog: warn", func(c *app.Config) any { return c.Log }, "warn"},
		"line ends of Windows": {"log: warn\r\nlimits:\r\n  turns: 4\r\n",
			func(c *app.Config) any { return c.Limits.Turns }, 4},
		"a variable":             {"listen: ${ADDR}:80", func(c *app.Config) any { return c.Listen }, "1.2.3.4:80"},
		"a variable as a number": {`limits: {turns: "${TURNS}"}`, func(c *app.Config) any { return c.Limits.Turns }, 7},
		"a number as text": {"agents: {lead: {instructions: '${TURNS}'}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "7"},
		"null in a variable is text": {"agents: {lead: {instructions: '${NULL}'}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "null"},
		"a file beside the file": {"agents: {lead: {instructions: file:notes}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "be kind\nand short"},
		"a variable in a file name": {"agents: {lead: {instructions: 'file:${NOTES}'}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "be kind\nand short"},
		"a reference is not read twice": {"agents: {lead: {instructions: '${TRICK}'}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "file:${ADDR}"},
		"no reference": {"agents: {lead: {instructions: 'costs $5 and {x}'}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "costs $5 and {x}"},
		"an alias": {"log: &l warn\nagents: {lead: {instructions: *l}}",
			func(c *app.Config) any { return c.Agents["lead"].Instructions }, "warn"},
		"a merge": {"agents:\n  a: &a {window: 2000, max_steps: 3}\n  lead: {<<: *a, max_steps: 4}",
			func(c *app.Config) any { return c.Agents["lead"] }, app.Agent{Window: 2000, MaxSteps: 4}},
		"a list of merges": {"agents:\n  a: &a {window: 2000}\n  b: &b {window: 3000, max_steps: 3}\n  lead: {<<: [*a, *b]}",
			func(c *app.Config) any { return c.Agents["lead"] }, app.Agent{Window: 2000, MaxSteps: 3}},
		"models to choose, with a price": {"models:\n  a: {kind: openai, settings: {api_key: k, price: {input: 2.5, output: 10}}}\n" +
			"  b: {kind: demo}\nagents: {lead: {models: [b], choices: [a]}}",
			func(c *app.Config) any { return c.Agents["lead"].Choices }, []string{"a"}},
		"no skills": {"agents: {lead: {skills: []}}", func(c *app.Config) any { return c.Agents["lead"].Skills }, &[]string{}},
		"settings from an alias": {"models:\n  a: {kind: openai, settings: &s {api_key: k}}\n  b: {kind: demo, settings: *s}",
			func(c *app.Config) any { return len(c.Models) }, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "leadhand.yaml", tt.file)
			notes := filepath.Join(filepath.Dir(path), "notes")
			if err := os.WriteFile(notes, []byte("be kind\nand short\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := home(t)
			for k, v := range map[string]string{
				"ADDR": "1.2.3.4", "TURNS": "7", "NOTES": "notes", "NULL": "null", "TRICK": "file:${ADDR}",
			} {
				env[k] = v
			}
			cfg, err := app.Load(t.Context(), app.Flags{Config: path}, env)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.got(cfg); !cmp.Equal(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestLoadNamesTheFileItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, path := range map[string]string{
		"missing": filepath.Join(dir, "nope.yaml"), "a directory": dir, "endless": "/dev/zero",
	} {
		_, err := app.Load(t.Context(), app.Flags{Config: path}, home(t))
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadReadsTheFileInTheDataDirectory(t *testing.T) {
	t.Parallel()
	path := write(t, "leadhand.yaml", "log: warn\nmodels: {default: {kind: demo}}")
	data := filepath.Dir(path)
	other := write(t, "c.yaml", "log: error")
	tests := map[string]struct {
		flags  app.Flags
		env    app.Environ
		log    string
		models int
	}{
		"found by the flag":                {app.Flags{Data: data}, app.Environ{}, "warn", 1},
		"found by the environment":         {app.Flags{}, app.Environ{"LEADHAND_DATA": data}, "warn", 1},
		"not when another is chosen":       {app.Flags{Data: data, Config: other}, app.Environ{}, "error", 0},
		"a model in the environment wins":  {app.Flags{Data: data}, app.Environ{"OPENAI_API_KEY": "k"}, "warn", 0},
		"but not over a file that's given": {app.Flags{Config: path}, app.Environ{"OPENAI_API_KEY": "k"}, "warn", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := app.Load(t.Context(), tt.flags, tt.env)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Log != tt.log || len(cfg.Models) != tt.models {
				t.Errorf("log %q and %d models, want %q and %d", cfg.Log, len(cfg.Models), tt.log, tt.models)
			}
		})
	}
}

func TestModelsOfOneTeamStayWhenTheEnvironmentHasAKey(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"another name":      "models: {fast: {kind: openai, settings: {model: m, api_key: '${OPENAI_API_KEY}'}}}",
		"asked for by name": "models: {default: {kind: demo}}\nagents: {lead: {models: [default]}}",
	} {
		path := write(t, "leadhand.yaml", file)
		cfg, err := app.Load(t.Context(), app.Flags{Data: filepath.Dir(path)}, app.Environ{"OPENAI_API_KEY": "k"})
		if err != nil || len(cfg.Models) != 1 {
			t.Errorf("%s: %v, %v", name, cfg, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		env  app.Environ
		want string
	}{
		"misspelt variable":     {app.Environ{"LEADHAND_DATABASEURL": canary}, `did you mean "LEADHAND_DATABASE_URL"?`},
		"unknown variable":      {app.Environ{"LEADHAND_XQZ": canary}, "LEADHAND_XQZ"},
		"wrong access":          {app.Environ{"LEADHAND_ACCESS": "opened"}, `"open"`},
		"wrong zone":            {app.Environ{"LEADHAND_TIME_ZONE": "Mars/Olympus"}, "time_zone"},
		"a test's own variable": {app.Environ{"LEADHAND_TEST_POSTGRES": "x"}, ""},
		"somebody else's":       {app.Environ{"LEADHANDLER": "x"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := app.Load(t.Context(), app.Flags{Data: t.TempDir()}, tt.env)
			switch {
			case tt.want == "" && err != nil:
				t.Fatal(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Fatalf("error %v does not contain %q", err, tt.want)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the error holds the secret: %v", err)
			}
		})
	}
}
