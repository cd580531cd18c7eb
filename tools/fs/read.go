package fs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

const (
	// window is how many characters read_file shows at once: with its header it stays below what results are cut to,
	// so that the header is true.
	window = tools.DefaultLimit - 500
	// maxImage is the largest picture in bytes that models take.
	maxImage = 5 << 20
)

type readParams struct {
	Path   string `json:"path" jsonschema:"path of the file in the workspace"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to show, counted from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to show"`
}

func (f files) readFile() tools.Tool {
	return tools.New(tools.Descriptor{
		Name:        "read_file",
		Label:       "reading a file",
		Description: "Read a file of the workspace. Long files come in parts: go on with offset. Pictures are shown.",
		Group:       group,
		Effect:      tools.ReadOnly,
	}, f.read)
}

func (f files) read(ctx context.Context, call *tools.Call, in readParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	file, content, err := f.store.Read(ctx, owner(call), path)
	if err != nil {
		return nil, f.explain(ctx, owner(call), path, err)
	}
	switch {
	case workspace.IsText(content):
		return page(path, string(content), in)
	case picture(file.MediaType) && len(content) <= maxImage:
		r := tools.Text(fmt.Sprintf("%s: %s, %s", path, file.MediaType, size(file.Size)))
		r.Images = []llm.Image{{Name: path, MediaType: file.MediaType, Data: content}}
		return r, nil
	case picture(file.MediaType):
		return tools.Text(fmt.Sprintf("%s: %s, %s; pictures are shown up to %s", path, file.MediaType,
			size(file.Size), size(maxImage))), nil
	default:
		return tools.Text(fmt.Sprintf("%s: %s, %s; it is not UTF-8 text", path, file.MediaType, size(file.Size))), nil
	}
}

func picture(mediaType string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mediaType)
}

// page shows the lines that were asked for, as far as they fit.
func page(path, text string, in readParams) (*tools.Result, error) {
	if text == "" {
		return tools.Text(path + " is empty"), nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := max(in.Offset, 1)
	if first > len(lines) {
		return nil, fmt.Errorf("%s has %s; line %d is past its end", path, count(len(lines), "line"), first)
	}
	wanted := lines[first-1:]
	if in.Limit > 0 {
		wanted = wanted[:min(in.Limit, len(wanted))]
	}
	shown := fitting(wanted)
	if len(shown) == 0 {
		start := string([]rune(wanted[0])[:window])
		return tools.Text(fmt.Sprintf("%s: line %d of %d has %d characters; its first %d are\n%s%s", path, first,
			len(lines), utf8.RuneCountInString(wanted[0]), window, start, more(first+1, len(lines)))), nil
	}
	if len(shown) == len(lines) {
		return tools.Text(fmt.Sprintf("%s: %s\n%s", path, count(len(lines), "line"), strings.Join(shown, "\n"))), nil
	}
	last := first + len(shown) - 1
	return tools.Text(fmt.Sprintf("%s: lines %d-%d of %d\n%s%s", path, first, last, len(lines),
		strings.Join(shown, "\n"), more(last+1, len(lines)))), nil
}

// fitting are the first whole lines that fit the window.
func fitting(lines []string) []string {
	room := window
	for i, line := range lines {
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			return lines[:i]
		}
	}
	return lines
}

func more(next, total int) string {
	if next > total {
		return ""
	}
	return fmt.Sprintf("\n[go on with offset %d]", next)
}
