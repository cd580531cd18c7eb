package agent

// EventKind says what happened in a run.
type EventKind int

const (
	// EventText brings a piece of the text that the model is writing.
	EventText EventKind = iota + 1
	// EventReset says that the text shown so far is no part of the answer: it was a remark before a tool call, or the
	// model starts again.
	EventReset
	// EventToolStart says that a tool call begins. Several read-only calls may be under way at once.
	EventToolStart
	// EventToolEnd says that a tool call has its result, which is already durable.
	EventToolEnd
	// EventCompact says that older history is being summarised, which takes a model call of its own.
	EventCompact
)

// Event is news from a run, for progress displays. Dropping events is harmless.
type Event struct {
	Kind    EventKind
	Text    string // EventText: the piece
	Tool    string // tool events: the tool's name
	Label   string // tool events: what it does in plain words
	IsError bool   // EventToolEnd: the call failed
}
