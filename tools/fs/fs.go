// Package fs has the tools for the files of a workspace. Each call acts in the workspace of its scope's tenant, agent
// and user, and in no other.
package fs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/nearest"
	"github.com/leadhand/leadhand/tools/workspace"
)

// group is the name policies use for these tools.
const group = "fs"

// Tools are all tools of the package, on the files in s.
func Tools(s workspace.Store) []tools.Tool {
	f := files{s}
	return []tools.Tool{
		f.readFile(), f.writeFile(), f.edit(), f.listFiles(), f.searchFiles(), f.sendFile(), f.fileHistory(), f.restoreFile(),
		f.removeFile(),
	}
}

type files struct{ store workspace.Store }

func owner(c *tools.Call) workspace.Owner {
	return workspace.Owner{Tenant: c.Scope.Tenant, Agent: c.Scope.Agent, User: c.Scope.User}
}

// explain adds to an error about path what a model needs to do better.
func (f files) explain(ctx context.Context, o workspace.Owner, path string, err error) error {
	if !errors.Is(err, workspace.ErrNotFound) {
		return fmt.Errorf("%s: %w", path, err)
	}
	all, listErr := f.store.List(ctx, o, "")
	if listErr != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	names := make([]string, len(all))
	for i, file := range all {
		names[i] = file.Path
		if strings.HasPrefix(file.Path, path+"/") {
			return fmt.Errorf("%s is a folder; list_files shows what is in it", path)
		}
	}
	if near := nearest.Nearest(path, names, 3); len(near) > 0 {
		return fmt.Errorf("%s: %w; the nearest are %s", path, err, strings.Join(near, ", "))
	}
	return fmt.Errorf("%s: %w; list_files shows what there is", path, err)
}

// size writes a number of bytes for people.
func size(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return count(int(n), "byte")
	case n < k*k:
		return decimal(float64(n)/k) + " KB"
	default:
		return decimal(float64(n)/(k*k)) + " MB"
	}
}

// count writes "1 line" or "2 lines".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func decimal(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
