package discord_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/discord"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"styles":              {"**a** _b_ *c* ~~d~~ `e`", "**a** _b c_ ~~d~~ `e`"},
		"italics in a word":   {"un*believ*able **a***b*", "un*believ*able **a**_b_"},
		"nested":              {"**bold *both* bold**", "**bold _both_ bold**"},
		"names":               {"snake_case_name and __init__ 2*3*4", `snake\_case\_name and **init** 2*3*4`},
		"literal":             {`\*x\* a|b ||c|| \~\~d\~\~`, `\*x\* a|b \|\|c\|\| \~\~d\~\~`},
		"bare links":          {"https://a.b/c_d_e?x=*y and http://localhost:80/_x", `https://a.b/c_d_e?x=*y and http://localhost:80/_x`},
		"links":               {"[t](https://a.b/(c)) [x](javascript:1)", "[t](https://a.b/%28c%29) x (javascript:1)"},
		"a look-alike link":   {`\[t](https://a.b)`, `[t]\(https://a.b)`},
		"pictures":            {"![a cat](https://a.b/c.png)", "[a cat](https://a.b/c.png)"},
		"headings":            {"# One\n\n## *Two*\n\ntext\n\n#### Four", "# One\n## _Two_\ntext\n\n**Four**"},
		"lines that are text": {"\\# x\n\\- y\n1\\. z\n\\> q\n-\\# s", "\\# x\n\\- y\n1\\. z\n\\> q\n\\-# s"},
		"lists":               {"- a\n- b\n  1. c\n  2. d\n\n     more\n- [x] e", "- a\n- b\n  1. c\n\n  2. d\n\n    more\n- ☑ e"},
		"a parenthesis list":  {"1) a\n2) b", "1. a\n2. b"},
		"quotes":              {"> a\n> b\n>\n> > c\n\nd", "> a\n> b\n> \n> c\n\nd"},
		"code":                {"~~~go\nif a < b && *c {}\n~~~", "```go\nif a < b && *c {}\n```"},
		"a fence in code":     {"````\n```\nx\n```\n````", "```\n``\u200b`\nx\n``\u200b`\n```"},
		"ticks in code":       {"`` a`b `` and ``` ``x ```", "`` a`b `` and `` `\u200b`x ``"},
		"a table":             {"| a | b |\n|---|--:|\n| **x** | 1 |", "```\na | b\n--+--\nx | 1\n```"},
		"a rule":              {"a\n\n---\n\nb", "a\n\n———\n\nb"},
		"everyone":            {"@everyone <@5>", "@everyone <@5>"},
	} {
		got := strings.Join(discord.Format(tc.in, 2000), "=====")
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("# a\n\n- **b** `c`\n\n```go\nx\n```\n> d\n\n| a | b |\n|---|---|\n| 1 | 2 |")
	f.Add(strings.Repeat("👋🏽 *a* ", 300))
	f.Add("`c` ```` x```y ````\n\n````\n`````\n````")
	f.Add("```\n" + strings.Repeat("x", 5000) + "\n```")
	f.Fuzz(func(t *testing.T, markdown string) {
		for _, text := range discord.Format(markdown, 2000) {
			if n := utf8.RuneCountInString(text); n > 2000 || strings.TrimSpace(text) == "" || !utf8.ValidString(text) {
				t.Errorf("a part has %d characters", n)
			}
			if strings.Count(text, "```")%2 != 0 {
				t.Errorf("a block of code is open in %q", text)
			}
		}
	})
}
