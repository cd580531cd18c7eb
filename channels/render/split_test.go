package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/render"
)

// markup is a Writer for a platform that counts its markup: links and code cost more than their text.
func markup(blocks []render.Block) (string, int) {
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteString("\n\n")
		}
		switch block.Kind {
		case render.Code:
			fmt.Fprintf(&b, "{%s\n%s}", block.Language, block.Text)
		case render.Table:
			for _, row := range block.Rows {
				fmt.Fprintf(&b, "|%s|\n", row)
			}
		case render.Rule:
			b.WriteString("---")
		default:
			for _, span := range block.Text {
				if span.Link != "" {
					fmt.Fprintf(&b, "[%s](%s)", span.Text, span.Link)
				} else {
					b.WriteString(span.Text)
				}
			}
		}
	}
	return b.String(), len(b.String())
}

func TestSplitMeasuresWhatIsWritten(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct {
		markdown string
		want     []string
	}{
		"markup counts":                      {x(40) + " [l](" + x(30) + ") b", []string{x(40), "[l](" + x(30) + ") b"}},
		"a link that is too long is text":    {"a [l](" + x(100) + ") b", []string{"a", "l", "(" + x(63), x(37) + ") b"}},
		"code has its fence in each part":    {"```go\n" + x(40) + "\n" + x(40) + "\n```", []string{"{go\n" + x(40) + "\n}", "{go\n" + x(40) + "}"}},
		"a rule is never cut":                {x(60) + "\n\n---\n\n" + x(60), []string{x(60), "---", x(60)}},
		"a heading is left alone if it must": {"# " + x(50) + "\n\n```\n" + x(31) + "\n" + x(31) + "\n```", []string{x(50), "{\n" + x(31) + "\n}", "{\n" + x(31) + "}"}},
	} {
		got := render.Split(render.Parse(tc.markdown), 64, markup)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSplitRepeatsTableHeader(t *testing.T) {
	t.Parallel()
	blocks := render.Parse("|HEAD|\n|-|\n" + strings.Repeat("|row|\n", 50))
	pages := render.Split(blocks, 200, visible)
	rows := 0
	for i, page := range pages {
		if !strings.HasPrefix(page, "HEAD\n----\n") || len(page) > 200 {
			t.Errorf("page %d: %q", i, page)
		}
		rows += strings.Count(page, "row")
	}
	if rows != 50 {
		t.Errorf("%d rows, want 50", rows)
	}
}

func TestSplitBelowItsLeastLimitGoesOn(t *testing.T) {
	t.Parallel()
	markdown := "# ab\n\n[cd](https://x.y)\n\n- e\u0301f\n\n---\n\n```go\ngh\n```\n\n|i|\n|-|\n|j|"
	all := strings.Join(render.Split(render.Parse(markdown), 1, markup), "")
	for _, text := range []string{"a", "b", "c", "d", "https", "e\u0301", "f", "---", "g", "h", "i", "j"} {
		if !strings.Contains(strings.NewReplacer("{go\n", "", "}", "", "{\n", "").Replace(all), text) {
			t.Errorf("%q is lost in %q", text, all)
		}
	}
}

func TestSplitLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	markdown := strings.Repeat("Words **and** [more](https://x.y) words. ", 20) + "\n\n|a|\n|-|\n" + strings.Repeat("|b|\n", 50) +
		"\n```\n" + strings.Repeat("code\n", 50) + "```"
	blocks := render.Parse(markdown)
	render.Split(blocks, 64, markup)
	if diff := cmp.Diff(render.Parse(markdown), blocks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSplitOfNothingIsNothing(t *testing.T) {
	t.Parallel()
	for _, blocks := range [][]render.Block{nil, {}, {{Text: plain(" \n\u200b")}}} {
		if pages := render.Split(blocks, 64, visible); len(pages) > 0 {
			t.Errorf("got %q", pages)
		}
	}
}
