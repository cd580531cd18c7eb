//go:build !linux

package app

import (
	"log/slog"
	"runtime/debug"
)

// giveBack returns to the system what only the start needed.
func giveBack(*slog.Logger) { debug.FreeOSMemory() }
