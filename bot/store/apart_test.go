package store_test

import (
	"context"

	"github.com/leadhand/leadhand/tools/workspace"
)

// apart gives each user of a shared store owners of its own.
type apart struct {
	workspace.Store
	name string
}

func (s apart) own(o workspace.Owner) workspace.Owner {
	o.Agent += "/" + s.name
	return o
}

func (s apart) Read(ctx context.Context, o workspace.Owner, p string) (*workspace.File, []byte, error) {
	return s.Store.Read(ctx, s.own(o), p)
}

func (s apart) Write(ctx context.Context, o workspace.Owner, p string, c []byte, base int) (*workspace.File, error) {
	return s.Store.Write(ctx, s.own(o), p, c, base)
}

func (s apart) List(ctx context.Context, o workspace.Owner, dir string) ([]*workspace.File, error) {
	return s.Store.List(ctx, s.own(o), dir)
}

func (s apart) Remove(ctx context.Context, o workspace.Owner, p string) error {
	return s.Store.Remove(ctx, s.own(o), p)
}

func (s apart) History(ctx context.Context, o workspace.Owner, p string) ([]*workspace.File, error) {
	return s.Store.History(ctx, s.own(o), p)
}

func (s apart) Version(
	ctx context.Context, o workspace.Owner, path string, version int,
) (*workspace.File, []byte, error) {
	return s.Store.Version(ctx, s.own(o), path, version)
}
