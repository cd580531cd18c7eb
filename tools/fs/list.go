package fs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

// maxListed is how many files list_files shows.
const maxListed = 150

type listParams struct {
	Path string `json:"path,omitempty" jsonschema:"folder to list; the whole workspace if left out"`
}

func (f files) listFiles() tools.Tool {
	return tools.New(tools.Descriptor{
		Name:        "list_files",
		Label:       "listing files",
		Description: "List the files of the workspace, or of one of its folders, with their sizes.",
		Group:       group,
		Effect:      tools.ReadOnly,
	}, f.list)
}

func (f files) list(ctx context.Context, call *tools.Call, in listParams) (*tools.Result, error) {
	dir, err := workspace.CleanDir(in.Path)
	if err != nil {
		return nil, err
	}
	all, err := f.store.List(ctx, owner(call), dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", in.Path, err)
	}
	if len(all) > 0 {
		return tools.Text(tree(dir, all)), nil
	}
	if dir == "" {
		return tools.Text("the workspace is empty"), nil
	}
	if file, _, err := f.store.Read(ctx, owner(call), dir); err == nil {
		return tools.Text(fmt.Sprintf("%s is a file: %s, %s", dir, file.MediaType, size(file.Size))), nil
	}
	return nil, f.explain(ctx, owner(call), dir, workspace.ErrNotFound)
}

// tree writes every folder once, with its files indented below it.
func tree(dir string, all []*workspace.File) string {
	var total int64
	for _, file := range all {
		total += file.Size
	}
	all = slices.SortedStableFunc(slices.Values(all), func(a, b *workspace.File) int {
		return strings.Compare(folder(a), folder(b)) // by path alone, a folder's files are parted by its subfolders
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", count(len(all), "file"), size(total))
	previous := dir
	for i, file := range all {
		if i == maxListed {
			fmt.Fprintf(&b, "[%d more; list one folder with path]\n", len(all)-maxListed)
			break
		}
		if f := folder(file); f != previous {
			fmt.Fprintf(&b, "%s/\n", f)
			previous = f
		}
		indent := "  "
		if previous == dir {
			indent = ""
		}
		fmt.Fprintf(&b, "%s%s  %s\n", indent, path.Base(file.Path), size(file.Size))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// folder is "" for files at the top.
func folder(f *workspace.File) string {
	if dir := path.Dir(f.Path); dir != "." {
		return dir
	}
	return ""
}
