package app

import (
	"log/slog"
	"time"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/fs"
	"github.com/leadhand/leadhand/tools/text"
	"github.com/leadhand/leadhand/tools/workspace"
)

// resultLimit is how many characters of one tool result a model sees.
const resultLimit = 8000

// builtin lists the built-in tools.
func builtin(files workspace.Store, zone *time.Location) tools.Source {
	return tools.Fixed(append(fs.Tools(files), text.Tools(zone, time.Now)...))
}

// gates decide which tools a scope is offered.
func gates(s tools.Scope) []tools.Gate { return []tools.Gate{tools.CapGate(s.Cap)} }

// pipeline is what every call goes through.
func pipeline(log *slog.Logger) *tools.Pipeline {
	return &tools.Pipeline{After: []tools.After{tools.Truncate(resultLimit)}, Log: log}
}
