package slack

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// failure is a call that had no success. It never holds a secret.
type failure struct {
	method     string
	code       string // Slack's own word for it; empty when the answer was no answer of Slack
	status     int    // of HTTP; 0 when no answer came
	text       string
	needed     string // the scope that is missing
	retryAfter time.Duration
	written    bool  // the request went out whole
	err        error // why the caller's ctx ended, if it did
}

func (f *failure) Error() string {
	switch {
	case f.needed != "":
		return fmt.Sprintf("%s: %s: the app needs the scope %s", f.method, f.text, f.needed)
	case f.status != 0 && f.code == "":
		return fmt.Sprintf("%s: %d %s", f.method, f.status, f.text)
	}
	return f.method + ": " + f.text
}

func (f *failure) Unwrap() error { return f.err }

func (f *failure) is(codes ...string) bool { return f.code != "" && slices.Contains(codes, f.code) }

// What Slack's words mean for a message.

func (f *failure) badForm() bool {
	return f.is("msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "block_mismatch",
		"markdown_text_conflict", "too_many_attachments", "invalid_arguments", "msg_blocks_too_many")
}

func (f *failure) uneditable() bool {
	return f.is("message_not_found", "cant_update_message", "edit_window_closed", "update_failed", "is_inactive",
		"cant_delete_message")
}

// badToken tells whether the token itself is not taken: nothing works until somebody mends it.
func (f *failure) badToken() bool {
	return f.is("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive",
		"not_allowed_token_type", "org_login_required")
}

// chatGone tells whether nothing can be written into the conversation any more.
func (f *failure) chatGone() bool {
	return f.is("channel_not_found", "not_in_channel", "is_archived", "restricted_action",
		"restricted_action_read_only_channel", "restricted_action_thread_only_channel",
		"restricted_action_non_threadable_channel", "restricted_action_thread_locked", "thread_locked",
		"posting_to_channel_denied", "messages_tab_disabled", "cannot_dm_bot", "user_is_bot", "user_disabled",
		"ekm_access_denied", "team_not_found", "team_access_not_granted", "access_denied", "thread_not_found",
		"cannot_reply_to_message", "no_permission", "app_access_restricted")
}

// passing tells whether Slack had a bad moment.
func (f *failure) passing() bool {
	return f.is("internal_error", "fatal_error", "service_unavailable", "request_timeout", "accesslimited",
		"team_added_to_org", "external_channel_migrating")
}

// channelError tells the outbox what to make of a failed send.
func (f *failure) channelError(op string) *channels.Error {
	e := &channels.Error{Op: op, RetryAfter: f.retryAfter, Err: f}
	switch {
	case f.code != "":
		e.NotTaken = !f.passing()
		e.Terminal = e.NotTaken && f.retryAfter == 0 && !f.badToken()
		e.Gone = f.chatGone()
	case f.status == 0:
		e.NotTaken = !f.written
	case f.status == http.StatusTooManyRequests, f.status == http.StatusServiceUnavailable:
		e.NotTaken = true
	case f.status >= 300 && f.status < 500: // something that is not Slack
		e.NotTaken = true
	}
	return e
}
