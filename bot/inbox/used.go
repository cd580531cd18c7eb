package inbox

import (
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

// Used is what a turn used, and for whom.
type Used struct {
	Scope tools.Scope
	Usage llm.Usage
	Steps int // model calls
}

// UsedBy says whose use is asked for: of a person, of a place with all that is in it, or of everybody; since a time.
type UsedBy struct {
	Person string
	Place  channels.Conversation // parts that are empty mean all
	Since  time.Time
}

// Spent is what turns used that one agent worked for one person.
type Spent struct {
	Person, Agent string
	Turns         int
	Usage         llm.Usage
}
