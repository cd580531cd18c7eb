package fs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

const (
	longestPattern = 1000     // bytes
	searchedFile   = 4 << 20  // bytes of one file; larger ones are left out, and that is said
	searchedAll    = 64 << 20 // bytes of one search
	mostMatches    = 1000
	longestMatch   = 300 // characters of a line
)

type searchParams struct {
	Pattern string `json:"pattern" jsonschema:"regular expression (RE2) or plain words; (?i) in front ignores case"`
	Path    string `json:"path,omitempty" jsonschema:"folder to search; the whole workspace if left out"`
	Name    string `json:"name,omitempty" jsonschema:"only files whose name matches, such as *.md"`
	Offset  int    `json:"offset,omitempty" jsonschema:"first match to show, counted from 1"`
}

func (f files) searchFiles() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "search_files", Label: "searching files", Group: group, Effect: tools.ReadOnly,
		Description: "Find the lines of text files of the workspace that match a pattern. With an empty one it finds files " +
			"by name.",
	}, f.search)
}

func (f files) search(ctx context.Context, call *tools.Call, in searchParams) (*tools.Result, error) {
	dir, err := workspace.CleanDir(in.Path)
	if err != nil {
		return nil, err
	}
	if _, err := path.Match(in.Name, ""); err != nil {
		return nil, fmt.Errorf("name: %q is no pattern such as *.md", in.Name)
	}
	s := &searching{files: f, call: call}
	if s.pattern, err = patternOf(in.Pattern); err != nil {
		return nil, err
	}
	all, err := f.store.List(ctx, owner(call), dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", in.Path, err)
	}
	for _, file := range all {
		if fits, _ := path.Match(in.Name, path.Base(file.Path)); in.Name != "" && !fits {
			continue
		}
		if err := s.file(ctx, file); err != nil {
			return nil, err
		}
	}
	return s.result(in)
}

// patternOf compiles what is looked for; what is no regular expression is taken as words. nil matches no lines.
func patternOf(pattern string) (*regexp.Regexp, error) {
	switch {
	case pattern == "":
		return nil, nil
	case len(pattern) > longestPattern:
		return nil, fmt.Errorf("pattern: it has more than %d characters", longestPattern)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		re = regexp.MustCompile(regexp.QuoteMeta(pattern))
	}
	return re, nil
}

// searching is one search under way.
type searching struct {
	files
	call    *tools.Call
	pattern *regexp.Regexp

	found   strings.Builder
	matches int
	looked  int   // files
	bytes   int64 // of them
	left    []string
}

func (s *searching) file(ctx context.Context, file *workspace.File) error {
	if s.pattern == nil {
		s.matches++
		fmt.Fprintf(&s.found, "%s  %s\n", file.Path, size(file.Size))
		return nil
	}
	if file.Size > searchedFile || s.bytes+file.Size > searchedAll || s.matches >= mostMatches {
		s.left = append(s.left, file.Path)
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	_, content, err := s.store.Read(ctx, owner(s.call), file.Path)
	if errors.Is(err, workspace.ErrNotFound) { // it was removed meanwhile
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	if !workspace.IsText(content) {
		return nil
	}
	s.looked, s.bytes = s.looked+1, s.bytes+file.Size
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if !s.pattern.MatchString(line) {
			continue
		}
		if s.matches++; s.matches > mostMatches {
			break
		}
		if r := []rune(line); len(r) > longestMatch {
			line = string(r[:longestMatch]) + "…"
		}
		fmt.Fprintf(&s.found, "%s:%d: %s\n", file.Path, number, line)
	}
	return nil
}

func (s *searching) result(in searchParams) (*tools.Result, error) {
	note := ""
	if len(s.left) > 0 {
		note = fmt.Sprintf("\n[%s not searched, too large or too many: begins with %s]", count(len(s.left), "file"),
			s.left[0])
	}
	if s.matches == 0 && s.pattern == nil {
		return tools.Text("no file has such a name"), nil
	}
	if s.matches == 0 {
		return tools.Text(fmt.Sprintf("nothing matches in %s%s", count(s.looked, "text file"), note)), nil
	}
	r, err := tools.Page("matches", s.found.String(), in.Offset, 0)
	if err == nil {
		r.ForModel += note
	}
	return r, err
}
