package telegram_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/leadhand/leadhand/channels/telegram"
)

var preformatted = regexp.MustCompile(`(?s)<pre><code class="language-(\w+)">(.*?)</code></pre>`)

// codeIn joins the code of all chunks; every part must repeat the language.
func codeIn(chunks []telegram.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		for _, m := range preformatted.FindAllStringSubmatch(c.HTML, -1) {
			b.WriteString(html.UnescapeString(m[2]))
		}
	}
	return b.String()
}

func TestFormatCutsCodeAtLineEnds(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "    if a < %d && b > 0: print('%s')\n", i, strings.Repeat("é", i%40))
	}
	code := strings.TrimSuffix(lines.String(), "\n")
	for name, markdown := range map[string]string{
		"after text":    "intro\n\n```py\n" + code + "\n```\n\nend",
		"on line one":   "```py\n" + code + "\n```",
		"tildes":        "# Title\n~~~py\n" + code + "\n~~~",
		"four ticks":    "````py\n" + code + "\n````",
		"still open":    "```py\n" + code,
		"in a list":     "- ```py\n  " + strings.ReplaceAll(code, "\n", "\n  ") + "\n  ```",
		"in a quote":    "> ```py\n> " + strings.ReplaceAll(code, "\n", "\n> ") + "\n> ```",
		"after a title": "text\n\n## Code\n\n```py\n" + code + "\n```",
	} {
		for _, limit := range []int{200, 1024, 2000, 4096} {
			chunks := telegram.Format(markdown, limit)
			check(t, chunks, limit)
			if codeIn(chunks) != code {
				t.Errorf("%s, limit %d: the parts are not the original", name, limit)
			}
			var parts []string
			for _, c := range chunks {
				for _, m := range preformatted.FindAllStringSubmatch(c.HTML, -1) {
					parts = append(parts, m[2])
				}
			}
			for i, part := range parts[:len(parts)-1] {
				if !strings.HasSuffix(part, "\n") {
					t.Errorf("%s, limit %d: part %d ends inside a line: %q", name, limit, i, part)
				}
			}
		}
	}
}

func TestFormatCutsOverlongLineBetweenRunes(t *testing.T) {
	t.Parallel()
	code := "short\n" + strings.Repeat("😀é", 5000) + "\nlast"
	for _, limit := range []int{64, 2000, 4096} {
		chunks := telegram.Format("```txt\n"+code+"\n```", limit)
		check(t, chunks, limit)
		if codeIn(chunks) != code {
			t.Errorf("limit %d: the parts are not the original", limit)
		}
	}
}

func TestFormatSplitsAtTheBestPlace(t *testing.T) {
	t.Parallel()
	word := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct {
		markdown string
		want     []string
	}{
		"between paragraphs":                 {word(50) + "\n\n" + word(40), []string{word(50), word(40)}},
		"paragraph end before line end":      {word(40) + "\n\n" + "aa\n" + word(30), []string{word(40), "aa\n" + word(30)}},
		"line before sentence":               {word(40) + "\na. b " + word(40), []string{word(40), "a. b " + word(40)}},
		"sentence before word":               {word(40) + " a. b " + word(40), []string{word(40) + " a.", "b " + word(40)}},
		"word":                               {word(40) + " " + word(40), []string{word(40), word(40)}},
		"between runes only inside one word": {word(70), []string{word(64), word(6)}},
		"not inside a link":                  {word(30) + " [a b c d e f g h i j k l m n o p q r s](https://x.y) z", []string{word(30), "a b c d e f g h i j k l m n o p q r s z"}},
		"heading goes with its text":         {word(40) + "\n\n# Head\n\n" + word(30), []string{word(40), "Head\n\n" + word(30)}},
		"heading before a long text":         {"# Head\n\n" + word(30) + " " + word(30), []string{"Head\n\n" + word(30), word(30)}},
		"before a list rather than in it":    {word(40) + "\n- aaaaaaa\n- bbbbbbb\n- ccccccc", []string{word(40), "• aaaaaaa\n• bbbbbbb\n• ccccccc"}},
		"cut item goes on without marker":    {"- " + word(40) + " " + word(30), []string{"• " + word(40), "  " + word(30)}},
		"combining mark stays":               {word(63) + "e\u0301", []string{word(63), "e\u0301"}},
		"full width sentence":                {strings.Repeat("文", 40) + "。" + strings.Repeat("字", 40), []string{strings.Repeat("文", 40) + "。", strings.Repeat("字", 40)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chunks := telegram.Format(tc.markdown, 64)
			check(t, chunks, 64)
			var got []string
			for _, c := range chunks {
				got = append(got, c.Plain)
			}
			if strings.Join(got, "¶") != strings.Join(tc.want, "¶") {
				t.Errorf("got %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestFormatRepeatsTableHeader(t *testing.T) {
	t.Parallel()
	markdown := "| Name | Count |\n|---|---|\n"
	for i := range 40 {
		markdown += fmt.Sprintf("| row%d | %d |\n", i, i)
	}
	chunks := telegram.Format(markdown, 200)
	check(t, chunks, 200)
	if len(chunks) < 3 {
		t.Fatalf("got %d chunks", len(chunks))
	}
	all := ""
	for i, c := range chunks {
		if !strings.HasPrefix(c.Plain, "Name") || strings.Count(c.Plain, "Name") != 1 {
			t.Errorf("chunk %d lacks the header: %q", i, c.Plain)
		}
		all += c.Plain + "\n"
	}
	for i := range 40 {
		if strings.Count(all, fmt.Sprintf("row%d ", i)) != 1 {
			t.Errorf("row %d is not shown once", i)
		}
	}
	wide := telegram.Format("| a |\n|---|\n| "+strings.Repeat("x", 500)+" |", 200)
	check(t, wide, 200)
	if n := strings.Count(fmt.Sprint(wide), "x"); n != 2*500 {
		t.Errorf("an overlong row has %d characters, want 2 times 500", n)
	}
}

// fragments are what random answers are made of; tables have header cells and short rows that tests can tell apart.
var fragments = []string{
	"Plain words, here. And more!", "**bold** and *italic* and ~~strike~~ and `code <x>`", "***both* half** __x__",
	"snake_case_name --flag a<b && c>d", "[link label](https://example.org/a_b?c=1&d=2)", "[bad](javascript:alert(1))",
	"https://example.org/a_b_c", "unbalanced ` and ** and [ and ](", "&amp; &lt; &#x1F600; &bogus;", "<div>raw</div> <!-- c",
	"👩‍👩‍👧‍👦🇩🇪👍🏽😀", "שלום עולם, זה טקסט", "中文句子。第二句！没有空格的很长的句子在这里继续", "e\u0301o\u0308u\u0323n\u0303", "averyveryverylongwordwithoutanyspace" + strings.Repeat("z", 60),
	"\\*escaped\\* \\`tick\\`", "![alt](https://example.org/i.png)", "line one\nline two  \nline three",
	"# Heading", "### Long heading with **bold** that goes on and on and on and on and on", "---", "> quoted *text*\n> more", "> > deep\n> - item",
	"- one\n- two\n  - three\n    - four", "1. first\n2. second\n\n   loose", "- [ ] open\n- [x] done",
	"| HEADa | HEADb |\n|:-:|--:|\n| c1 | **d** |\n| e | `f` |\n| 中 | g |",
	"```go\nif a < b && c > d {\n\tx := \"é😀\"\n\n}\n```", "~~~py\n" + strings.Repeat("long line ", 12) + "\nprint('x')\n~~~",
}

var codeBlock = regexp.MustCompile("(?s)(?:```go|~~~py)\n(.*?)\n(?:```|~~~)")

func TestFormatKeepsEverythingAtAnyLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 40).Draw(t, "parts")
		markdown := strings.Join(parts, "\n\n")
		limit := rapid.SampledFrom([]int{64, 200, 1024, 2000, 4096}).Draw(t, "limit")
		chunks := telegram.Format(markdown, limit)
		check(t, chunks, limit)

		code := ""
		for _, m := range codeBlock.FindAllStringSubmatch(markdown, -1) {
			code += m[1]
		}
		if got := codeIn(chunks); got != code {
			t.Errorf("code\n%q\nwant\n%q", got, code)
		}
		if got, want := seen(chunks), seen(telegram.Format(markdown, 1<<30)); got != want {
			t.Errorf("visible\n%q\nwant\n%q", got, want)
		}
	})
}

// seen is the visible text without space and without the headers and rules of tables.
func seen(chunks []telegram.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		for line := range strings.Lines(c.Plain) {
			if !strings.HasPrefix(line, "HEADa") && strings.Trim(line, "-+\n") != "" {
				b.WriteString(line)
			}
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, b.String())
}

func TestFormatTakesUnfinishedAnswers(t *testing.T) {
	t.Parallel()
	markdown := strings.Join(fragments, "\n\n")
	for i := range markdown {
		check(t, telegram.Format(markdown[:i], 200), 200)
		if t.Failed() {
			t.Fatalf("after %q", markdown[max(0, i-60):i])
		}
	}
}

func TestFormatTakesHugeAnswers(t *testing.T) {
	t.Parallel()
	markdown := strings.Repeat(strings.Join(fragments, "\n\n")+"\n\n", 500)
	chunks := telegram.Format(markdown, 4096)
	check(t, chunks, 4096)
	if size := len(markdown) / len(chunks); size < 3000 {
		t.Errorf("%d bytes make %d chunks of %d bytes", len(markdown), len(chunks), size)
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range fragments {
		f.Add(s, 64)
	}
	f.Add(strings.Join(fragments, "\n\n"), 200)
	f.Add("- - > 1. # x\n\t```\n\ty", 64)
	f.Add("|a|\n|-|\n|\\||`\\|`", 100)
	f.Fuzz(func(t *testing.T, markdown string, limit int) {
		limit = 64 + int(uint(limit)%4096)
		start := time.Now()
		check(t, telegram.Format(markdown, limit), limit)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%d bytes took %v", len(markdown), took)
		}
	})
}
