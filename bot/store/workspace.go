package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/tools/workspace"
)

// WorkspaceLimits bound what one workspace may hold.
type WorkspaceLimits struct {
	Quota   int64 // bytes of all newest versions together
	MaxFile int64 // bytes of one file
}

// DefaultWorkspaceLimits suit a team on one machine.
var DefaultWorkspaceLimits = WorkspaceLimits{Quota: 256 << 20, MaxFile: 20 << 20}

// Workspaces is the workspace.Store.
type Workspaces struct {
	db     *DB
	limits WorkspaceLimits
}

var _ workspace.Store = (*Workspaces)(nil)

// NewWorkspaces keeps files within limits.
func NewWorkspaces(db *DB, limits WorkspaceLimits) *Workspaces { return &Workspaces{db, limits} }

type fileRow struct {
	Tenant    string `gorm:"primaryKey"`
	Agent     string `gorm:"primaryKey"`
	Person    string `gorm:"primaryKey"`
	Path      string `gorm:"primaryKey"`
	Version   int    `gorm:"primaryKey"`
	Newest    int
	Deleted   int
	Hash      string
	Size      int64
	MediaType string
	ChangedAt int64
}

func (fileRow) TableName() string { return "files" }

func (r *fileRow) file() *workspace.File {
	return &workspace.File{
		Path: r.Path, Version: r.Version, Hash: r.Hash, Size: r.Size, MediaType: r.MediaType,
		Deleted: r.Deleted != 0, ChangedAt: fromMillis(r.ChangedAt),
	}
}

type blobRow struct {
	Hash      string `gorm:"primaryKey"`
	Size      int64
	Data      []byte
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (blobRow) TableName() string { return "blobs" }

func ofOwner(tx *gorm.DB, o workspace.Owner) *gorm.DB {
	return tx.Table("files").Where("tenant = ? AND agent = ? AND person = ?", o.Tenant, o.Agent, o.User)
}

// newest loads the newest version of a file; nil if there never was one.
func newest(tx *gorm.DB, o workspace.Owner, path string) (*fileRow, error) {
	var row fileRow
	err := ofOwner(tx, o).Where("path = ? AND newest = 1", path).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	return &row, err
}

func (s *Workspaces) Read(ctx context.Context, o workspace.Owner, path string) (*workspace.File, []byte, error) {
	path, err := workspace.Clean(path)
	if err != nil {
		return nil, nil, err
	}
	row, err := newest(s.db.read(ctx), o, path)
	if err != nil {
		return nil, nil, fmt.Errorf("find file: %w", err)
	}
	if row == nil || row.Deleted != 0 {
		return nil, nil, workspace.ErrNotFound
	}
	return s.content(ctx, row)
}

func (s *Workspaces) Write(
	ctx context.Context, o workspace.Owner, path string, content []byte, base int,
) (*workspace.File, error) {
	path, err := workspace.Clean(path)
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > s.limits.MaxFile {
		return nil, fmt.Errorf("%w: %d bytes, %d are allowed", workspace.ErrTooLarge, len(content), s.limits.MaxFile)
	}
	sum := sha256.Sum256(content)
	next := &fileRow{
		Hash: hex.EncodeToString(sum[:]), Size: int64(len(content)), MediaType: workspace.MediaType(path, content),
	}
	var saved *fileRow
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		old, err := lockNewest(tx, s.db, o, path)
		if err != nil {
			return err
		}
		if old != nil && old.Deleted == 0 && old.Hash == next.Hash && (base == workspace.AnyVersion || base == old.Version) {
			saved = old
			return nil
		}
		if err := checkBase(old, base); err != nil {
			return err
		}
		if err := s.checkQuota(tx, o, old, next.Size); err != nil {
			return err
		}
		err = tx.Exec(s.db.stmt(`INSERT INTO blobs (hash, size, data, created_at) VALUES (?, ?, ?, {now})
			ON CONFLICT (hash) DO UPDATE SET created_at = excluded.created_at`), next.Hash, next.Size, content).Error
		if err != nil {
			return err
		}
		saved, err = s.addVersion(tx, o, path, old, next)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return saved.file(), nil
}

// lockNewest is newest, with all other changes of this workspace waiting until the transaction ends. SQLite has one
// writer anyway.
func lockNewest(tx *gorm.DB, db *DB, o workspace.Owner, path string) (*fileRow, error) {
	if db.pg != nil {
		err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtext(?))`, o.Tenant+"/"+o.Agent+"/"+o.User).Error
		if err != nil {
			return nil, err
		}
	}
	return newest(tx, o, path)
}

func checkBase(old *fileRow, base int) error {
	current := 0
	if old != nil && old.Deleted == 0 {
		current = old.Version
	}
	if base != workspace.AnyVersion && base != current {
		return workspace.ErrChanged
	}
	return nil
}

func (s *Workspaces) checkQuota(tx *gorm.DB, o workspace.Owner, old *fileRow, size int64) error {
	var used int64
	err := ofOwner(tx, o).Where("newest = 1 AND deleted = 0").Select("coalesce(sum(size), 0)").Scan(&used).Error
	if err != nil {
		return err
	}
	if old != nil && old.Deleted == 0 {
		used -= old.Size
	}
	if used+size > s.limits.Quota {
		return fmt.Errorf("%w: %d of %d bytes are used", workspace.ErrQuota, used, s.limits.Quota)
	}
	return nil
}

// keptVersions is how many versions of one file are kept, so that a file that changes all the time does not fill the
// disk. Contents that no version has any more go with the next Sweep.
const keptVersions = 20

// addVersion makes next the newest version after old, and lets the oldest go.
func (s *Workspaces) addVersion(
	tx *gorm.DB, o workspace.Owner, path string, old, next *fileRow,
) (*fileRow, error) {
	row := *next
	row.Tenant, row.Agent, row.Person, row.Path, row.Version, row.Newest = o.Tenant, o.Agent, o.User, path, 1, 1
	if old != nil {
		row.Version = old.Version + 1
		versions := ofOwner(tx, o).Where("path = ?", path).Session(&gorm.Session{})
		if err := versions.Where("newest = 1").Update("newest", 0).Error; err != nil {
			return nil, err
		}
		if err := versions.Where("version <= ?", row.Version-keptVersions).Delete(&fileRow{}).Error; err != nil {
			return nil, err
		}
	}
	if err := tx.Raw("SELECT " + s.db.now()).Scan(&row.ChangedAt).Error; err != nil {
		return nil, err
	}
	return &row, tx.Create(&row).Error
}

func (s *Workspaces) List(ctx context.Context, o workspace.Owner, dir string) ([]*workspace.File, error) {
	q := ofOwner(s.db.read(ctx), o).Where("newest = 1 AND deleted = 0")
	dir, err := workspace.CleanDir(dir)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		q = q.Where("substr(path, 1, ?) = ?", len([]rune(dir))+1, dir+"/")
	}
	return files(q.Order(s.db.bytewise("path")))
}

// bytewise orders text by its bytes on both dialects.
func (db *DB) bytewise(column string) string {
	if db.pg != nil {
		return column + ` COLLATE "C"`
	}
	return column
}

func files(q *gorm.DB) ([]*workspace.File, error) {
	var rows []fileRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	fs := make([]*workspace.File, len(rows))
	for i := range rows {
		fs[i] = rows[i].file()
	}
	return fs, nil
}

func (s *Workspaces) Remove(ctx context.Context, o workspace.Owner, path string) error {
	path, err := workspace.Clean(path)
	if err != nil {
		return err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		old, err := lockNewest(tx, s.db, o, path)
		if err != nil {
			return err
		}
		if old == nil || old.Deleted != 0 {
			return workspace.ErrNotFound
		}
		_, err = s.addVersion(tx, o, path, old, &fileRow{Deleted: 1})
		return err
	})
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

func (s *Workspaces) History(ctx context.Context, o workspace.Owner, path string) ([]*workspace.File, error) {
	path, err := workspace.Clean(path)
	if err != nil {
		return nil, err
	}
	return files(ofOwner(s.db.read(ctx), o).Where("path = ?", path).Order("version DESC"))
}

// Version implements workspace.Store.
func (s *Workspaces) Version(
	ctx context.Context, o workspace.Owner, path string, version int,
) (*workspace.File, []byte, error) {
	path, err := workspace.Clean(path)
	if err != nil {
		return nil, nil, err
	}
	var row fileRow
	err = ofOwner(s.db.read(ctx), o).Where("path = ? AND version = ? AND deleted = 0", path, version).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil, workspace.ErrNotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find a version: %w", err)
	}
	return s.content(ctx, &row)
}

// content loads the content of a version.
func (s *Workspaces) content(ctx context.Context, row *fileRow) (*workspace.File, []byte, error) {
	var blob blobRow
	if err := s.db.read(ctx).Where("hash = ?", row.Hash).Take(&blob).Error; err != nil {
		return nil, nil, fmt.Errorf("load the file's content: %w", err)
	}
	return row.file(), blob.Data, nil
}
