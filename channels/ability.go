package channels

import (
	"context"
	"net/http"
)

// What a messenger may be able to do beyond receiving and sending. An adapter that lacks an ability writes nothing.

// Streamer is the ability to show an answer while it is written.
type Streamer interface {
	// Stream opens a preview of an answer. The preview is never the delivery: the final text is sent as an Outbound,
	// with Edit naming the preview's message if there is one.
	Stream(ctx context.Context, p Preview) (Stream, error)
}

// Preview says where an answer is shown while it is written.
type Preview struct {
	Conversation Conversation
	ReplyTo      MessageID
	Via          string // of the message that is answered
	// Message shows what an earlier attempt at this answer left behind; the preview goes on there.
	Message MessageID
	// Posted keeps the id of a message that was posted for the preview, so that no crash leaves it behind. It may be nil.
	Posted func(ctx context.Context, id MessageID) error
	// Buttons stand below the preview while it is open, where a messenger has buttons.
	Buttons [][]Button
}

// Stream is one open preview. Its methods are called by one goroutine at a time.
type Stream interface {
	// Show replaces what the preview shows, and returns when the platform is ready for the next state.
	Show(ctx context.Context, d Draft) error
	// Close ends the preview and returns the platform's id of the message that shows it; empty when there is none
	// that could be edited. It is called exactly once, also after errors.
	Close(ctx context.Context) (MessageID, error)
}

// Draft is the state of an answer in the making.
type Draft struct {
	Text string // Markdown so far, all of it
	Step string // what is being done now in plain words ("reading a file"); empty when text is being written
}

// Typer is the ability to show that an answer is in the making.
type Typer interface {
	// Typing shows the sign once; it fades by itself. It is called again every few seconds.
	Typing(ctx context.Context, to Conversation) error
}

// Marker is the ability to mark a person's message as seen.
type Marker interface {
	// MarkSeen shows that a message was received and waits for its turn. Marking twice changes nothing.
	MarkSeen(ctx context.Context, to Conversation, id MessageID) error
}

// Fetcher is the ability to get the content of files that came as references.
type Fetcher interface {
	// Fetch gives the content of a file of a received message. An *Error that is Terminal says in Err, in words that
	// people may read, why it can never be had.
	Fetch(ctx context.Context, a *Attachment) ([]byte, error)
}

// Namer is the ability to tell what people call a conversation.
type Namer interface {
	// NameOf is the name that people see of the topic, or of the chat when Topic is empty: one line without markup, "#web"
	// where the platform writes it so; empty when the platform does not tell. It may ask the platform, and remembers.
	NameOf(ctx context.Context, c Conversation) (string, error)
}

// Webhook is the ability to receive over HTTP. Requests to /hooks/NAME go to the handler, from the start of the program
// to its end; a channel that does not run yet answers 503.
type Webhook interface {
	Webhook() http.Handler
}
