package fs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

type historyParams struct {
	Path    string `json:"path" jsonschema:"path of the file, which may be a removed one"`
	Version int    `json:"version,omitempty" jsonschema:"version to show; all are listed if left out"`
	Offset  int    `json:"offset,omitempty" jsonschema:"first line to show of the version, counted from 1"`
}

func (f files) fileHistory() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "file_history", Label: "looking at earlier versions", Group: group, Effect: tools.ReadOnly,
		Description: "List the versions of a file of the workspace, or show one of them. Every change makes a version.",
	}, f.history)
}

func (f files) history(ctx context.Context, call *tools.Call, in historyParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	if in.Version != 0 {
		file, content, err := f.version(ctx, call, path, in.Version)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, version %d", path, file.Version)
		if !workspace.IsText(content) {
			return tools.Text(fmt.Sprintf("%s: %s, %s; it is not UTF-8 text", name, file.MediaType, size(file.Size))), nil
		}
		return tools.Page(name, string(content), in.Offset, 0)
	}
	all, err := f.store.History(ctx, owner(call), path)
	if err == nil && len(all) == 0 {
		err = workspace.ErrNotFound
	}
	if err != nil {
		return nil, f.explain(ctx, owner(call), path, err)
	}
	var b strings.Builder
	for _, v := range all {
		what := size(v.Size)
		if v.Deleted {
			what = "removed"
		}
		fmt.Fprintf(&b, "version %d, %s, %s\n", v.Version, v.ChangedAt.UTC().Format(time.RFC3339), what)
	}
	return tools.Page(path, b.String(), in.Offset, 0)
}

// version is one version of a file. Its error names those that are kept.
func (f files) version(ctx context.Context, call *tools.Call, path string, n int) (*workspace.File, []byte, error) {
	file, content, err := f.store.Version(ctx, owner(call), path, n)
	if !errors.Is(err, workspace.ErrNotFound) {
		return file, content, err
	}
	all, listErr := f.store.History(ctx, owner(call), path)
	if listErr != nil || len(all) == 0 {
		return nil, nil, f.explain(ctx, owner(call), path, err)
	}
	var kept []string
	for _, v := range all {
		if !v.Deleted {
			kept = append(kept, fmt.Sprint(v.Version))
		}
	}
	return nil, nil, fmt.Errorf("%s has no version %d any more; kept are %s", path, n, strings.Join(kept, ", "))
}

type restoreParams struct {
	Path    string `json:"path" jsonschema:"path of the file, which may be a removed one"`
	Version int    `json:"version" jsonschema:"version to bring back; file_history lists them"`
}

func (f files) restoreFile() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "restore_file", Label: "bringing a version back", Group: group,
		Description: "Make an earlier version of a file the newest again. What is there now stays an earlier version.",
	}, f.restore)
}

func (f files) restore(ctx context.Context, call *tools.Call, in restoreParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	_, content, err := f.version(ctx, call, path, in.Version)
	if err != nil {
		return nil, err
	}
	file, err := f.store.Write(ctx, owner(call), path, content, workspace.AnyVersion)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tools.Text(
		fmt.Sprintf("%s is again as in version %d; that is version %d now", path, in.Version, file.Version)), nil
}

type removeParams struct {
	Path string `json:"path" jsonschema:"path of the file in the workspace"`
}

func (f files) removeFile() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "remove_file", Label: "removing a file", Group: group,
		Description: "Remove a file of the workspace. restore_file can bring it back.",
	}, f.remove)
}

func (f files) remove(ctx context.Context, call *tools.Call, in removeParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	if err := f.store.Remove(ctx, owner(call), path); err != nil {
		return nil, f.explain(ctx, owner(call), path, err)
	}
	return tools.Text(path + " is removed; its versions are kept"), nil
}
