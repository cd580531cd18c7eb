package app

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/leadhand/leadhand/bot/store"
)

// explain adds to an error of the start, or nil, what a person can do about it.
func explain(cfg *Config, err error) error {
	file, isFile := strings.CutPrefix(cfg.Database, "sqlite:")
	switch {
	case errors.Is(err, store.ErrInUse):
		return fmt.Errorf("%w: %s. Stop that process, or choose another directory with --data", err, file)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s already: stop it, or choose another address with --listen: %w",
			cfg.Listen, syscall.EADDRINUSE)
	case isFile && unwritable(err):
		return fmt.Errorf("the data directory %s cannot be used: %w. Choose another with --data or LEADHAND_DATA",
			cfg.Data, err)
	}
	return err
}

func unwritable(err error) bool {
	for _, cause := range []error{fs.ErrPermission, syscall.ENOTDIR, syscall.EROFS, syscall.ENOSPC, syscall.EISDIR} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
