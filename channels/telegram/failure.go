package telegram

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// failure is a call that had no success. It never holds the token.
type failure struct {
	code       int // HTTP status or error code; 0 when no answer came
	text       string
	retryAfter time.Duration
	migrateTo  int64
	written    bool  // without an answer: the request went out whole
	err        error // why the caller's ctx ended, if it did
}

func (f *failure) Error() string {
	if f.code == 0 {
		return f.text
	}
	return fmt.Sprintf("%d %s", f.code, f.text)
}

func (f *failure) Unwrap() error { return f.err }

func (f *failure) says(texts ...string) bool {
	if f.code != http.StatusBadRequest {
		return false
	}
	for _, t := range texts {
		if strings.Contains(f.text, t) {
			return true
		}
	}
	return false
}

// What the answers of the Bot API server mean for a message.

func (f *failure) badMarkup() bool {
	return f.says("can't parse entities", "unsupported start tag", "text is too long")
}
func (f *failure) notModified() bool { return f.says("message is not modified") }
func (f *failure) topicClosed() bool { return f.says("TOPIC_CLOSED") }
func (f *failure) topicDeleted() bool {
	return f.says("message thread not found", "TOPIC_DELETED", "TOPIC_ID_INVALID")
}
func (f *failure) badMedia() bool {
	return f.says("PHOTO_", "IMAGE_", "VOICE_MESSAGES_FORBIDDEN", "VIDEO_", "wrong type of the web page content")
}

func (f *failure) uneditable() bool {
	return f.says("message to edit not found", "message can't be edited", "MESSAGE_ID_INVALID",
		"there is no text in the message to edit")
}

// chatGone tells whether nothing can be written into the chat any more.
func (f *failure) chatGone() bool {
	return f.code == http.StatusForbidden || f.says("chat not found", "CHAT_WRITE_FORBIDDEN", "have no rights to send",
		"not enough rights to send text", "need administrator rights", "group chat was deactivated", "PEER_ID_INVALID",
		"user is deactivated", "bot was kicked", "bot is not a member")
}

// refused tells whether trying again is useless, but something else may be shown in the chat.
func (f *failure) refused() bool {
	return f.code == http.StatusBadRequest && !f.chatGone() || f.code == http.StatusRequestEntityTooLarge
}

// hooked tells whether polling fails because of a webhook.
func (f *failure) hooked() bool {
	return f.code == http.StatusConflict && strings.Contains(f.text, "webhook")
}

// unknownMethod tells whether the server is too old for a method.
func (f *failure) unknownMethod() bool {
	return f.code == http.StatusNotFound && strings.Contains(f.text, "method not found") ||
		f.code == http.StatusNotImplemented
}

// channelError tells the outbox what to make of a failed send.
func (f *failure) channelError(op string) *channels.Error {
	e := &channels.Error{Op: op, RetryAfter: f.retryAfter, Err: f}
	switch f.code {
	case 0:
		e.NotTaken = !f.written
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		e.NotTaken = true
	case http.StatusTooManyRequests, http.StatusUnauthorized, http.StatusNotFound, http.StatusConflict,
		http.StatusInternalServerError, http.StatusServiceUnavailable:
		e.NotTaken = true
	case http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		e.NotTaken, e.Terminal, e.Gone = true, true, f.chatGone()
	}
	return e
}
