package fs_test

import (
	"strings"
	"testing"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		in   args
		want string // the new text; empty if it stays
		says string
	}{
		"one occurrence": {"a\nb\nc\n", args{"old": "b", "new": "B"}, "a\nB\nc\n", "f is changed at line 2: version 2"},
		"taking out":     {"a\nb\nc\n", args{"old": "b\n", "new": ""}, "a\nc\n", "at line 2"},
		"all":            {"x\ny\nx x\n", args{"old": "x", "new": "z", "all": true}, "z\ny\nz z\n", "at lines 1, 3, 3"},
		"more than one":  {"x\ny\nx\n", args{"old": "x", "new": "z"}, "", "old occurs 2 times in f, at lines 1, 3"},
		"several lines":  {"a\nb\nc\n", args{"old": "a\nb\n", "new": "ab\n"}, "ab\nc\n", "at line 1"},
		"a Windows file": {"a\r\nb\r\nc\r\n", args{"old": "a\nb", "new": "x\ny"}, "x\r\ny\r\nc\r\n", "at line 1"},
		"a regexp sign":  {"a.c abc\n", args{"old": "a.c", "new": "$1"}, "$1 abc\n", "at line 1"},
		"none": {
			"\tfunc main() {\n\tprintln()\n}\n", args{"old": "func man() {", "new": "x"}, "",
			`nearest lines are` + "\n" + `line 1: "\tfunc main() {"`,
		},
		"nothing like it": {"a\n", args{"old": "something else", "new": "x"}, "", "nor does anything like it"},
		"an empty old":    {"a\n", args{"old": "", "new": "x"}, "", "old is empty"},
		"the same":        {"a\n", args{"old": "a", "new": "a"}, "", "nothing to change"},
		"a binary file":   {"a\x00b", args{"old": "a", "new": "x"}, "", "not UTF-8 text"},
		"an old that is a beginning of many": {
			strings.Repeat("x\n", 30), args{"old": "x", "new": "z"}, "", "at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...",
		},
		"a text that would be huge": {
			strings.Repeat("x", 1000), args{"old": "x", "new": strings.Repeat("y", 100000), "all": true}, "",
			"the file is too large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := holding(t, map[string]string{"f": tc.text})
			tc.in["path"] = "./f"
			r := use(t, s, "edit", tc.in)
			if !strings.Contains(r.ForModel, tc.says) || r.IsError != (tc.want == "") {
				t.Errorf("got %q (error %v), want %q", r.ForModel, r.IsError, tc.says)
			}
			want := tc.want
			if want == "" {
				want = tc.text
			}
			if got := content(t, s, "f"); got != want {
				t.Errorf("the file is now %q, want %q", got, want)
			}
		})
	}
	t.Run("no such file", func(t *testing.T) {
		t.Parallel()
		s := holding(t, map[string]string{"notes/plan.md": "x"})
		wantError(t, use(t, s, "edit", args{"path": "notes/paln.md", "old": "x", "new": "y"}), "notes/plan.md")
	})
}

func TestEditFitsItselfToAChangeMadeMeanwhile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		times     int
		meanwhile string
		want      string
		says      string
	}{
		"once":                       {1, "a b c", "a X c+", "version 3"},
		"twice":                      {2, "a b c", "a b c++", "the file was changed meanwhile"},
		"so that old is gone":        {1, "a c", "a c+", "old does not occur"},
		"so that old is there twice": {1, "b b", "b b+", "old occurs 2 times"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &interfering{holding(t, map[string]string{"f": "a b"}), tc.times, tc.meanwhile}
			r := use(t, s, "edit", args{"path": "f", "old": "b", "new": "X"})
			if !strings.Contains(r.ForModel, tc.says) {
				t.Errorf("got %q, want %q", r.ForModel, tc.says)
			}
			if got := content(t, s, "f"); got != tc.want {
				t.Errorf("the file is now %q, want %q", got, tc.want)
			}
		})
	}
}
