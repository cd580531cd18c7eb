package slack_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/slack"
)

func TestTextIsReadOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, want  string
		mentioned bool
	}{
		"entities once": {
			in:   "if a &lt; b &amp;&amp; run &amp;lt;tag&amp;gt; ping <http://host.example|host.example> <mailto:a@b.example|a@b.example>",
			want: "if a < b && run &lt;tag&gt; ping host.example a@b.example",
		},
		"other entities stay":      {in: "&nbsp; &quot; &#65; &", want: "&nbsp; &quot; &#65; &"},
		"a mention in front":       {in: "<@UBOT>, do it", want: "do it", mentioned: true},
		"a mention with a name":    {in: "<@UBOT|lead>: do it", want: "do it", mentioned: true},
		"a mention in the middle":  {in: "ask <@UBOT> about it", want: "ask about it", mentioned: true},
		"only a mention":           {in: "<@UBOT>", want: "", mentioned: true},
		"typed like a mention":     {in: "&lt;@UBOT&gt; hi", want: "<@UBOT> hi"},
		"a mention in code":        {in: "`<@UBOT>` hi", want: "`@name of UBOT` hi"},
		"a mention in a block":     {in: "```\n<@UBOT>\n``` hi", want: "```\n@name of UBOT\n``` hi"},
		"a backtick alone":         {in: "it`s <@UBOT>\n`", want: "it`s\n`", mentioned: true},
		"an open block":            {in: "```\n<@UBOT> x", want: "```\n x", mentioned: true},
		"people":                   {in: "<@U1> and <@U2|bo &amp; co>", want: "@name of U1 and @bo & co"},
		"channels":                 {in: "<#C1|general> <#C2> <#C3|>", want: "#general #name of C2 #name of C3"},
		"everybody":                {in: "<!here> <!channel> <!everyone|everyone> <!subteam^S1|@devs> <!subteam^S2>", want: "@here @channel @everyone @devs @subteam"},
		"a date":                   {in: "<!date^1392734382^{date}|Feb 18>", want: "Feb 18"},
		"a link":                   {in: "<https://a.example/?x=1&amp;y=2>", want: "https://a.example/?x=1&y=2"},
		"a link with a label":      {in: "<https://a.example/|the &lt;page&gt;>", want: "the <page> (https://a.example/)"},
		"a link named by itself":   {in: "<https://a.example/|a.example>", want: "a.example"},
		"not closed":               {in: "a < b <@U1", want: "a < b <@U1"},
		"empty signs":              {in: "<> <@> <!> <|x>", want: "<> @ @ <|x>"},
		"code stays as it is":      {in: "`a &amp;&amp; b`", want: "`a && b`"},
		"no letters but backticks": {in: "````", want: "````"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, mentioned := slack.Read(c.in, "UBOT", func(user string) string {
				if user == "" {
					return ""
				}
				return "name of " + user
			})
			if got != c.want || mentioned != c.mentioned {
				t.Errorf("got %q (%v), want %q (%v)", got, mentioned, c.want, c.mentioned)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("<@UBOT> `x <!here>` &amp;lt; <http://a|b>")
	f.Add("```<@UBOT```>`")
	f.Fuzz(func(t *testing.T, text string) {
		got, mentioned := slack.Read(text, "UBOT", nil)
		if mentioned && !strings.Contains(text, "<@UBOT") {
			t.Errorf("%q mentions nobody: %q", text, got)
		}
	})
}

func TestNobodyIsCalledByAnAnswer(t *testing.T) {
	t.Parallel()
	got := strings.Join(slack.Format("<!channel> done, <!HERE> <!everyone|x> <!subteam^S1> <@U123> see a<b & c and `<@W1>`", 1000), "")
	for _, sign := range []string{"<!", "<@"} {
		if strings.Contains(got, sign) {
			t.Errorf("%q calls somebody", got)
		}
	}
	if want := "see a<b & c and"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}

func TestMarkdownGoesOutAsItIs(t *testing.T) {
	t.Parallel()
	const markdown = "**a** _b_ ~~c~~\n\n# H\n\n[t](https://u.example) **[t](https://u.example)**\n\n| a | b |\n|---|---|\n| **1** | 2 |\n\n```\n| not | a table |\n```\n\nQuestion 1 and 2, `*`"
	if got := slack.Format(markdown, 11500); len(got) != 1 || got[0] != markdown {
		t.Errorf("got %q", got)
	}
	for _, blank := range []string{"", " \n", "\u200b"} {
		if got := slack.Format(blank, 100); len(got) != 0 {
			t.Errorf("%q is %q", blank, got)
		}
	}
}

func TestLongCodeIsDividedBetweenLines(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for i := range 300 {
		code.WriteString(strings.Repeat("x", i%70) + " = `a` <b> & *c* _d_\n")
	}
	parts := slack.Format("Here:\n\n~~~py\n"+code.String()+"~~~\n\n- an *item* with `co|de`\n- [ ] a task\n\n> a quote", 2000)
	var joined strings.Builder
	for _, p := range parts {
		if n := len([]rune(p)); n > 2000 || n == 0 {
			t.Errorf("a part of %d characters", n)
		}
		inside := false
		for line := range strings.Lines(p) {
			if strings.HasPrefix(line, "```") {
				if !inside && strings.TrimSpace(line) != "```py" {
					t.Errorf("a fence without its language: %q", line)
				}
				inside = !inside
			} else if inside {
				joined.WriteString(line)
			}
		}
		if inside {
			t.Errorf("a part ends inside of code:\n%s", p)
		}
	}
	if joined.String() != code.String() {
		t.Error("the code is another one")
	}
	last := parts[len(parts)-1]
	for _, want := range []string{"- an *item* with `co|de`", "- [ ] a task", "> a quote"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last part lacks %q:\n%s", want, last)
		}
	}
}

func TestDividedProseReadsTheSame(t *testing.T) {
	t.Parallel()
	const markdown = "1) one\n\n# 2 * 3\n\n**bold *both*** and ~~gone~~ and [a](https://x.example/(y)) a_b_c \\*no\\* 1\\. &amp;lt; <b>\n\n> quote\n> more\n\n| a\\|b | c |\n|:--|--:|\n| 1 | `x` |\n\n---\n\n- [x] done\n  - deep"
	want := "1) one\n\n# 2 \\* 3\n\n**bold** ***both*** and ~~gone~~ and [a](https://x.example/%28y%29) a_b_c \\*no\\* 1. \\&lt; \\<b>\n\n> quote\n> more\n\n| a\\|b | c |\n| --- | ---: |\n| 1 | `x` |\n\n---\n\n- [x] done\n    - deep"
	got := slack.Format(markdown+"\n\n"+strings.Repeat("z", 400), 450)
	if got[0] != want {
		t.Errorf("got\n%s\nwant\n%s", got[0], want)
	}
}

func TestFieldsOfCards(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"**a** _b_ ~~c~~ `d`":           "*a* _b_ ~c~ `d`",
		"[x](https://e.example/?a=1&b)": "<https://e.example/?a=1&amp;b|x>",
		"<!channel> & <@U1>":            "&lt;!channel&gt; &amp; &lt;@U1&gt;",
		"[x](javascript:1)":             "x",
		"- a\n- b":                      "• a\n• b",
	} {
		if got := slack.Mrkdwn(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
