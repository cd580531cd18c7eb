package workspacetest_test

import (
	"testing"

	"github.com/leadhand/leadhand/tools/workspace"
	"github.com/leadhand/leadhand/tools/workspace/workspacetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]workspacetest.Options{
		"without limits":                {},
		"with a quota of several files": {Quota: 2500, MaxFile: 1000},
		"with a quota below one file":   {Quota: 1000, MaxFile: 2000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workspacetest.Exercise(t, func(*testing.T) workspace.Store { return workspacetest.Limited(limits) }, limits)
		})
	}
}
