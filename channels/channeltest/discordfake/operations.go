package discordfake

import (
	"maps"
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// action is the built-in behaviour of an operation. It runs with the server
// locked; a nil result is answered with 204.
type action func(*Server, fakekit.Call) (any, *Error)

// operations returns the built-in behaviours by verb and route.
func operations() map[string]action {
	all := map[string]action{}
	for _, table := range []map[string]action{
		generalOperations(), guildOperations(), messageOperations(), threadOperations(),
		commandOperations(""), commandOperations("/guilds/{guild_id}"), interactionOperations(),
	} {
		maps.Copy(all, table)
	}
	return all
}

func generalOperations() map[string]action {
	return map[string]action{
		"GET /gateway":                 (*Server).gateway,
		"GET /gateway/bot":             (*Server).gatewayBot,
		"GET /users/@me":               func(s *Server, _ fakekit.Call) (any, *Error) { return s.self(), nil },
		"GET /users/{user_id}":         getUser,
		"GET /applications/@me":        func(s *Server, _ fakekit.Call) (any, *Error) { return s.application(), nil },
		"GET /oauth2/applications/@me": func(s *Server, _ fakekit.Call) (any, *Error) { return s.application(), nil },
		"POST /users/@me/channels":     (*Server).createDM,
	}
}

func guildOperations() map[string]action {
	const guild = "/guilds/{guild_id}"
	return map[string]action{
		"GET " + guild:                        (*Server).getGuild,
		"GET " + guild + "/channels":          (*Server).listChannels,
		"GET " + guild + "/roles":             (*Server).roles,
		"GET " + guild + "/threads/active":    (*Server).activeThreads,
		"GET " + guild + "/members/{user_id}": (*Server).getMember,
		"GET /channels/{channel_id}":          (*Server).getChannel,
		"PATCH /channels/{channel_id}":        (*Server).editChannel,
		"DELETE /channels/{channel_id}":       (*Server).deleteChannel,
		"POST /channels/{channel_id}/typing":  (*Server).typing,
	}
}

func messageOperations() map[string]action {
	const (
		channel  = "/channels/{channel_id}"
		messages = channel + "/messages"
		message  = messages + "/{message_id}"
		reaction = message + "/reactions/{emoji_name}/@me"
		pin      = channel + "/pins/{message_id}"
	)
	return map[string]action{
		"GET " + messages:                   (*Server).listMessages,
		"POST " + messages:                  (*Server).createMessage,
		"POST " + messages + "/bulk-delete": (*Server).bulkDelete,
		"GET " + message:                    (*Server).getMessage,
		"PATCH " + message:                  (*Server).editMessage,
		"DELETE " + message:                 (*Server).deleteMessage,
		"PUT " + reaction:                   (*Server).react,
		"DELETE " + reaction:                (*Server).react,
		"GET " + channel + "/pins":          (*Server).listPins,
		"PUT " + pin:                        (*Server).pin,
		"DELETE " + pin:                     (*Server).pin,
	}
}

func threadOperations() map[string]action {
	const (
		channel = "/channels/{channel_id}"
		members = channel + "/thread-members"
	)
	return map[string]action{
		"POST " + channel + "/messages/{message_id}/threads": (*Server).threadFromMessage,
		"POST " + channel + "/threads":                       (*Server).createThread,
		"PUT " + members + "/@me":                            (*Server).threadMember,
		"DELETE " + members + "/@me":                         (*Server).threadMember,
		"PUT " + members + "/{user_id}":                      (*Server).threadMember,
		"DELETE " + members + "/{user_id}":                   (*Server).threadMember,
	}
}

// commandOperations returns those for the commands of a scope, which is "" for
// global ones.
func commandOperations(scope string) map[string]action {
	commands := "/applications/{application_id}" + scope + "/commands"
	command := commands + "/{command_id}"
	return map[string]action{
		"GET " + commands:   (*Server).listCommands,
		"PUT " + commands:   (*Server).overwriteCommands,
		"POST " + commands:  (*Server).createCommand,
		"GET " + command:    (*Server).oneCommand,
		"PATCH " + command:  (*Server).oneCommand,
		"DELETE " + command: (*Server).oneCommand,
	}
}

func interactionOperations() map[string]action {
	const (
		webhook  = "/webhooks/{webhook_id}/{webhook_token}"
		original = webhook + "/messages/@original"
		message  = webhook + "/messages/{message_id}"
	)
	return map[string]action{
		"POST /interactions/{interaction_id}/{interaction_token}/callback": (*Server).callback,
		"POST " + webhook:    (*Server).followup,
		"GET " + original:    (*Server).webhookMessage,
		"PATCH " + original:  (*Server).webhookMessage,
		"DELETE " + original: (*Server).webhookMessage,
		"GET " + message:     (*Server).webhookMessage,
		"PATCH " + message:   (*Server).webhookMessage,
		"DELETE " + message:  (*Server).webhookMessage,
	}
}

func notFound(code int, what string) *Error {
	return &Error{Status: http.StatusNotFound, Code: code, Message: "Unknown " + what}
}

func formError(field, code, message string) *Error {
	detail := fakekit.Object{"_errors": []any{fakekit.Object{"code": code, "message": message}}}
	return &Error{
		Status: http.StatusBadRequest, Code: 50035, Message: "Invalid Form Body", Errors: fakekit.Object{field: detail},
	}
}

func forbidden(code int, message string) *Error {
	return &Error{Status: http.StatusForbidden, Code: code, Message: message}
}
