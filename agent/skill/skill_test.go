package skill_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/skill"
	"github.com/leadhand/leadhand/tools"
)

// library is one with skills whose SKILL.md are given.
func library(t *testing.T, files map[string]string) *skill.Library {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &skill.Library{Dir: dir}
}

func text(name, description, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n\n%s\n", name, description, body)
}

// plan is what a run of a scope is offered.
func plan(t *testing.T, l *skill.Library, s tools.Scope) *tools.Plan {
	t.Helper()
	gate, err := l.Gate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tools.BuildPlan(l.Tools(), tools.Signals{}, gate)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call is what a tool says; an error is part of it.
func call(t *testing.T, l *skill.Library, tool string, args map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	for _, tl := range l.Tools() {
		if tl.Name == tool {
			r, err := tl.Execute(t.Context(), &tools.Call{Name: tool, Args: raw})
			if err != nil {
				return "error: " + err.Error()
			}
			return r.ForModel
		}
	}
	t.Fatalf("no tool %s", tool)
	return ""
}

func section(t *testing.T, l *skill.Library) string {
	t.Helper()
	s, err := skill.Section{Library: l}.Render(t.Context(), &agent.Briefing{Plan: plan(t, l, tools.Scope{})})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFoldersThatAreNoSkills(t *testing.T) {
	t.Parallel()
	l := library(t, map[string]string{
		"good/SKILL.md":      "\ufeff---\r\nname: good\r\ndescription: >\r\n  does\r\n  good\r\nlicense: MIT\r\n---\r\nDo it.\r\n",
		"empty/README.md":    "nothing",
		"bare/SKILL.md":      "Do it.",
		"open/SKILL.md":      "---\nname: open\ndescription: x\n",
		"broken/SKILL.md":    "---\nname: [\n---\n",
		"other/SKILL.md":     text("another", "x", ""),
		"silent/SKILL.md":    text("silent", "", "x"),
		"LOUD/SKILL.md":      text("LOUD", "x", ""),
		"long/SKILL.md":      text("long", strings.Repeat("x", 1025), ""),
		"huge/SKILL.md":      text("huge", "x", strings.Repeat("x", 300<<10)),
		"binary/SKILL.md":    text("binary", "x", "\xff\xfe"),
		".git/SKILL.md":      "not looked at",
		"README.md":          "not looked at",
		"a-b-2/SKILL.md":     text("a-b-2", "x", ""),
		"double--x/SKILL.md": text("double--x", "x", ""),
	})
	if err := os.Symlink("/etc", filepath.Join(l.Dir, "outside")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.Dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.Dir, "folder", "SKILL.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, faults, err := l.All()
	if err != nil || len(found) != 2 || found[1].Name != "good" || found[1].Description != "does good" || found[1].Body != "Do it." {
		t.Errorf("found %+v (%v)", found, err)
	}
	got := map[string]string{}
	for _, f := range faults {
		got[f.Folder] = f.Err.Error()
	}
	want := map[string]string{
		"empty": "no SKILL.md", "bare": "front matter", "open": "front matter", "broken": "front matter: yaml", "other": "called another",
		"silent": "no description", "LOUD": "lower-case", "long": "1025 characters", "huge": "larger than 256 KB",
		"binary": "not UTF-8", "double--x": "hyphens", "outside": "can't be read", "folder": "no file",
	}
	for name, part := range want {
		if !strings.Contains(got[name], part) {
			t.Errorf("%s: %q, want %q in it", name, got[name], part)
		}
	}
	if len(got) != len(want) {
		t.Errorf("faults %v", got)
	}
}

func TestChangesCount(t *testing.T) {
	t.Parallel()
	l := library(t, map[string]string{"deploy/SKILL.md": text("deploy", "one", "")})
	if got := section(t, l); !strings.Contains(got, "- deploy: one") {
		t.Errorf("section %q", got)
	}
	at := filepath.Join(l.Dir, "deploy", "SKILL.md")
	if err := os.WriteFile(at, []byte(text("deploy", "second", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := section(t, l); !strings.Contains(got, "- deploy: second") {
		t.Errorf("section %q", got)
	}
	if err := os.RemoveAll(filepath.Dir(at)); err != nil {
		t.Fatal(err)
	}
	if got := section(t, l); got != "" {
		t.Errorf("section %q", got)
	}
}

// TestHostileFrontMatter: what is in nobody's interest to read is not read for long.
func TestHostileFrontMatter(t *testing.T) {
	t.Parallel()
	l := library(t, map[string]string{
		"lines/SKILL.md":    "---\n" + strings.Repeat("\n", 250_000),
		"comments/SKILL.md": "---\n" + strings.Repeat("#\n", 120_000) + "---\n",
	})
	begun := time.Now()
	found, faults, err := l.All()
	if err != nil || len(found) != 0 || len(faults) != 2 || time.Since(begun) > time.Second {
		t.Errorf("%v %v %v after %s", found, faults, err, time.Since(begun))
	}
}

// TestWhereThereAreNone: nothing is offered or told, and why not is known.
func TestWhereThereAreNone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, why := range map[string]string{
		filepath.Join(t.TempDir(), "missing"): "there are none", t.TempDir(): "there are none", file: "can't be read",
	} {
		l := &skill.Library{Dir: dir}
		if got := section(t, l); got != "" {
			t.Errorf("section %q", got)
		}
		p := plan(t, l, tools.Scope{})
		if _, err := p.Lookup("use_skill"); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), dir) {
			t.Errorf("%v, want %q", err, why)
		}
	}
}

// TestSomeOnly: what a scope may not use is not told, found or read.
func TestSomeOnly(t *testing.T) {
	t.Parallel()
	l := library(t, map[string]string{"deploy/SKILL.md": text("deploy", "ship it", "x"), "hire/SKILL.md": text("hire", "ship people", "x")})
	l.Allowed = func(_ context.Context, s tools.Scope) (func(string) bool, error) {
		if s.Agent == "broken" {
			return nil, errors.New("no database")
		}
		return func(name string) bool { return name == "deploy" }, nil
	}
	if got := section(t, l); !strings.Contains(got, "deploy") || strings.Contains(got, "hire") {
		t.Errorf("section %q", got)
	}
	if got := call(t, l, "skill_search", map[string]any{"query": "ship people"}); got != "- deploy: ship it" {
		t.Errorf("found %q", got)
	}
	if got := call(t, l, "use_skill", map[string]any{"name": "hire"}); !strings.Contains(got, "no such skill here; there is deploy") {
		t.Errorf("read %q", got)
	}
	if _, err := l.Gate(t.Context(), tools.Scope{Agent: "broken"}); err == nil {
		t.Error("it is known without a database")
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of it\n", 2000)
	l := library(t, map[string]string{
		"deploy/SKILL.md": text("deploy", "ship it", "First.\nThen."), "deploy/ref/hosts.md": "one\ntwo\n", "deploy/.secret": "x",
		"deploy/logo.png": "\x89PNG\x00", "long/SKILL.md": text("long", "x", long), "outside.md": "not a skill's",
	})
	if err := os.Symlink(filepath.Join(l.Dir, "outside.md"), filepath.Join(l.Dir, "deploy", "link.md")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args  map[string]any
		parts []string
	}{
		"instructions":   {map[string]any{"name": "deploy"}, []string{"First.\nThen.", "read with use_skill: link.md, logo.png, ref/hosts.md"}},
		"a part":         {map[string]any{"name": "long", "offset": 1990}, []string{"lines", "1990", "a line of it"}},
		"the first part": {map[string]any{"name": "long"}, []string{"go on with offset"}},
		"a file":         {map[string]any{"name": "deploy", "file": "ref/hosts.md"}, []string{"deploy/ref/hosts.md: 2 lines\none\ntwo"}},
		"no skill":       {map[string]any{"name": "deploi"}, []string{"error: there is no such skill here; there is deploy"}},
		"no file":        {map[string]any{"name": "deploy", "file": "hosts.md"}, []string{"error: ", "no such file; it has ref/hosts.md"}},
		"outside":        {map[string]any{"name": "deploy", "file": "../outside.md"}, []string{"error: ", "no path inside"}},
		"hidden":         {map[string]any{"name": "deploy", "file": ".secret"}, []string{"error: ", "it is hidden"}},
		"absolute":       {map[string]any{"name": "deploy", "file": "/etc/passwd"}, []string{"error: ", "no path inside"}},
		"a link outside": {map[string]any{"name": "deploy", "file": "link.md"}, []string{"error: ", "escapes"}},
		"a picture":      {map[string]any{"name": "deploy", "file": "logo.png"}, []string{"error: ", "not UTF-8"}},
		"a folder":       {map[string]any{"name": "deploy", "file": "ref"}, []string{"error: ", "no file"}},
	} {
		got := call(t, l, "use_skill", c.args)
		for _, part := range c.parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q, want %q in it", name, got, part)
			}
		}
		if strings.Contains(got, l.Dir) {
			t.Errorf("%s: %q tells where that is", name, got)
		}
	}
}

func TestSearchFindsTheBestFirst(t *testing.T) {
	t.Parallel()
	l := library(t, map[string]string{
		"release-notes/SKILL.md": text("release-notes", "write the notes of a release", "Read the commits."),
		"rollback/SKILL.md":      text("rollback", "undo a broken deployment", "Find the last release. Tell the channel."),
		"invoices/SKILL.md":      text("invoices", "проверить счета", "Ask the office."),
	})
	for query, want := range map[string][]string{
		"releases": {"release-notes", "rollback"}, "undo deployments": {"rollback"}, "СЧЕТА": {"invoices"},
		"unrelated": nil, "": nil,
	} {
		got := call(t, l, "skill_search", map[string]any{"query": query})
		var names []string
		for line := range strings.Lines(got) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ":"); ok {
				names = append(names, name)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q finds %v, want %v (%s)", query, names, want, got)
		}
	}
}

// TestManySkills: the prompt stays short, and says how to find the rest.
func TestManySkills(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 60 {
		name := fmt.Sprintf("skill-%02d", i)
		files[name+"/SKILL.md"] = text(name, strings.Repeat("word ", 60), "x")
	}
	got := section(t, library(t, files))
	if n := strings.Count(got, "\n- "); len(got) > 6400 || n < 15 || !strings.Contains(got, fmt.Sprintf("There are %d more: skill_search", 60-n)) {
		t.Errorf("%d characters, %d skills: …%s", len(got), n, got[len(got)-80:])
	}
}

func FuzzSkill(f *testing.F) {
	f.Add(text("x", "y", "z"))
	f.Add("---\n---\n")
	f.Fuzz(func(t *testing.T, data string) {
		l := library(t, map[string]string{"x/SKILL.md": data})
		found, faults, err := l.All()
		if err != nil || len(found)+len(faults) != 1 {
			t.Errorf("%v %v %v", found, faults, err)
		}
		if len(found) == 1 && (found[0].Name != "x" || strings.ContainsAny(found[0].Description, "\n\r")) {
			t.Errorf("%+v", found[0])
		}
	})
}
