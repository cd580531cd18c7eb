package fs_test

import (
	"strings"
	"testing"
)

// TestVersions: what was overwritten or removed is listed, shown and brought back.
func TestVersions(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{"plan.md": "one\n"})
	write(t, s, "plan.md", "two\n")
	ask := func(tool string, in args, want ...string) {
		t.Helper()
		got := use(t, s, tool, in).ForModel
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s %v: %q, want %q in it", tool, in, got, part)
			}
		}
	}
	ask("file_history", args{"path": "plan.md"}, "plan.md: 2 lines\nversion 2, 20", "\nversion 1, 20", ", 4 bytes")
	ask("file_history", args{"path": "plan.md", "version": 1}, "plan.md, version 1: 1 line\none")
	ask("file_history", args{"path": "plan.md", "version": 9}, "has no version 9 any more; kept are 2, 1")
	ask("file_history", args{"path": "plam.md"}, "no such file; the nearest are plan.md")
	ask("remove_file", args{"path": "plan.md"}, "is removed; its versions are kept")
	ask("remove_file", args{"path": "plan.md"}, "no such file")
	ask("read_file", args{"path": "plan.md"}, "no such file")
	ask("file_history", args{"path": "plan.md"}, "version 3, 20", "removed\nversion 2")
	ask("restore_file", args{"path": "plan.md", "version": 3}, "kept are 2, 1")
	ask("restore_file", args{"path": "plan.md", "version": 1}, "again as in version 1; that is version 4 now")
	if got := content(t, s, "plan.md"); got != "one\n" {
		t.Errorf("restored %q", got)
	}
	other := scope
	other.User = "u2"
	if got := useAs(t, other, s, "file_history", args{"path": "plan.md"}).ForModel; !strings.Contains(got, "no such file") {
		t.Errorf("somebody else sees %q", got)
	}
}
