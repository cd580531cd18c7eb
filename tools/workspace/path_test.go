package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/tools/workspace"
)

func TestCleanGivesOneSpelling(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a":                       "a",
		"notes/plan.md":           "notes/plan.md",
		"./a":                     "a",
		"a//b/./c/":               "a/b/c",
		"/workspace/a/b":          "a/b",
		"workspace/a":             "workspace/a",
		"...":                     "...",
		"..a/b..":                 "..a/b..",
		".env":                    ".env",
		"100%.md":                 "100%.md",
		"50%2f50":                 "50%2f50",
		"a%20b":                   "a%20b",
		"a b/it's":                "a b/it's",
		"~/x":                     "~/x",
		"план/日本.md":              "план/日本.md",
		"cafe\u0301.md":           "caf\u00e9.md",
		"time 12:30.md":           "time 12:30.md",
		strings.Repeat("n", 255):  strings.Repeat("n", 255),
		"👩\u200d💻.md":             "👩\u200d💻.md",
		strings.Repeat("d/", 200): strings.TrimSuffix(strings.Repeat("d/", 200), "/"),
	} {
		got, err := workspace.Clean(in)
		if err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", in, got, err, want)
		}
		if again, err := workspace.Clean(got); err != nil || again != got {
			t.Errorf("Clean(%q) = %q, %v; want it to stay", got, again, err)
		}
	}
}

func TestCleanRefuses(t *testing.T) {
	t.Parallel()
	for name, paths := range map[string][]string{
		"nothing":            {"", ".", "./", "/", "//", "/workspace", "/workspace/", "./."},
		"parents":            {"..", "../a", "a/..", "a/../b", "a/b/../../..", "../agent-victim/x", "/workspace/../etc"},
		"other roots":        {"/etc/passwd", "/a", "//a", "/workspaces/a", "/workspace//etc", "C:/x", "c:", "C:x"},
		"encoded parents":    {"%2e%2e/a", "a/%2E%2e/b", "%2e./a", ".%2e", "%252e%252e/a", "%2e", "a%2f..%2fb", "%2e%2e%5cx"},
		"backslashes":        {`a\b`, `..\a`, `\\server\share`},
		"control characters": {"a\x00", "a\nb", "a\tb", "\x1b[2J", "a\u0085b", "a\x7f"},
		"misleading marks":   {"a\u202egpj.exe", "a\u2066b", "a\u2028b", "a\u2029b", "\u200fa"},
		"bad UTF-8":          {"\xff", "a/\xc3\x28"},
		"too long": {
			strings.Repeat("n", 256), "a/" + strings.Repeat("é", 128), strings.Repeat("dir/", 128) + "a",
			strings.Repeat("x", 1<<20),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range paths {
				if got, err := workspace.Clean(p); !errors.Is(err, workspace.ErrPath) {
					t.Errorf("Clean(%.40q) = %.40q, %v; want an ErrPath", p, got, err)
				}
			}
		})
	}
}

func TestCleanDirKnowsTheWholeWorkspace(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", ".", "./", "/", "/workspace", "/workspace/"} {
		if got, err := workspace.CleanDir(dir); err != nil || got != "" {
			t.Errorf("CleanDir(%q) = %q, %v", dir, got, err)
		}
	}
	if got, err := workspace.CleanDir("notes/"); err != nil || got != "notes" {
		t.Errorf("CleanDir = %q, %v", got, err)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "%2e%2e/", "/workspace/x", "cafe\u0301", "\x00", `a\..\b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		clean, err := workspace.Clean(path)
		if err != nil {
			return
		}
		for name := range strings.SplitSeq(clean, "/") {
			if name == "" || name == "." || name == ".." || len(name) > 255 {
				t.Errorf("Clean(%q) = %q", path, clean)
			}
		}
		if again, err := workspace.Clean(clean); err != nil || again != clean {
			t.Errorf("Clean(%q) = %q, but that becomes %q, %v", path, clean, again, err)
		}
	})
}
