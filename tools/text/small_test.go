package text_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/text"
)

// use calls a tool the way runs do.
func use(t testing.TB, name string, in map[string]any) string {
	t.Helper()
	plan, err := tools.BuildPlan(text.Tools(time.UTC, time.Now), tools.Signals{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	err = (&tools.Pipeline{}).Run(context.WithoutCancel(t.Context()), plan, []*tools.Call{{Name: name, Args: raw}}, func(_ int, r *tools.Result) error {
		if got = r.ForModel; r.IsError {
			got = "error: " + got
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCalc(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string]string{
		"1 + 2 * 3": "7", "0.1 + 0.2": "0.3", "(1.19 * 250) / 3": "99.1666666666667", "2 ** 10": "1024", "2 ^ 10": "1024", "10 % 3": "1", "-7 % 3": "-1",
		"9223372036854775807 * 2": "1.84467440737096e+19", "2 ** 64": "1.84467440737096e+19", "1e-7": "1e-07", "7 / 2": "3.5", "1_000_000 * 3": "3000000",
		"sqrt(2)": "1.4142135623731", "round(pi, 2)": "3.14", "round(2.5)": "3", "mod(10, 4)": "2", "sum(1, 2, 3)": "6", "sum([1, 2], 3)": "6",
		"mean([1, 2, 6])": "3", "median([5, 1, 3])": "3", "median(1, 2)": "1.5", "max(3, 9, 2)": "9", "min([4])": "4", "ln(e)": "1", "abs(-3)": "3",
		"1 > 2 ? 10 : 20": "20", "3 == 3": "true", "[1, 2 * 2]": "[1, 4]", "1.5e3": "1500", "0x10 + 1": "17",
	} {
		if got := use(t, "calc", map[string]any{"expression": formula}); got != formula+" = "+want {
			t.Errorf("%q, want %s", got, want)
		}
	}
	for formula, want := range map[string]string{
		"1 / 0": "division by zero", "0 / 0": "has no value", "sqrt(-1)": "has no value", "1 +": "column", "foo(1)": "unknown name foo", "x + 1": "unknown name x",
		"sqrt(1, 2)": "it takes one number, got 2", "sum()": "at least one number", `sqrt("a")`: "it takes numbers", `"a" + "b"`: "gives no number",
		"": "unexpected token", strings.Repeat("1+", 2001) + "1": "more than 4000 characters", "env": "unknown name", "now()": "unknown name",
		"1..100000000": "invalid operation", strings.Repeat("(", 1900) + "1" + strings.Repeat(")", 1900): "",
	} {
		got := use(t, "calc", map[string]any{"expression": formula})
		if want != "" && (!strings.HasPrefix(got, "error: ") || !strings.Contains(strings.ToLower(got), want)) {
			t.Errorf("%.60s: %q, want %q", formula, got, want)
		}
	}
}

func FuzzCalc(f *testing.F) {
	f.Add("1 + 2 * sqrt(3)")
	f.Add("[1,2] == 3 ? sum(1..9) : pi % e")
	f.Fuzz(func(t *testing.T, formula string) {
		if got := use(t, "calc", map[string]any{"expression": formula}); strings.Contains(got, "internal error") || strings.Contains(got, "timed out") {
			t.Errorf("%q: %s", formula, got)
		}
	})
}

func TestRegex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   map[string]any
		want string
	}{
		"matches":     {map[string]any{"pattern": `(?P<key>\w+)=(\d+)`, "text": "a=1 b=22"}, `0-3: "a=1" key="a" 2="1"` + "\n" + `4-8: "b=22" key="b" 2="22"`},
		"none":        {map[string]any{"pattern": "x", "text": "abc"}, "nothing matches"},
		"replaced":    {map[string]any{"pattern": `(\w+)@(\w+)`, "text": "ann@web", "replace": "$2 of $1"}, "web of ann"},
		"taken out":   {map[string]any{"pattern": "b+", "text": "abbc", "replace": ""}, "ac"},
		"no pattern":  {map[string]any{"pattern": "(", "text": "x"}, "error: the pattern can't be read: missing closing )"},
		"look behind": {map[string]any{"pattern": "(?<=a)b", "text": "x"}, "error: the pattern can't be read: invalid named capture"},
		"many":        {map[string]any{"pattern": "a", "text": strings.Repeat("a", 300)}, "[more]"},
		"growing":     {map[string]any{"pattern": "a", "text": strings.Repeat("a", 1000), "replace": strings.Repeat("b", 2000)}, "error: the result would have more"},
	} {
		if got := use(t, "regex", c.in); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTextUtils(t *testing.T) {
	t.Parallel()
	for do, c := range map[string][2]string{
		"count": {"жук two\nthree\n", "14 characters, 3 words, 2 lines, 17 bytes"}, "upper": {"été", "ÉTÉ"}, "lower": {"ÄB", "äb"}, "trim": {"  x ", "x"},
		"sort_lines": {"b\na\n", "a\nb"}, "unique_lines": {"a\nb\na", "a\nb"}, "reverse_lines": {"a\nb", "b\na"}, "number_lines": {"a\nb", "1: a\n2: b"}, "reverse": {"abж", "жba"},
		"base64_encode": {"hi?", "aGk/"}, "base64_decode": {"aGk_\n", "hi?"}, "hex_encode": {"hi", "6869"}, "hex_decode": {" 6869 ", "hi"},
		"url_encode": {"a b&c", "a+b%26c"}, "url_decode": {"a+b%26c", "a b&c"}, "json_quote": {"a\"b\n", `"a\"b\n"`},
		"sha256": {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	} {
		if got := use(t, "text_utils", map[string]any{"do": do, "text": c[0]}); got != c[1] {
			t.Errorf("%s: %q, want %q", do, got, c[1])
		}
	}
	for do, c := range map[string][2]string{
		"uper": {"x", "it can upper"}, "base64_decode": {"!!", "illegal base64"}, "hex_decode": {"ff00", "is no text"}, "url_decode": {"%zz", "invalid URL escape"},
		"count": {strings.Repeat("x", 1<<20+1), "larger than 1048576 bytes"},
	} {
		if got := use(t, "text_utils", map[string]any{"do": do, "text": c[0]}); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c[1]) {
			t.Errorf("%s: %q, want %q", do, got, c[1])
		}
	}
}
