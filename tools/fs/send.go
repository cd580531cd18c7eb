package fs

import (
	"context"
	"fmt"
	"path"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/workspace"
)

// maxSent is the largest file in bytes that all messengers take.
const maxSent = 10 << 20

type sendParams struct {
	Path string `json:"path" jsonschema:"path of the file in the workspace"`
}

func (f files) sendFile() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "send_file", Label: "attaching a file", Group: group,
		Description: "Send a file of the workspace to the people, together with your answer.",
	}, f.send)
}

func (f files) send(ctx context.Context, call *tools.Call, in sendParams) (*tools.Result, error) {
	name, err := workspace.Clean(in.Path)
	if err != nil {
		return nil, err
	}
	file, content, err := f.store.Read(ctx, owner(call), name)
	switch {
	case err != nil:
		return nil, f.explain(ctx, owner(call), name, err)
	case file.Size == 0:
		return nil, fmt.Errorf("%s is empty, and messengers take no empty files", name)
	case file.Size > maxSent:
		return nil, fmt.Errorf("%s has %s; messengers take up to %s: send a part of it, or say where it is", name,
			size(file.Size), size(maxSent))
	}
	r := tools.Text(fmt.Sprintf("%s, %s, goes out with your answer", name, size(file.Size)))
	r.Files = []channels.Attachment{{Name: path.Base(name), MediaType: file.MediaType, Data: content, Size: file.Size}}
	return r, nil
}
