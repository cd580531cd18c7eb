package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels/render"
)

func plain(s string) render.Spans { return render.Spans{{Text: s}} }

func TestParseFlattensBlocks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		markdown string
		want     []render.Block
	}{
		"styles nest": {"a **b *c* `d`**", []render.Block{{Text: render.Spans{
			{Text: "a "}, {Text: "b ", Style: render.Bold}, {Text: "c", Style: render.Bold | render.Italic},
			{Text: " ", Style: render.Bold}, {Text: "d", Style: render.Bold | render.Mono},
		}}}},
		"links and bare addresses": {"[a](b%20c 't') https://x.y/z_", []render.Block{{Text: render.Spans{
			{Text: "a", Link: "b%20c"}, {Text: " "}, {Text: "https://x.y/z", Style: render.Bare}, {Text: "_"},
		}}}},
		"lists": {"3. a\n   - [x] b\n\n4. c", []render.Block{
			{Text: plain("a"), Depth: 1, Marker: "3."},
			{Text: plain("b"), Depth: 2, Marker: "-", Task: render.DoneTask},
			{Text: plain("c"), Depth: 1, Marker: "4."},
		}},
		"a tight list": {"p\n- a\n  > b\n- c", []render.Block{
			{Text: plain("p")},
			{Text: plain("a"), Depth: 1, Marker: "-"},
			{Text: plain("b"), Depth: 1, Quote: 1, Tight: true},
			{Text: plain("c"), Depth: 1, Marker: "-", Tight: true},
		}},
		"markers stand on text": {"- ```\n  x\n  ```\n- - y", []render.Block{
			{Depth: 1, Marker: "-"},
			{Kind: render.Code, Text: plain("x"), Depth: 1, Tight: true},
			{Depth: 1, Marker: "-", Tight: true},
			{Text: plain("y"), Depth: 2, Marker: "-", Tight: true},
		}},
		"code keeps its bytes": {"```c++ x\n\ta  \n\n b\\*&amp;\n\n```", []render.Block{
			{Kind: render.Code, Language: "c++", Text: plain("\ta  \n\n b\\*&amp;\n")},
		}},
		"table": {"a|b|c\n-|:-:|-:\n*1*|2", []render.Block{{
			Kind:  render.Table,
			Align: []render.Align{render.AlignLeft, render.AlignCenter, render.AlignRight},
			Rows:  [][]render.Spans{{plain("a"), plain("b"), plain("c")}, {{{Text: "1", Style: render.Italic}}, plain("2"), nil}},
		}}},
		"heading and rule": {"## a ##\n***", []render.Block{{Kind: render.Heading, Level: 2, Text: plain("a")}, {Kind: render.Rule}}},
		"nothing blank":    {"#\n\n&nbsp;\n\n```\n\n```\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, render.Parse(tc.markdown)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseBoundsDepth(t *testing.T) {
	t.Parallel()
	for _, markdown := range []string{strings.Repeat("> ", 1000) + "a", strings.Repeat("1. ", 1000) + "a", strings.Repeat("- > ", 1000) + "a"} {
		blocks := render.Parse(markdown)
		last := blocks[len(blocks)-1]
		if last.Depth > render.MaxDepth || last.Quote > render.MaxDepth || last.Depth+last.Quote < render.MaxDepth {
			t.Errorf("%.8q: depth %d, quote %d", markdown, last.Depth, last.Quote)
		}
		if text := last.Text.String(); !strings.HasSuffix(text, markdown[:4]+"a") && !strings.HasSuffix(text, "1. a") && !strings.HasSuffix(text, "> a") {
			t.Errorf("%.8q: the markers that are too deep are not text", markdown)
		}
	}
}

func TestSpellOutShowsDestinations(t *testing.T) {
	t.Parallel()
	blocks := render.Parse("[a **b**](x:1) [c](y:2) [x:3](x:3) ![](x:4)\n\n|h|\n|-|\n|[d](y:5)|")
	before := render.Parse("[a **b**](x:1) [c](y:2) [x:3](x:3) ![](x:4)\n\n|h|\n|-|\n|[d](y:5)|")
	got := render.SpellOut(blocks, func(in render.Kind, destination string) bool {
		return in == render.Paragraph && render.SchemeIn(destination, "y")
	})
	if diff := cmp.Diff(before, blocks); diff != "" {
		t.Errorf("the given blocks changed:\n%s", diff)
	}
	if text := got[0].Text.String(); text != "a b (x:1) c x:3 x:4" {
		t.Errorf("got %q", text)
	}
	if text := got[1].Rows[1][0].String(); text != "d (y:5)" {
		t.Errorf("got %q in the table", text)
	}
	if i := slices.IndexFunc(got[0].Text, func(s render.Span) bool { return s.Link == "y:2" }); i < 0 || got[0].Text[i].Text != "c" {
		t.Errorf("the kept link is not in %+v", got[0].Text)
	}
}

func TestSchemeIn(t *testing.T) {
	t.Parallel()
	for destination, want := range map[string]bool{
		"https://x.y": true, "HTTP://x": true, "https://": false, "httpsx://y": false, "javascript:alert(1)": false,
		"//x.y": false, "x/y.md": false, "": false, "#a": false, " https://x": false,
	} {
		if got := render.SchemeIn(destination, "http", "https"); got != want {
			t.Errorf("%q: got %v", destination, got)
		}
	}
}

func TestGridAlignsByDisplayCells(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 41)
	for name, tc := range map[string]struct{ markdown, want string }{
		"alignment":            {"l|c|r\n-|:-:|-:\n1|2|3\n1111|22222|333", "l    |   c   |   r\n-----+-------+----\n1    |   2   |   3\n1111 | 22222 | 333"},
		"wide runes":           {"a|b\n-|-\n日本|c\nx|d\n👍🏽|e", "a    | b\n-----+--\n日本 | c\nx    | d\n👍🏽   | e"},
		"a long cell is whole": {"a|b\n-|-\n" + long + "|c\nx|d", "a | b\n--+--\n" + long + " | c\nx | d"},
		"empty cells":          {"a|b\n-|-\n|\n|d", "a | b\n--+--\n  |\nd |"},
	} {
		got := render.Grid(render.Parse(tc.markdown)[0])
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
