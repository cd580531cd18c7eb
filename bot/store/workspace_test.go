package store_test

import (
	"testing"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools/workspace"
	"github.com/leadhand/leadhand/tools/workspace/workspacetest"
)

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		limits := workspacetest.Options{Quota: 2500, MaxFile: 1000}
		db := storetest.Open(t, url)
		workspacetest.Exercise(t, func(t *testing.T) workspace.Store {
			// The parts share the database: each gets owners of its own.
			return apart{store.NewWorkspaces(db, store.WorkspaceLimits(limits)), t.Name()}
		}, limits)
	})
}
