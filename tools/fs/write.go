package fs

import (
	"context"
	"fmt"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

type writeParams struct {
	Path    string `json:"path" jsonschema:"path of the file in the workspace; folders come by themselves"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (f files) writeFile() tools.Tool {
	return tools.New(tools.Descriptor{
		Name:  "write_file",
		Label: "writing a file",
		Description: "Make a file in the workspace, or replace all of its content. " +
			"To change a part of a file use edit.",
		Group: group,
	}, f.write)
}

func (f files) write(ctx context.Context, call *tools.Call, in writeParams) (*tools.Result, error) {
	path, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	file, err := f.store.Write(ctx, owner(call), path, []byte(in.Content), workspace.AnyVersion)
	if err != nil {
		return nil, f.explain(ctx, owner(call), path, err)
	}
	return tools.Text(fmt.Sprintf("%s is written: %s, version %d", path, size(file.Size), file.Version)), nil
}
