package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/leadhand/leadhand/channels"
)

const (
	// maxWidth keeps lines readable on a wide screen.
	maxWidth = 110
	// minWidth is what Markdown is laid out for on a screen too narrow for it; its lines are then cut.
	minWidth = 20
)

// painter turns text into screen lines. Without color its output is plain characters.
type painter struct{ color bool }

// markdown lays text out for a screen of the given width, in lines that each end with default attributes.
func (p painter) markdown(text string, width int) []string {
	text = neutralize(sanitize(text))
	out, err := p.render(text, min(max(width-1, minWidth), maxWidth))
	if err != nil {
		out = indent(text)
	}
	return fit(strings.ReplaceAll(keepColors(out), string(guard), ""), width)
}

// render calls the Markdown library. It has been seen to panic on odd tables; such a text is shown as it is rather
// than ending the conversation.
func (p painter) render(text string, width int) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("render markdown: %v", r)
		}
	}()
	style := plainStyle()
	if p.color {
		style = colorStyle()
	}
	md, err := glamour.NewTermRenderer(
		glamour.WithStyles(style),
		glamour.WithWordWrap(width),
		glamour.WithPreservedNewLines(),           // people and bots end lines where they mean to
		glamour.WithChromaFormatter("terminal16"), // follows the person's own palette, light or dark
	)
	if err != nil {
		return "", fmt.Errorf("make renderer: %w", err)
	}
	return md.Render(text)
}

// reference is a numeric character reference of Markdown.
var reference = regexp.MustCompile(`&#([xX][0-9a-fA-F]{1,6}|[0-9]{1,7});`)

// neutralize keeps Markdown from making control characters out of references such as "&#27;", which would undo
// sanitize. Inside code, where they mean nothing, they must look as before, so they are marked and not removed.
func neutralize(text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		digits, base := ref[2:len(ref)-1], 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		if r, err := strconv.ParseInt(digits, base, 32); err == nil && sanitize(string(rune(r))) != "" && r != '\r' {
			return ref
		}
		return "&" + string(guard) + ref[1:]
	})
}

// padding is the blank end of a line, with the attributes set in it.
var padding = regexp.MustCompile(`(?:\x1b\[[0-9;:]*m|[ \t])+$`)

// fit cuts text into lines that leave the last column free: a terminal treats a full line specially.
func fit(text string, width int) []string {
	text = strings.ReplaceAll(text, "\t", "    ")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = padding.ReplaceAllStringFunc(line, func(end string) string {
			return strings.Map(dropBlank, end)
		})
		for part := range strings.SplitSeq(ansi.Hardwrap(line, max(width-1, 1), true), "\n") {
			if strings.ContainsRune(part, esc) {
				part += "\x1b[0m"
			}
			lines = append(lines, part)
		}
	}
	return trimBlank(lines)
}

func dropBlank(r rune) rune {
	if r == ' ' || r == '\t' {
		return -1
	}
	return r
}

// trimBlank drops empty lines at both ends.
func trimBlank(lines []string) []string {
	blank := func(s string) bool { return strings.TrimSpace(ansi.Strip(s)) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// message lays out a whole message, attachments included.
func (p painter) message(m *channels.Outbound, width int) []string {
	lines := p.markdown(m.Text, width)
	if len(lines) > 0 && len(m.Attachments) > 0 {
		lines = append(lines, "")
	}
	for _, a := range m.Attachments {
		lines = append(lines, fit(indent(describe(a)), width)...)
	}
	return lines
}

// said lays out what the person sent, as it stood in the editor.
func (p painter) said(text string, width int) []string {
	lines := fit(indent(sanitize(text)), width)
	if len(lines) > 0 {
		lines[0] = p.accent(marker) + strings.TrimPrefix(lines[0], "  ")
	}
	return lines
}

// describe names a file that goes with a message. A terminal can't show it, so it says where to find it.
func describe(a channels.Attachment) string {
	return fmt.Sprintf("File: %s (%s), kept in your workspace", sanitizeLine(a.Name), byteSize(len(a.Data)))
}

func byteSize(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
}

func (p painter) faint(s string) string  { return p.attribute("2", s) }
func (p painter) accent(s string) string { return p.attribute("1;36", s) }

func (p painter) attribute(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
