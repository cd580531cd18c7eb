package store_test

import (
	"fmt"
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

func TestOldVersionsAndTheirContentsGo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		ws := store.NewWorkspaces(db, store.DefaultWorkspaceLimits)
		ann := workspace.Owner{Tenant: "acme", Agent: "lead", User: "ann"}
		const versions = 25
		for i := range versions {
			if _, err := ws.Write(t.Context(), ann, "a", fmt.Append(nil, i), workspace.AnyVersion); err != nil {
				t.Fatal(err)
			}
		}
		history, err := ws.History(t.Context(), ann, "a")
		if err != nil || len(history) != 20 || history[0].Version != versions || history[19].Version != 6 {
			t.Fatalf("%d versions are left, %v", len(history), err)
		}
		if n, err := db.Sweep(t.Context(), 0); n != 0 || err != nil {
			t.Errorf("a sweep deleted %d young rows, %v", n, err)
		}
		exec(t, db, `UPDATE blobs SET created_at = 1`)
		if n, err := db.Sweep(t.Context(), 0); n != versions-20 || err != nil {
			t.Errorf("a sweep deleted %d contents, %v", n, err)
		}
		if _, content, err := ws.Read(t.Context(), ann, "a"); string(content) != "24" || err != nil {
			t.Errorf("read %q, %v", content, err)
		}
	})
}
