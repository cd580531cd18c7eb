package slack

import (
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/channels/render"
)

// mrkdwn writes Markdown in Slack's own markup, for the fields of cards.
func mrkdwn(markdown string) string { return mrkdwnBlocks(render.Parse(markdown)) }

// mrkdwnParts writes Markdown in Slack's own markup in messages of at most limit characters.
func mrkdwnParts(markdown string, limit int) []string {
	return render.Split(render.Parse(markdown), limit, func(blocks []render.Block) (string, int) {
		text := mrkdwnBlocks(blocks)
		return text, utf8.RuneCountInString(text)
	})
}

func mrkdwnBlocks(blocks []render.Block) string {
	var out strings.Builder
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Tight:
			out.WriteString("\n")
		default:
			out.WriteString("\n\n")
		}
		text := mrkdwnBlock(b)
		if b.Quote > 0 {
			text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
		}
		out.WriteString(text)
	}
	return out.String()
}

func mrkdwnBlock(b render.Block) string {
	switch b.Kind {
	case render.Code:
		return "```\n" + escape(strings.TrimSuffix(b.Text.String(), "\n")) + "\n```"
	case render.Table:
		return "```\n" + escape(render.Grid(b)) + "\n```"
	case render.Rule:
		return "———"
	}
	var out strings.Builder
	if b.Depth > 0 {
		out.WriteString(strings.Repeat("    ", b.Depth-1))
		if b.Marker != "" {
			out.WriteString(strings.Replace(b.Marker, "-", "•", 1) + " ")
		}
	}
	for _, span := range b.Text {
		if b.Kind == render.Heading {
			span.Style |= render.Bold
		}
		out.WriteString(mrkdwnSpan(span))
	}
	return out.String()
}

func mrkdwnSpan(span render.Span) string {
	text := escape(span.Text)
	body := strings.TrimSpace(text)
	if body == "" {
		return text
	}
	lead, tail, _ := strings.Cut(text, body)
	switch {
	case span.Link != "" && render.SchemeIn(span.Link, "http", "https", "mailto"):
		body = "<" + strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E", "&", "&amp;").Replace(span.Link) +
			"|" + body + ">"
	case span.Style&render.Mono != 0:
		body = "`" + body + "`"
	}
	for _, s := range []struct {
		style render.Style
		mark  string
	}{{render.Strike, "~"}, {render.Italic, "_"}, {render.Bold, "*"}} {
		if span.Style&s.style != 0 {
			body = s.mark + body + s.mark
		}
	}
	return lead + body + tail
}
