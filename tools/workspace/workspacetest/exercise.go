package workspacetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools/workspace"
)

// Exercise runs the suite that every [workspace.Store] passes. open gives an empty store with the limits in o; it is
// called once for each part, and the parts run in parallel. Limits of 0 are not tested; others must leave room for the
// few hundred bytes that the rest of the suite writes.
func Exercise(t *testing.T, open func(t *testing.T) workspace.Store, o Options) {
	t.Helper()
	parts := map[string]func(s *suite){
		"a file comes back as it was written":                 (*suite).contents,
		"every change makes a version":                        (*suite).versions,
		"a write from an old version is refused":              (*suite).changed,
		"the same content makes no version":                   (*suite).same,
		"a removed file is gone but keeps its history":        (*suite).remove,
		"a list is ordered by the bytes of its paths":         (*suite).order,
		"a folder lists what is below it and nothing else":    (*suite).folder,
		"owners that differ in one part share nothing":        (*suite).owners,
		"a bad path is refused by every method":               (*suite).paths,
		"every spelling of a path is the same file":           (*suite).spellings,
		"one of many writers from one version wins":           (*suite).race,
		"writers of any version all succeed, one after other": (*suite).pileUp,
		"a done context changes nothing":                      (*suite).cancelled,
		"a file that is too large is refused":                 (*suite).tooLarge,
		"a full workspace takes no more until there is room":  (*suite).quota,
	}
	for name, part := range parts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(&suite{T: t, store: open(t), limits: o, owner: anOwner()})
		})
	}
}

// anOwner has ids of the form that a database may insist on.
func anOwner() workspace.Owner {
	return workspace.Owner{
		Tenant: "01890a5d-ac96-774b-bcce-b302099a8057", Agent: "lead", User: "01890a5d-ac96-774b-bcce-b302099a8058",
	}
}

// suite is one part of Exercise with its own store.
type suite struct {
	*testing.T

	store  workspace.Store
	limits Options
	owner  workspace.Owner
}

func (s *suite) write(path, content string, base int) *workspace.File {
	s.Helper()
	f, err := s.store.Write(s.Context(), s.owner, path, []byte(content), base)
	if err != nil {
		s.Fatalf("write %q from version %d: %v", path, base, err)
	}
	return f
}

func (s *suite) read(path string) (*workspace.File, string) {
	s.Helper()
	f, content, err := s.store.Read(s.Context(), s.owner, path)
	if err != nil {
		s.Fatalf("read %q: %v", path, err)
	}
	return f, string(content)
}

func (s *suite) list(dir string) []string {
	s.Helper()
	files, err := s.store.List(s.Context(), s.owner, dir)
	if err != nil {
		s.Fatalf("list %q: %v", dir, err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}

// versionNumbers is the history of the file "a" as version numbers.
func (s *suite) versionNumbers() []int {
	s.Helper()
	files, err := s.store.History(s.Context(), s.owner, "a")
	if err != nil {
		s.Fatalf("history of %q: %v", "a", err)
	}
	var numbers []int
	for _, f := range files {
		numbers = append(numbers, f.Version)
	}
	return numbers
}

func (s *suite) refuse(err, want error, doing string) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: got error %v, want %v", doing, err, want)
	}
}

func (s *suite) equal(got, want any, what string) {
	s.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (s *suite) contents() {
	for path, content := range map[string]string{
		"empty":                    "",
		"notes/плани/день 1.md":    "# день\n",
		"bin":                      "\x00\x01\xff\xfe\x00",
		"quote's \"and\" 100%_x.c": "x",
	} {
		written := s.write(path, content, 0)
		read, got := s.read(path)
		s.equal(got, content, "content of "+path)
		s.equal(read, written, "file of "+path)
		sum := sha256.Sum256([]byte(content))
		want := workspace.File{
			Path: path, Version: 1, Hash: hex.EncodeToString(sum[:]), Size: int64(len(content)),
			MediaType: workspace.MediaType(path, []byte(content)), ChangedAt: read.ChangedAt,
		}
		s.equal(*read, want, "description of "+path)
		if read.ChangedAt.IsZero() {
			s.Errorf("%s has no time of change", path)
		}
	}
	mine := []byte("mine")
	if _, err := s.store.Write(s.Context(), s.owner, "own", mine, 0); err != nil {
		s.Fatal(err)
	}
	copy(mine, "!!!!")
	_, first, err := s.store.Read(s.Context(), s.owner, "own")
	if err != nil {
		s.Fatal(err)
	}
	copy(first, "????")
	if _, again := s.read("own"); again != "mine" {
		s.Errorf("the store shares its memory with callers: %q", again)
	}
}

func (s *suite) versions() {
	s.equal(s.write("a", "one", 0).Version, 1, "first version")
	s.equal(s.write("a", "two", 1).Version, 2, "second version")
	s.equal(s.write("a", "one", workspace.AnyVersion).Version, 3, "version with an older content")
	s.equal(s.write("b", "two", workspace.AnyVersion).Version, 1, "first version of another file")
	s.equal(s.versionNumbers(), []int{3, 2, 1}, "history")
	f, content := s.read("a")
	s.equal(content, "one", "newest content")
	files, err := s.store.History(s.Context(), s.owner, "a")
	if err != nil || len(files) == 0 {
		s.Fatalf("history: %v, %v", files, err)
	}
	s.equal(files[0], f, "newest entry of the history")
	if files[0].ChangedAt.Before(files[2].ChangedAt) {
		s.Errorf("version 3 is from %v, before version 1 from %v", files[0].ChangedAt, files[2].ChangedAt)
	}
	s.equal(len(s.list("")), 2, "a list has the newest version of each file only")
	second, older, err := s.store.Version(s.Context(), s.owner, "a", 2)
	if err != nil {
		s.Fatalf("an older version: %v", err)
	}
	s.equal(second, files[1], "an older version")
	s.equal(string(older), "two", "content of an older version")
	for _, number := range []int{0, 4, -1} {
		_, _, err := s.store.Version(s.Context(), s.owner, "a", number)
		s.refuse(err, workspace.ErrNotFound, "a version that is not there")
	}
}

func (s *suite) changed() {
	s.write("a", "one", 0)
	s.write("a", "two", 1)
	for name, base := range map[string]int{"no file": 0, "an old version": 1, "a version to come": 3} {
		_, err := s.store.Write(s.Context(), s.owner, "a", []byte("mine"), base)
		s.refuse(err, workspace.ErrChanged, "write from "+name)
	}
	_, err := s.store.Write(s.Context(), s.owner, "new", []byte("mine"), 1)
	s.refuse(err, workspace.ErrChanged, "write from version 1 of a file that is not there")
	_, content := s.read("a")
	s.equal(content, "two", "content after refused writes")
	s.equal(s.versionNumbers(), []int{2, 1}, "history after refused writes")
	s.equal(s.list(""), []string{"a"}, "list after refused writes")
}

func (s *suite) same() {
	first := s.write("a", "one", 0)
	for _, base := range []int{1, workspace.AnyVersion} {
		s.equal(s.write("a", "one", base), first, "file after the same content")
	}
	s.equal(s.versionNumbers(), []int{1}, "history")
}

func (s *suite) remove() {
	s.write("a", "one", 0)
	s.write("b", "one", 0) // the same content elsewhere stays
	if err := s.store.Remove(s.Context(), s.owner, "a"); err != nil {
		s.Fatal(err)
	}
	_, _, err := s.store.Read(s.Context(), s.owner, "a")
	s.refuse(err, workspace.ErrNotFound, "read a removed file")
	s.refuse(s.store.Remove(s.Context(), s.owner, "a"), workspace.ErrNotFound, "remove a removed file")
	s.refuse(s.store.Remove(s.Context(), s.owner, "none"), workspace.ErrNotFound, "remove a file that never was")
	_, _, err = s.store.Read(s.Context(), s.owner, "none")
	s.refuse(err, workspace.ErrNotFound, "read a file that never was")
	s.equal(s.list(""), []string{"b"}, "list after the removal")
	_, _, err = s.store.Version(s.Context(), s.owner, "a", 2)
	s.refuse(err, workspace.ErrNotFound, "the version that is the removal")
	if _, content, err := s.store.Version(s.Context(), s.owner, "a", 1); err != nil || string(content) != "one" {
		s.Errorf("the version before the removal: %q, %v", content, err)
	}
	s.equal(s.write("a", "one", 0).Version, 3, "version of the file made anew")
	files, err := s.store.History(s.Context(), s.owner, "a")
	if err != nil {
		s.Fatal(err)
	}
	var deleted []bool
	for _, f := range files {
		deleted = append(deleted, f.Deleted)
	}
	s.equal(deleted, []bool{false, true, false}, "removals in the history, the newest first")
	_, content := s.read("b")
	s.equal(content, "one", "content of the other file")
}

func (s *suite) tooLarge() {
	if s.limits.MaxFile == 0 {
		s.Skip("the store has no limit for a file")
	}
	content := bytes.Repeat([]byte("x"), int(s.limits.MaxFile)+1)
	_, err := s.store.Write(s.Context(), s.owner, "a", content, 0)
	s.refuse(err, workspace.ErrTooLarge, "write one byte too many")
	s.equal(s.list(""), []string(nil), "list after the refusal")
	if s.limits.Quota == 0 || s.limits.Quota >= s.limits.MaxFile {
		s.write("a", string(content[1:]), 0)
	}
}

func (s *suite) quota() {
	if s.limits.Quota == 0 {
		s.Skip("the store has no quota")
	}
	size := s.limits.Quota
	if s.limits.MaxFile > 0 {
		size = min(size, s.limits.MaxFile)
	}
	full := 0
	for rest := s.limits.Quota; rest > 0; rest -= min(size, rest) {
		s.write(numbered(full), string(bytes.Repeat([]byte("x"), int(min(size, rest)))), 0)
		full++
	}
	_, err := s.store.Write(s.Context(), s.owner, "more", []byte("x"), 0)
	s.refuse(err, workspace.ErrQuota, "write into a full workspace")
	s.equal(len(s.list("")), full, "files after the refusal")
	s.write(numbered(0), string(bytes.Repeat([]byte("y"), int(size))), 1) // no larger than before

	other := s.owner
	other.User = "01890a5d-ac96-774b-bcce-b302099a8059"
	if _, err := s.store.Write(s.Context(), other, "more", []byte("x"), 0); err != nil {
		s.Errorf("another owner's workspace is full too: %v", err)
	}
	if err := s.store.Remove(s.Context(), s.owner, numbered(0)); err != nil {
		s.Fatal(err)
	}
	s.write("more", "x", 0)
}

func (s *suite) cancelled() {
	s.write("a", "one", 0)
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if _, err := s.store.Write(ctx, s.owner, "a", []byte("two"), 1); err == nil {
		s.Error("a write with a done context succeeds")
	}
	if err := s.store.Remove(ctx, s.owner, "a"); err == nil {
		s.Error("a removal with a done context succeeds")
	}
	if _, _, err := s.store.Read(ctx, s.owner, "a"); err == nil {
		s.Error("a read with a done context succeeds")
	}
	_, content := s.read("a")
	s.equal(content, "one", "content")
}
