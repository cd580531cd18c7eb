package fs_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{
		"notes/plan.md": "ship it\nthen Rest\n", "notes/old.txt": "shipped\r\n", "logo.png": "\x89PNG\x00ship", "a.md": "(ship",
		"huge.log": strings.Repeat("ship\n", 1<<20), "long.txt": strings.Repeat("y", 1000) + "needle",
	})
	for name, c := range map[string]struct {
		in    args
		want  []string
		never string
	}{
		"words":            {args{"pattern": "ship"}, []string{"a.md:1: (ship", "notes/old.txt:1: shipped\n", "notes/plan.md:1: ship it", "[1 file not searched, too large or too many: begins with huge.log]"}, "logo.png"},
		"an expression":    {args{"pattern": "(?i)^then rest$"}, []string{"notes/plan.md:2: then Rest"}, "a.md"},
		"no expression":    {args{"pattern": "(ship"}, []string{"a.md:1: (ship"}, "plan.md:"},
		"a folder":         {args{"pattern": "ship", "path": "notes"}, []string{"notes/old.txt:1"}, "a.md"},
		"names":            {args{"pattern": "ship", "name": "*.md"}, []string{"a.md:1", "notes/plan.md:1"}, "old.txt"},
		"only names":       {args{"pattern": "", "name": "*.txt"}, []string{"notes/old.txt  9 bytes", "long.txt"}, "plan"},
		"no such name":     {args{"pattern": "", "name": "*.go"}, []string{"no file has such a name"}, ""},
		"nothing":          {args{"pattern": "absent", "name": "*.md"}, []string{"nothing matches in 2 text files"}, ""},
		"a long line":      {args{"pattern": "needle"}, []string{"long.txt:1: yyy", "…"}, "needle\n"},
		"outside":          {args{"pattern": "x", "path": "../x"}, []string{"not a path inside the workspace"}, ""},
		"an odd name":      {args{"pattern": "x", "name": "[a"}, []string{"is no pattern such as *.md"}, ""},
		"a long pattern":   {args{"pattern": strings.Repeat("x", 1001)}, []string{"more than 1000 characters"}, ""},
		"past all matches": {args{"pattern": "Rest", "offset": 9}, []string{"line 9 is past its end"}, ""},
	} {
		got := use(t, s, "search_files", c.in).ForModel
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q, want %q in it", name, got, part)
			}
		}
		if c.never != "" && strings.Contains(got, c.never) {
			t.Errorf("%s: %q has %q", name, got, c.never)
		}
	}
	other := scope
	other.User = "u2"
	if got := useAs(t, other, s, "search_files", args{"pattern": "ship"}).ForModel; got != "nothing matches in 0 text files" {
		t.Errorf("somebody else finds %q", got)
	}
}

// TestManyMatches come in parts, and end.
func TestManyMatches(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("a match\n", 100)
	}
	got := use(t, holding(t, files), "search_files", args{"pattern": "match"}).ForModel
	if !strings.Contains(got, "of 1000\n") || !strings.Contains(got, "go on with offset") || !strings.Contains(got, "files not searched") {
		t.Errorf("found %s…%s", got[:60], got[len(got)-200:])
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{"notes/plan.md": "ship it\n", "empty.txt": "", "big.bin": strings.Repeat("x", 11<<20)})
	r := use(t, s, "send_file", args{"path": "notes/plan.md"})
	if r.IsError || len(r.Files) != 1 || r.Files[0].Name != "plan.md" || string(r.Files[0].Data) != "ship it\n" ||
		r.Files[0].MediaType != "text/markdown" {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]string{
		"empty.txt": "is empty", "big.bin": "messengers take up to 10 MB", "plan.md": "the nearest are notes/plan.md", "../x": "not a path",
	} {
		if r := use(t, s, "send_file", args{"path": path}); !r.IsError || len(r.Files) > 0 || !strings.Contains(r.ForModel, want) {
			t.Errorf("%s: %+v", path, r)
		}
	}
}
