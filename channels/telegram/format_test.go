package telegram_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
	"github.com/leadhand/leadhand/channels/telegram"
)

func TestFormatWritesEachConstruct(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ markdown, html string }{
		"bold, italic, strike, code":      {"**a** _b_ ~~c~~ `d`", "<b>a</b> <i>b</i> <s>c</s> <code>d</code>"},
		"nested styles":                   {"***x*** **b *i* b** *i **b***", "<b><i>x</i></b> <b>b <i>i</i> b</b> <i>i </i><b><i>b</i></b>"},
		"code takes no other style":       {"**a `b`** [`c`](https://x.y)", `<b>a </b><code>b</code> <a href="https://x.y">c</a>`},
		"only three characters escaped":   {`a<b && c>d "q" 'r'`, `a&lt;b &amp;&amp; c&gt;d "q" 'r'`},
		"identifiers keep underscores":    {"snake_case_name --flag __init__x", "snake_case_name --flag __init__x"},
		"bold with underscores":           {"**bold_with_under**", "<b>bold_with_under</b>"},
		"unbalanced marks are text":       {"a `b **c ~~d *e", "a `b **c ~~d *e"},
		"backslash escapes":               {`\*a\* \&amp; \<`, "*a* &amp;amp; &lt;"},
		"references decoded once":         {"&amp;lt; &copy; &#38; &#0038; &#x26;", "&amp;lt; © &amp; &amp; &amp;"},
		"unknown references stay":         {"AT&T &bogus; &#; &#x; &#12345678; ?a=1&copy=2", "AT&amp;T &amp;bogus; &amp;#; &amp;#x; &amp;#12345678; ?a=1&amp;copy=2"},
		"heading":                         {"# H *x* `c`\ntext", "<b>H <i>x</i> </b><code>c</code>\n\ntext"},
		"underlined heading":              {"H **b**\n===", "<b>H b</b>"},
		"soft and hard breaks":            {"a\nb  \nc\\\nd", "a\nb\nc\nd"},
		"nested list":                     {"- a\n- b\n  - c\n    - d\n      more", "• a\n• b\n    • c\n        • d\n          more"},
		"numbered list":                   {"3. a\n4. b", "3. a\n4. b"},
		"loose list":                      {"1) a\n\n   b\n\n2) c", "1) a\n\n  b\n\n2) c"},
		"tasks":                           {"- [ ] t\n- [x] **u**", "☐ t\n☑ <b>u</b>"},
		"code in a list":                  {"1. a\n   ```sh\n   ls\n   ```\n2. b", "1. a\n<pre><code class=\"language-sh\">ls</code></pre>\n2. b"},
		"item that starts with code":      {"- ```\n  x\n  ```\n-\n- - y", "•\n<pre>x</pre>\n•\n•\n    • y"},
		"quote":                           {"> q **b**\n> r\n>\n> > n\n\nout", "<blockquote>q <b>b</b>\nr\n\nn</blockquote>\n\nout"},
		"quote with code":                 {"> ```\n> x\n> ```", "<blockquote><pre>x</pre></blockquote>"},
		"fence with language":             {"```go\nx < 1\n\n  y\n```", "<pre><code class=\"language-go\">x &lt; 1\n\n  y</code></pre>"},
		"fence without language":          {"```\n*x*\n```", "<pre>*x*</pre>"},
		"tilde fence":                     {"~~~py title=\"x\"\na\n~~~", "<pre><code class=\"language-py\">a</code></pre>"},
		"fence in a fence":                {"````md\n```go\n```\n````", "<pre><code class=\"language-md\">```go\n```</code></pre>"},
		"language is made safe":           {"```a\"><b\nx\n```", "<pre><code class=\"language-ab\">x</code></pre>"},
		"indented code":                   {"    a\n      b", "<pre>a\n  b</pre>"},
		"rule":                            {"a\n\n---\n\nb", "a\n\n———\n\nb"},
		"links":                           {`[t](https://e.x/?a=1&b="2") [u](tg://user?id=1)`, `<a href="https://e.x/?a=1&amp;b=&quot;2&quot;">t</a> <a href="tg://user?id=1">u</a>`},
		"link by reference":               {"[a *b*][1]\n\n[1]: https://x.y", `<a href="https://x.y">a <i>b</i></a>`},
		"other schemes are spelled out":   {"[x](javascript:1) [**r** s](docs/a.md) [m](mailto:a@b.c)", "x (javascript:1) <b>r</b> s (docs/a.md) m (mailto:a@b.c)"},
		"no destination, none repeated":   {"[e]() [a@b.c](mailto:a@b.c) [h](https://)", "e a@b.c h (https://)"},
		"images are links":                {"![alt](https://e.x/i.png) ![](https://e.x/j)", `<a href="https://e.x/i.png">alt</a> <a href="https://e.x/j">https://e.x/j</a>`},
		"image in a link":                 {"[![b](https://i.x)](https://o.x)", `<a href="https://o.x">b</a>`},
		"bare addresses are not touched":  {"https://e.x/a_b_c*d*e_f (www.x.y/_a_) me@x.yz http://localhost:80/a_b_", "https://e.x/a_b_c*d*e_f (www.x.y/_a_) me@x.yz http://localhost:80/a_b_"},
		"bare address in bold":            {"**https://x.y/a_b** **see https://x.y/c**, d", "<b>https://x.y/a_b</b> <b>see https://x.y/c</b>, d"},
		"autolink":                        {"<https://z.z/_a_?b&c> <me@x.yz>", "https://z.z/_a_?b&amp;c me@x.yz"},
		"html is text":                    {"<div>**x**</div> <br> <!-- c --> <b>n</b>", "&lt;div&gt;<b>x</b>&lt;/div&gt; &lt;br&gt; &lt;!-- c --&gt; &lt;b&gt;n&lt;/b&gt;"},
		"html block swallows nothing":     {"<script>\nalert(1)\n\n**b**", "&lt;script&gt;\nalert(1)\n\n<b>b</b>"},
		"table":                           {"| Name | Count |\n|:--|--:|\n| `a\\|b` | 3 |\n| 日本 **c** | 42 |", "<pre>Name   | Count\n-------+------\na|b    |     3\n日本 c |    42</pre>"},
		"table spells links out":          {"|a|\n|-|\n|[l](https://x.y)|", "<pre>a\n---------------\nl (https://x.y)</pre>"},
		"broken bytes and line ends":      {"a\x00b\xff\r\nc\rd", "a\uFFFDb\uFFFD\nc\nd"},
		"right to left and joined emoji":  {"**שלום** 👩‍👩‍👧 e\u0301", "<b>שלום</b> 👩‍👩‍👧 e\u0301"},
		"open fence":                      {"text\n```py\nx = 1", "text\n\n<pre><code class=\"language-py\">x = 1</code></pre>"},
		"fence just opened":               {"text\n```", "text"},
		"open bold":                       {"a **b", "a **b"},
		"half a link":                     {"see [half](http://x", "see [half](http://x"},
		"half a table's delimiter":        {"| a | b |\n|---", "| a | b |\n|---"},
		"half a table's row":              {"| a | b |\n|---|---|\n| 1", "<pre>a | b\n--+--\n1 |</pre>"},
		"blank":                           {" \n\t\n", ""},
		"nothing to see":                  {"#\n\n&nbsp;\n\n```\n\n```\n\n&#8203;", ""},
		"definitions only":                {"[a]: https://x.y", ""},
		"no markup in a table's wide row": {"|a|b|\n|-|-|\n|" + strings.Repeat("x", 50) + "|y|\n|c|d|", "<pre>a | b\n--+--\n" + strings.Repeat("x", 50) + " | y\nc | d</pre>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks := telegram.Format(tc.markdown, 4096)
			if tc.html == "" {
				if len(chunks) > 0 {
					t.Fatalf("got %q, want no chunk", chunks)
				}
				return
			}
			if len(chunks) != 1 {
				t.Fatalf("got %d chunks, want 1: %q", len(chunks), chunks)
			}
			if diff := cmp.Diff(tc.html, chunks[0].HTML); diff != "" {
				t.Errorf("html (-want +got):\n%s", diff)
			}
			check(t, chunks, 4096)
		})
	}
}

// check holds for every text and limit: what is sent is what the reader sees, and within the limit.
func check(t interface {
	Helper()
	Errorf(format string, args ...any)
}, chunks []telegram.Chunk, limit int) {
	t.Helper()
	for i, c := range chunks {
		text, _, err := telegramfake.ParseText("HTML", c.HTML)
		if err != nil {
			t.Errorf("chunk %d is refused: %v\n%s", i, err, c.HTML)
		} else if text != c.Plain {
			t.Errorf("chunk %d (-plain +parsed):\n%s", i, cmp.Diff(c.Plain, text))
		}
		if n := telegramfake.UTF16Len(text); n > limit {
			t.Errorf("chunk %d has %d units, limit %d", i, n, limit)
		}
		if strings.TrimSpace(c.Plain) == "" {
			t.Errorf("chunk %d is blank", i)
		}
	}
}
