package workspacetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/leadhand/leadhand/tools/workspace"
)

func (s *suite) order() {
	// A database's own order ignores case or separators; bytes are the same everywhere.
	paths := []string{"B", "Z/a", "a", "a b", "a-b", "a.md", "a/b", "a/b/c", "aB", "a_b", "b", "zz", "é"}
	want := slices.Clone(paths)
	slices.Sort(want)
	for _, p := range slices.Backward(paths) {
		s.write(p, p, 0)
	}
	s.equal(s.list(""), want, "list")
}

func (s *suite) folder() {
	for _, p := range []string{
		"a/x", "a/b/y", "ab/x", "A/x", "a", "b/a/x", "a_b/x", "aXb/x", "a%/x", "aa/x", "a\u00e9/x",
	} {
		s.write(p, p, 0)
	}
	for dir, want := range map[string][]string{
		"a":          {"a/b/y", "a/x"},
		"a/":         {"a/b/y", "a/x"},
		"a/b":        {"a/b/y"},
		"a_b":        {"a_b/x"},
		"a%":         {"a%/x"},
		"A":          {"A/x"},
		"ab":         {"ab/x"},
		"a\u00e9":    {"a\u00e9/x"},
		"a/x":        nil,
		"none":       nil,
		"ab/x/y/z/w": nil,
	} {
		s.equal(s.list(dir), want, fmt.Sprintf("list of %q", dir))
	}
}

func (s *suite) owners() {
	s.write("a", "mine", 0)
	others := []workspace.Owner{s.owner, s.owner, s.owner}
	others[0].Tenant = "01890a5d-ac96-774b-bcce-b302099a8060"
	others[1].Agent = "lead2"
	others[2].User = "01890a5d-ac96-774b-bcce-b302099a8061"
	for _, other := range others {
		_, _, err := s.store.Read(s.Context(), other, "a")
		s.refuse(err, workspace.ErrNotFound, "read from another workspace")
		_, _, err = s.store.Version(s.Context(), other, "a", 1)
		s.refuse(err, workspace.ErrNotFound, "read a version from another workspace")
		s.refuse(s.store.Remove(s.Context(), other, "a"), workspace.ErrNotFound, "remove from another workspace")
		files, err := s.store.List(s.Context(), other, "")
		if err != nil || len(files) != 0 {
			s.Errorf("list of another workspace: %v, %v", files, err)
		}
		if files, _ := s.store.History(s.Context(), other, "a"); len(files) != 0 {
			s.Errorf("history from another workspace: %v", files)
		}
		f, err := s.store.Write(s.Context(), other, "a", []byte("theirs"), 0)
		if err != nil {
			s.Fatal(err)
		}
		s.equal(f.Version, 1, "version in another workspace")
	}
	_, content := s.read("a")
	s.equal(content, "mine", "content")
}

func (s *suite) paths() {
	ctx := s.Context()
	for _, p := range []string{
		"", ".", "/", "..", "../a", "a/../b", "/etc/passwd", `a\b`, "a\x00b", "%2e%2e/a", "a\n", "\xff",
		strings.Repeat("n", 256), strings.Repeat("dir/", 128) + "a",
	} {
		_, _, err := s.store.Read(ctx, s.owner, p)
		s.refuse(err, workspace.ErrPath, fmt.Sprintf("read %q", p))
		_, err = s.store.Write(ctx, s.owner, p, []byte("x"), workspace.AnyVersion)
		s.refuse(err, workspace.ErrPath, fmt.Sprintf("write %q", p))
		s.refuse(s.store.Remove(ctx, s.owner, p), workspace.ErrPath, fmt.Sprintf("remove %q", p))
		_, err = s.store.History(ctx, s.owner, p)
		s.refuse(err, workspace.ErrPath, fmt.Sprintf("history of %q", p))
	}
	for _, dir := range []string{"..", "a/../..", "/etc", `\`, "a\x00"} {
		_, err := s.store.List(ctx, s.owner, dir)
		s.refuse(err, workspace.ErrPath, fmt.Sprintf("list %q", dir))
	}
	s.equal(s.list(""), []string(nil), "list after refused writes")
}

func (s *suite) spellings() {
	s.write("./a//b", "one", 0)
	s.equal(s.write("/workspace/a/./b", "two", 1).Path, "a/b", "path")
	_, content := s.read("a/b/")
	s.equal(content, "two", "content")
	s.write("caf\u0065\u0301", "one", 0)
	s.read("caf\u00e9")
	for _, dir := range []string{"", ".", "/", "/workspace"} {
		s.equal(s.list(dir), []string{"a/b", "caf\u00e9"}, fmt.Sprintf("list of %q", dir))
	}
}

// writers is how many goroutines write at once.
const writers = 8

// writeAtOnce gives the error of each writer.
func (s *suite) writeAtOnce(base int) []error {
	errs := make([]error, writers)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			_, errs[i] = s.store.Write(s.Context(), s.owner, "a", []byte(numbered(i)), base)
		})
	}
	all.Wait()
	return errs
}

func (s *suite) race() {
	s.write("a", "one", 0)
	won := 0
	for _, err := range s.writeAtOnce(1) {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, workspace.ErrChanged):
			s.Errorf("a late writer got %v, want %v", err, workspace.ErrChanged)
		}
	}
	s.equal(won, 1, "writers that won")
	s.equal(s.versionNumbers(), []int{2, 1}, "history")
}

func (s *suite) pileUp() {
	for _, err := range s.writeAtOnce(workspace.AnyVersion) {
		if err != nil {
			s.Errorf("write: %v", err)
		}
	}
	var want []int
	for i := range writers {
		want = append(want, writers-i)
	}
	s.equal(s.versionNumbers(), want, "history")
}

func numbered(i int) string { return fmt.Sprintf("file-%d", i) }
