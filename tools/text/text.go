// Package text has small tools that need nothing but their arguments and the clock. Each is bounded in time and memory.
package text

import (
	"time"

	"github.com/leadhand/leadhand/tools"
)

// group is the name policies use for these tools.
const group = "text"

// Tools are all tools of the package. Times are shown in defaultZone unless a call names another; now is the clock.
func Tools(defaultZone *time.Location, now func() time.Time) []tools.Tool {
	return []tools.Tool{clock{defaultZone, now}.datetime(), calc(), regex(), textUtils()}
}
