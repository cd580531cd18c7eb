package fs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/nearest"
	"github.com/leadhand/leadhand/tools/workspace"
)

const (
	// maxNearLines is how many lines of a file are compared with a text that was not found.
	maxNearLines = 5000
	// maxPlaces is how many line numbers of a text that occurs more than once are listed.
	maxPlaces = 10
	// maxEdited is the largest text in bytes that an edit may give; many occurrences could make a short call huge.
	maxEdited = 16 << 20
)

type editParams struct {
	Path string `json:"path" jsonschema:"path of the file in the workspace"`
	Old  string `json:"old" jsonschema:"text to replace, exactly as it is in the file; it must occur only once"`
	New  string `json:"new" jsonschema:"text to put in its place; empty to take it out"`
	All  bool   `json:"all,omitempty" jsonschema:"replace every occurrence"`
}

func (f files) edit() tools.Tool {
	return tools.New(tools.Descriptor{
		Name:        "edit",
		Label:       "editing a file",
		Description: "Replace a piece of text in a file of the workspace. Read the file before.",
		Group:       group,
	}, f.replace)
}

func (f files) replace(ctx context.Context, call *tools.Call, in editParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	switch {
	case err != nil:
		return nil, err
	case in.Old == "":
		return nil, errors.New("old is empty: give the text to replace, or make the file with write_file")
	case in.Old == in.New:
		return nil, errors.New("old and new are the same: nothing to change")
	}
	in.Path = path
	r, err := f.replaceOnce(ctx, owner(call), in)
	if errors.Is(err, workspace.ErrChanged) {
		r, err = f.replaceOnce(ctx, owner(call), in) // somebody wrote in between: does the edit still fit?
	}
	return r, err
}

// replaceOnce gives ErrChanged if the file was written between its reading and its writing.
func (f files) replaceOnce(ctx context.Context, o workspace.Owner, in editParams) (*tools.Result, error) {
	file, content, err := f.store.Read(ctx, o, in.Path)
	if err != nil {
		return nil, f.explain(ctx, o, in.Path, err)
	}
	if !workspace.IsText(content) {
		return nil, fmt.Errorf("%s is %s, not UTF-8 text", in.Path, file.MediaType)
	}
	text := string(content)
	in = in.withLineEnds(text)
	places := lineNumbers(text, in.Old)
	switch {
	case len(places) == 0:
		return nil, notFound(text, in)
	case len(places) > 1 && !in.All:
		return nil, fmt.Errorf("old occurs %d times in %s, at %s: give more of the text around it, or set all",
			len(places), in.Path, numbers(places))
	}
	if len(text)+len(places)*(len(in.New)-len(in.Old)) > maxEdited {
		return nil, fmt.Errorf("%s: %w", in.Path, workspace.ErrTooLarge)
	}
	text = strings.ReplaceAll(text, in.Old, in.New)
	file, err = f.store.Write(ctx, o, in.Path, []byte(text), file.Version)
	if err != nil {
		return nil, f.explain(ctx, o, in.Path, err)
	}
	return tools.Text(fmt.Sprintf("%s is changed at %s: version %d", in.Path, numbers(places), file.Version)), nil
}

// withLineEnds gives old and new the line ends of a Windows file, which models don't see.
func (in editParams) withLineEnds(text string) editParams {
	if strings.Contains(text, in.Old) || !strings.Contains(text, "\r\n") || strings.Contains(in.Old, "\r") {
		return in
	}
	in.Old = strings.ReplaceAll(in.Old, "\n", "\r\n")
	in.New = strings.ReplaceAll(in.New, "\n", "\r\n")
	return in
}

// lineNumbers are the lines, counted from 1, in which the occurrences of old begin.
func lineNumbers(text, old string) []int {
	var found []int
	line := 1
	for {
		before, after, ok := strings.Cut(text, old)
		if !ok {
			return found
		}
		line += strings.Count(before, "\n")
		found = append(found, line)
		line += strings.Count(old, "\n")
		text = after
	}
}

func numbers(lines []int) string {
	var shown []string
	for _, n := range lines[:min(maxPlaces, len(lines))] {
		shown = append(shown, strconv.Itoa(n))
	}
	if len(lines) > maxPlaces {
		shown = append(shown, "...")
	}
	if len(shown) == 1 {
		return "line " + shown[0]
	}
	return "lines " + strings.Join(shown, ", ")
}

// notFound shows the lines that old may have meant, quoted so that their white space can be seen.
func notFound(text string, in editParams) error {
	wanted, _, _ := strings.Cut(strings.TrimSpace(in.Old), "\n")
	lines := strings.Split(text, "\n")
	lines = lines[:min(len(lines), maxNearLines)]
	var shown []string
	for _, near := range nearest.Nearest(wanted, lines, 3) {
		for i, line := range lines {
			if line == near {
				shown = append(shown, fmt.Sprintf("line %d: %.120q", i+1, line))
				break
			}
		}
	}
	if len(shown) == 0 {
		return fmt.Errorf("old does not occur in %s, nor does anything like it: read the file again", in.Path)
	}
	return fmt.Errorf("old does not occur in %s exactly as given; the nearest lines are\n%s", in.Path,
		strings.Join(shown, "\n"))
}
