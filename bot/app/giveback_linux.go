package app

import (
	"bufio"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// giveBack returns to the system what only the start needed: the heap of the start, and the pages of the program file
// that it touched, which are most of it. They are clean and come back from the page cache when they are used again,
// but until then they would count as memory of a bot that does nothing.
func giveBack(log *slog.Logger) {
	debug.FreeOSMemory()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		log.Debug("give start-up memory back", "err", err)
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		log.Debug("give start-up memory back", "err", err)
		return
	}
	defer func() { _ = maps.Close() }()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		start, end, ok := readOnlyRange(lines.Text(), self)
		if !ok {
			continue
		}
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_DONTNEED); errno != 0 {
			log.Debug("give start-up memory back", "err", errno)
		}
	}
}

// readOnlyRange reads a line of /proc/self/maps: "start-end perms offset dev inode path". ok says that it maps file
// without the right to write.
func readOnlyRange(line, file string) (start, end uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[5] != file || strings.Contains(fields[1], "w") {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	a, errA := strconv.ParseUint(from, 16, strconv.IntSize)
	b, errB := strconv.ParseUint(to, 16, strconv.IntSize)
	return uintptr(a), uintptr(b), errA == nil && errB == nil && b > a
}
