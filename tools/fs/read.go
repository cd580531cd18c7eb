package fs

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

// maxImage is the largest picture in bytes that models take.
const maxImage = 5 << 20

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
		return tools.Page(path, string(content), in.Offset, in.Limit)
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
