//go:build linux || darwin

package app

import (
	"path/filepath"
	"syscall"
)

// freeSpace is how many bytes are free on the disk of a file.
func freeSpace(path string) (free uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
