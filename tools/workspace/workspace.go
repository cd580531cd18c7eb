// Package workspace is the contract of a user's files with one agent.
//
// Files are kept in the database as rows that point to content-hashed blobs; every change makes a new version. Paths
// are relative, slash-separated and clean ("notes/plan.md"); [Clean] refuses everything else.
package workspace

import (
	"context"
	"errors"
	"time"
)

// Owner names one workspace.
type Owner struct{ Tenant, Agent, User string }

// File describes one version of one file.
type File struct {
	Path      string
	Version   int    // 1 for the first, +1 at every change
	Hash      string // SHA-256 of the content in hex
	Size      int64  // bytes
	MediaType string // by content
	Deleted   bool   // this version is a removal
	ChangedAt time.Time
}

// Errors that callers tell apart. Their texts may be shown to a model.
var (
	ErrNotFound = errors.New("no such file")
	ErrPath     = errors.New("not a path inside the workspace")
	ErrQuota    = errors.New("the workspace is full")
	ErrTooLarge = errors.New("the file is too large")
	ErrChanged  = errors.New("the file was changed meanwhile")
)

// AnyVersion as the base of a Write takes whatever is there.
const AnyVersion = -1

// Store keeps workspaces. Every method is one transaction.
type Store interface {
	// Read gives the newest content; ErrNotFound if there is none or it was removed.
	Read(ctx context.Context, o Owner, path string) (*File, []byte, error)
	// Write makes a new version. base is the version the change was made from (0: the file must not exist) or
	// AnyVersion; ErrChanged if the file has moved on. Writing the same content again makes no new version.
	Write(ctx context.Context, o Owner, path string, content []byte, base int) (*File, error)
	// List gives the newest versions of the files below dir ("" for all), without removed ones, ordered by path.
	List(ctx context.Context, o Owner, dir string) ([]*File, error)
	// Remove makes a version that is a removal; ErrNotFound if there is nothing to remove.
	Remove(ctx context.Context, o Owner, path string) error
	// History gives all versions of a file, the newest first.
	History(ctx context.Context, o Owner, path string) ([]*File, error)
	// Version gives the content of one version; ErrNotFound if it is not kept, or is a removal.
	Version(ctx context.Context, o Owner, path string, version int) (*File, []byte, error)
}
