// Package workspacetest helps to test with workspaces: an in-memory Store for the tests of tools, and the suite that
// every Store passes.
package workspacetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leadhand/leadhand/tools/workspace"
)

// Options are the limits of a Store in bytes; 0 means none.
type Options struct {
	Quota   int64 // the newest versions of all files of one owner together
	MaxFile int64 // one file
}

// New is an empty Store without limits that lives in memory.
func New() workspace.Store { return Limited(Options{}) }

// Limited is an empty Store in memory that keeps to limits.
func Limited(o Options) workspace.Store {
	return &memory{limits: o, owners: map[workspace.Owner]map[string][]version{}}
}

// memory keeps all versions by owner and path, the oldest first.
type memory struct {
	limits Options

	mu     sync.Mutex
	owners map[workspace.Owner]map[string][]version
}

var _ workspace.Store = (*memory)(nil)

type version struct {
	file    workspace.File
	content []byte
}

func (m *memory) Read(ctx context.Context, o workspace.Owner, path string) (*workspace.File, []byte, error) {
	path, err := enter(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.newest(o, path)
	if v == nil || v.file.Deleted {
		return nil, nil, workspace.ErrNotFound
	}
	file := v.file
	return &file, bytes.Clone(v.content), nil
}

func (m *memory) Write(
	ctx context.Context, o workspace.Owner, path string, content []byte, base int,
) (*workspace.File, error) {
	path, err := enter(ctx, path)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	latest := m.newest(o, path)
	current := 0
	if latest != nil && !latest.file.Deleted {
		current = latest.file.Version
	}
	if base != workspace.AnyVersion && base != current {
		return nil, workspace.ErrChanged
	}
	if current > 0 && bytes.Equal(latest.content, content) {
		file := latest.file
		return &file, nil
	}
	if err := m.fits(o, path, int64(len(content))); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	file := workspace.File{
		Path: path, Hash: hex.EncodeToString(sum[:]), Size: int64(len(content)),
		MediaType: workspace.MediaType(path, content),
	}
	return m.add(o, version{file, bytes.Clone(content)}), nil
}

func (m *memory) List(ctx context.Context, o workspace.Owner, dir string) ([]*workspace.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := workspace.CleanDir(dir)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var files []*workspace.File
	for path := range m.owners[o] {
		file := m.newest(o, path).file
		if !file.Deleted && (dir == "" || strings.HasPrefix(path, dir+"/")) {
			files = append(files, &file)
		}
	}
	slices.SortFunc(files, func(a, b *workspace.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

func (m *memory) Remove(ctx context.Context, o workspace.Owner, path string) error {
	path, err := enter(ctx, path)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.newest(o, path)
	if v == nil || v.file.Deleted {
		return workspace.ErrNotFound
	}
	m.add(o, version{file: workspace.File{Path: path, Deleted: true}})
	return nil
}

func (m *memory) History(ctx context.Context, o workspace.Owner, path string) ([]*workspace.File, error) {
	path, err := enter(ctx, path)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var files []*workspace.File
	for _, v := range slices.Backward(m.owners[o][path]) {
		file := v.file
		files = append(files, &file)
	}
	return files, nil
}

func (m *memory) Version(
	ctx context.Context, o workspace.Owner, path string, number int,
) (*workspace.File, []byte, error) {
	path, err := enter(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range m.owners[o][path] {
		if file := v.file; file.Version == number && !file.Deleted {
			return &file, bytes.Clone(v.content), nil
		}
	}
	return nil, nil, workspace.ErrNotFound
}

func enter(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return workspace.Clean(path)
}

func (m *memory) newest(o workspace.Owner, path string) *version {
	all := m.owners[o][path]
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

func (m *memory) add(o workspace.Owner, v version) *workspace.File {
	if m.owners[o] == nil {
		m.owners[o] = map[string][]version{}
	}
	path := v.file.Path
	v.file.Version = len(m.owners[o][path]) + 1
	v.file.ChangedAt = time.Now().UTC()
	m.owners[o][path] = append(m.owners[o][path], v)
	file := v.file
	return &file
}

// fits tells whether the file at path may become size bytes long.
func (m *memory) fits(o workspace.Owner, path string, size int64) error {
	if m.limits.MaxFile > 0 && size > m.limits.MaxFile {
		return workspace.ErrTooLarge
	}
	used := size
	for other := range m.owners[o] {
		if other != path {
			used += m.newest(o, other).file.Size
		}
	}
	if m.limits.Quota > 0 && used > m.limits.Quota {
		return workspace.ErrQuota
	}
	return nil
}
