package render_test

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/render"
)

// visible is the smallest useful Writer: what a reader sees, counted in runes.
func visible(blocks []render.Block) (string, int) {
	var b strings.Builder
	for i, block := range blocks {
		switch {
		case i == 0:
		case block.Tight:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		switch block.Kind {
		case render.Table:
			b.WriteString(render.Grid(block))
		case render.Rule:
			b.WriteString("---")
		default:
			b.WriteString(strings.TrimLeft(block.Marker+" ", " ") + block.Text.String())
		}
	}
	return b.String(), utf8.RuneCountInString(b.String())
}

func ExampleSplit() {
	blocks := render.Parse("# Deploy\n\nAll **three** services are up. The `web` service took longest.\n\n- api\n- web\n- worker\n")
	for i, message := range render.Split(blocks, 64, visible) {
		fmt.Printf("message %d\n%s\n", i+1, message)
	}
	// Output:
	// message 1
	// Deploy
	//
	// All three services are up. The web service took longest.
	// message 2
	// - api
	// - web
	// - worker
}

// A Writer of near-native Markdown, as for a platform that limits the Markdown itself.
func ExampleWriter() {
	write := func(blocks []render.Block) (string, int) {
		var b strings.Builder
		for _, block := range blocks {
			if block.Kind == render.Code {
				code := strings.TrimSuffix(block.Text.String(), "\n")
				fmt.Fprintf(&b, "```%s\n%s\n```\n", block.Language, code)
				continue
			}
			for _, span := range block.Text {
				mark := ""
				if span.Style&render.Bold != 0 {
					mark = "**"
				}
				b.WriteString(mark + span.Text + mark)
			}
			b.WriteString("\n")
		}
		return b.String(), b.Len()
	}
	markdown := "Run **this**:\n~~~go\nfor range 3 {\n\tfmt.Println(\"a line\")\n\tfmt.Println(\"another line\")\n}\n~~~"
	for _, message := range render.Split(render.Parse(markdown), 70, write) {
		fmt.Print(message, "=====\n")
	}
	// Output:
	// Run **this**:
	// ```go
	// for range 3 {
	// 	fmt.Println("a line")
	// ```
	// =====
	// ```go
	// 	fmt.Println("another line")
	// }
	// ```
	// =====
}
