package slackfake

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Slack's error codes that the behaviours answer with.
var (
	errChannelNotFound = errors.New("channel_not_found")
	errNotInChannel    = errors.New("not_in_channel")
	errArchived        = errors.New("is_archived")
	errNoText          = errors.New("no_text")
	errMessageNotFound = errors.New("message_not_found")
	errThreadNotFound  = errors.New("thread_not_found")
	errInvalidBlocks   = errors.New("invalid_blocks")
	errFileNotFound    = errors.New("file_not_found")
	errNotStreaming    = errors.New("message_not_in_streaming_state")
	errUserNotFound    = errors.New("user_not_found")
)

// behaviour is a built-in method. It runs with the server locked.
type behaviour func(*Server, fakekit.Call) (fakekit.Object, error)

// behaviours returns the built-in methods by name. Other known methods answer
// {"ok":true}.
func behaviours() map[string]behaviour {
	return map[string]behaviour{
		"auth.test":                             (*Server).authTest,
		"apps.connections.open":                 (*Server).openConnection,
		"team.info":                             teamInfo,
		"bots.info":                             botInfo,
		"users.info":                            (*Server).usersInfo,
		"users.list":                            (*Server).usersList,
		"users.lookupByEmail":                   (*Server).lookupByEmail,
		"conversations.info":                    (*Server).conversationInfo,
		"conversations.list":                    (*Server).conversationList,
		"users.conversations":                   (*Server).conversationList,
		"conversations.members":                 (*Server).members,
		"conversations.history":                 (*Server).history,
		"conversations.replies":                 (*Server).history,
		"conversations.open":                    (*Server).openDM,
		"conversations.join":                    (*Server).join,
		"conversations.create":                  (*Server).createChannel,
		"chat.postMessage":                      (*Server).postMessage,
		"chat.postEphemeral":                    (*Server).postEphemeral,
		"chat.meMessage":                        (*Server).postMessage,
		"chat.update":                           (*Server).updateMessage,
		"chat.delete":                           (*Server).deleteMessage,
		"chat.getPermalink":                     (*Server).permalink,
		"chat.startStream":                      (*Server).startStream,
		"chat.appendStream":                     (*Server).appendStream,
		"chat.stopStream":                       (*Server).stopStream,
		"reactions.add":                         (*Server).react,
		"reactions.remove":                      (*Server).react,
		"files.getUploadURLExternal":            (*Server).uploadURL,
		"files.completeUploadExternal":          (*Server).completeUpload,
		"files.info":                            (*Server).fileInfo,
		"files.delete":                          (*Server).deleteFile,
		"views.open":                            (*Server).openView,
		"views.push":                            (*Server).openView,
		"views.update":                          (*Server).updateView,
		"views.publish":                         (*Server).publishView,
		"assistant.threads.setStatus":           (*Server).setStatus,
		"assistant.threads.setTitle":            (*Server).assistantThread,
		"assistant.threads.setSuggestedPrompts": (*Server).assistantThread,
	}
}

func (s *Server) authTest(fakekit.Call) (fakekit.Object, error) {
	out := fakekit.Object{
		"url": "https://fake.slack.com/", "team": "Fake", "user": "fakebot", "team_id": TeamID, "user_id": BotUserID,
		"bot_id": BotID, "is_enterprise_install": s.opts.enterpriseID != "",
	}
	if s.opts.enterpriseID != "" {
		out["enterprise_id"] = s.opts.enterpriseID
	}
	return out, nil
}

func teamInfo(*Server, fakekit.Call) (fakekit.Object, error) {
	return fakekit.Object{"team": fakekit.Object{"id": TeamID, "name": "Fake", "domain": "fake"}}, nil
}

func botInfo(*Server, fakekit.Call) (fakekit.Object, error) {
	return fakekit.Object{"bot": fakekit.Object{
		"id": BotID, "app_id": AppID, "user_id": BotUserID, "name": "fakebot", "deleted": false,
	}}, nil
}

func (s *Server) usersInfo(call fakekit.Call) (fakekit.Object, error) {
	u := s.users[call.String("user")]
	if u == nil {
		return nil, errUserNotFound
	}
	return fakekit.Object{"user": u}, nil
}

func (s *Server) usersList(fakekit.Call) (fakekit.Object, error) {
	var list []any
	for _, id := range slices.Sorted(maps.Keys(s.users)) {
		list = append(list, s.users[id])
	}
	return fakekit.Object{
		"members": list, "cache_ts": time.Now().Unix(), "response_metadata": fakekit.Object{"next_cursor": ""},
	}, nil
}

func (s *Server) lookupByEmail(call fakekit.Call) (fakekit.Object, error) {
	for _, u := range s.users {
		if u["profile"].(fakekit.Object)["email"] == call.String("email") {
			return fakekit.Object{"user": u}, nil
		}
	}
	return nil, errors.New("users_not_found")
}
