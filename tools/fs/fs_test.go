package fs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/fs"
	"github.com/leadhand/leadhand/tools/workspace"
	"github.com/leadhand/leadhand/tools/workspace/workspacetest"
)

var (
	scope = tools.Scope{Tenant: "t1", Agent: "lead", User: "u1"}
	owner = workspace.Owner{Tenant: "t1", Agent: "lead", User: "u1"}
)

// holding is a store with some files of owner.
func holding(t *testing.T, files map[string]string) workspace.Store {
	t.Helper()
	s := workspacetest.New()
	for path, content := range files {
		write(t, s, path, content)
	}
	return s
}

func write(t *testing.T, s workspace.Store, path, content string) {
	t.Helper()
	if _, err := s.Write(t.Context(), owner, path, []byte(content), workspace.AnyVersion); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, s workspace.Store, path string) string {
	t.Helper()
	_, c, err := s.Read(t.Context(), owner, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(c)
}

type args map[string]any

// use calls a tool the way runs do.
func use(t *testing.T, s workspace.Store, name string, in args) *tools.Result {
	t.Helper()
	return useAs(t, scope, s, name, in)
}

func useAs(t *testing.T, sc tools.Scope, s workspace.Store, name string, in args) *tools.Result {
	t.Helper()
	plan, err := tools.BuildPlan(fs.Tools(s), tools.Signals{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var result *tools.Result
	p := &tools.Pipeline{After: []tools.After{tools.Truncate(0)}}
	err = p.Run(t.Context(), plan, []*tools.Call{{Name: name, Args: raw, Scope: sc}}, func(_ int, r *tools.Result) error {
		result = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func wantText(t *testing.T, r *tools.Result, want string) {
	t.Helper()
	if diff := cmp.Diff(want, r.ForModel); diff != "" || r.IsError {
		t.Errorf("error %v, -want +got:\n%s", r.IsError, diff)
	}
}

func wantError(t *testing.T, r *tools.Result, part string) {
	t.Helper()
	if !r.IsError || !strings.Contains(r.ForModel, part) {
		t.Errorf("got %q (error %v), want an error with %q", r.ForModel, r.IsError, part)
	}
}

func TestDescriptors(t *testing.T) {
	t.Parallel()
	want := map[string]tools.Effect{
		"read_file": tools.ReadOnly, "list_files": tools.ReadOnly, "search_files": tools.ReadOnly,
		"file_history": tools.ReadOnly, "write_file": tools.Mutating, "edit": tools.Mutating, "send_file": tools.Mutating,
		"restore_file": tools.Mutating, "remove_file": tools.Mutating,
	}
	got := map[string]tools.Effect{}
	for _, tool := range fs.Tools(workspacetest.New()) {
		got[tool.Name] = tool.Effect
		if tool.Label == "" || tool.Description == "" || tool.Group != "fs" {
			t.Errorf("%s lacks a label, a description or its group", tool.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBadPathsAreRefusedByEveryTool(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{"a": "x"})
	for _, path := range []string{"../agent-victim/x", "/etc/passwd", "a/../../b", "%2e%2e/x", `..\x`, "a\x00"} {
		for name, in := range map[string]args{
			"read_file": {"path": path}, "write_file": {"path": path, "content": "x"},
			"edit": {"path": path, "old": "x", "new": "y"}, "list_files": {"path": path},
		} {
			wantError(t, use(t, s, name, in), workspace.ErrPath.Error())
		}
	}
	wantText(t, use(t, s, "list_files", nil), "1 file, 1 byte\na  1 byte")
}

func TestWorkspacesOfOthersAreOutOfReach(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{"a": "mine"})
	for _, other := range []tools.Scope{
		{Tenant: "t2", Agent: "lead", User: "u1"}, {Tenant: "t1", Agent: "b", User: "u1"}, {Tenant: "t1", Agent: "lead"},
	} {
		wantError(t, useAs(t, other, s, "read_file", args{"path": "a"}), "no such file")
		wantError(t, useAs(t, other, s, "edit", args{"path": "a", "old": "mine", "new": "theirs"}), "no such file")
		wantText(t, useAs(t, other, s, "list_files", nil), "the workspace is empty")
		if r := useAs(t, other, s, "write_file", args{"path": "a", "content": "theirs"}); r.IsError {
			t.Errorf("write: %s", r.ForModel)
		}
	}
	if got := content(t, s, "a"); got != "mine" {
		t.Errorf("got %q", got)
	}
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{
		"readme.md": "hi", "notes/plan.md": strings.Repeat("x", 1536), "notes/a/deep.txt": "", "notes/z.md": "12345",
		"notes2/x": "x",
	})
	wantText(t, use(t, s, "list_files", nil), `5 files, 1.5 KB
readme.md  2 bytes
notes/
  plan.md  1.5 KB
  z.md  5 bytes
notes/a/
  deep.txt  0 bytes
notes2/
  x  1 byte`)
	wantText(t, use(t, s, "list_files", args{"path": "./notes/"}), `3 files, 1.5 KB
plan.md  1.5 KB
z.md  5 bytes
notes/a/
  deep.txt  0 bytes`)
	wantText(t, use(t, s, "list_files", args{"path": "readme.md"}), "readme.md is a file: text/markdown, 2 bytes")
	wantError(t, use(t, s, "list_files", args{"path": "note/plan"}), "the nearest are notes/plan.md")
	wantText(t, use(t, workspacetest.New(), "list_files", nil), "the workspace is empty")
}

func TestListFilesIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("dir/%03d.md", i)] = "x"
	}
	r := use(t, holding(t, files), "list_files", nil)
	if !strings.HasSuffix(r.ForModel, "  149.md  1 byte\n[250 more; list one folder with path]") {
		t.Errorf("got %q", r.ForModel)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	s := workspacetest.New()
	wantText(t, use(t, s, "write_file", args{"path": "/workspace/a/b.md", "content": "one"}),
		"a/b.md is written: 3 bytes, version 1")
	wantText(t, use(t, s, "write_file", args{"path": "a/b.md", "content": "two"}),
		"a/b.md is written: 3 bytes, version 2")
	if got := content(t, s, "a/b.md"); got != "two" {
		t.Errorf("got %q", got)
	}
	wantError(t, use(t, s, "write_file", args{"path": "a/b.md"}), "content: missing")
	small := workspacetest.Limited(workspacetest.Options{Quota: 4, MaxFile: 3})
	wantError(t, use(t, small, "write_file", args{"path": "a", "content": "1234"}), "a: the file is too large")
	use(t, small, "write_file", args{"path": "a", "content": "123"})
	wantError(t, use(t, small, "write_file", args{"path": "b", "content": "123"}), "b: the workspace is full")
}

// interfering writes a file between a tool's reading and its writing, some number of times.
type interfering struct {
	workspace.Store

	times   int
	content string
}

func (i *interfering) Write(
	ctx context.Context, o workspace.Owner, path string, content []byte, base int,
) (*workspace.File, error) {
	if i.times > 0 {
		i.times--
		i.content += "+"
		if _, err := i.Store.Write(ctx, o, path, []byte(i.content), workspace.AnyVersion); err != nil {
			return nil, err
		}
	}
	return i.Store.Write(ctx, o, path, content, base)
}
