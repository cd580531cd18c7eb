package telegramfake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// method is a built-in behaviour. It runs with the server locked.
type method func(*Server, fakekit.Call) (any, error)

// methods returns the built-in behaviours by name.
func methods() map[string]method {
	return map[string]method{
		"getMe":                  func(s *Server, _ fakekit.Call) (any, error) { return s.Bot, nil },
		"setWebhook":             (*Server).setWebhook,
		"deleteWebhook":          (*Server).deleteWebhook,
		"getWebhookInfo":         (*Server).getWebhookInfo,
		"sendMessage":            (*Server).sendAny,
		"sendMediaGroup":         (*Server).sendMediaGroup,
		"sendMessageDraft":       (*Server).sendDraft,
		"sendChatAction":         (*Server).sendChatAction,
		"forwardMessage":         (*Server).forward,
		"copyMessage":            (*Server).copyMessage,
		"editMessageText":        (*Server).edit,
		"editMessageCaption":     (*Server).edit,
		"editMessageReplyMarkup": (*Server).edit,
		"deleteMessage":          (*Server).deleteMessages,
		"deleteMessages":         (*Server).deleteMessages,
		"setMessageReaction":     (*Server).setReaction,
		"pinChatMessage":         (*Server).pin,
		"answerCallbackQuery":    (*Server).answerCallback,
		"setMyCommands":          (*Server).setCommands,
		"getMyCommands":          (*Server).getCommands,
		"deleteMyCommands":       (*Server).deleteCommands,
		"getFile":                (*Server).getFile,
		"getChat":                (*Server).getChat,
		"getChatMember":          (*Server).getChatMember,
		"getChatAdministrators": func(s *Server, call fakekit.Call) (any, error) {
			if _, err := s.chat(call); err != nil {
				return nil, err
			}
			return []any{s.admin()}, nil
		},
		"getChatMemberCount": func(s *Server, call fakekit.Call) (any, error) {
			_, err := s.chat(call)
			return 3, orNil(err)
		},
		"createForumTopic":           (*Server).createForumTopic,
		"editForumTopic":             (*Server).changeTopic,
		"closeForumTopic":            (*Server).changeTopic,
		"reopenForumTopic":           (*Server).changeTopic,
		"deleteForumTopic":           (*Server).changeTopic,
		"unpinAllForumTopicMessages": (*Server).changeTopic,
		"editGeneralForumTopic":      (*Server).changeTopic,
		"closeGeneralForumTopic":     (*Server).changeTopic,
		"reopenGeneralForumTopic":    (*Server).changeTopic,
		"hideGeneralForumTopic":      (*Server).changeTopic,
		"unhideGeneralForumTopic":    (*Server).changeTopic,
		"getForumTopicIconStickers":  func(*Server, fakekit.Call) (any, error) { return []any{}, nil },
	}
}

// chat returns the chat that a call addresses, if the bot may write to it.
func (s *Server) chat(call fakekit.Call) (*chat, *Error) {
	id := call.String("chat_id")
	if id == "" {
		return nil, badRequest("chat_id is empty")
	}
	var c *chat
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		c = s.chats[n]
	} else if name, ok := strings.CutPrefix(id, "@"); ok {
		for _, candidate := range s.chats {
			if candidate.info["username"] == name {
				c = candidate
			}
		}
	}
	switch {
	case c == nil:
		return nil, badRequest("chat not found")
	case c.migratedTo != 0:
		e := badRequest("group chat was upgraded to a supergroup chat")
		e.MigrateTo = c.migratedTo
		return nil, e
	case c.blocked && c.kind() == "private":
		return nil, &Error{Code: http.StatusForbidden, Description: "Forbidden: bot was blocked by the user"}
	case c.blocked:
		description := "Forbidden: bot was kicked from the " + c.kind() + " chat"
		return nil, &Error{Code: http.StatusForbidden, Description: description}
	}
	return c, nil
}

func (s *Server) sendChatAction(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	// The General topic's id is accepted here, other than in send methods.
	if id := int(call.Int("message_thread_id")); id > GeneralTopic && c.hasTopics() {
		if t := c.topics[id]; t == nil || t.deleted {
			return nil, badRequest("message thread not found")
		}
	}
	return true, nil
}

func (s *Server) setReaction(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	if c.messages[id] == nil {
		return nil, badRequest("message to react not found")
	}
	var reaction []any
	if call.Has("reaction") {
		if err := call.JSON("reaction", &reaction); err != nil {
			return nil, badRequest("can't parse reaction types JSON object")
		}
	}
	if len(reaction) > 1 {
		return nil, badRequest("REACTIONS_TOO_MANY")
	}
	c.reactions[id] = reaction
	return true, nil
}

func (s *Server) pin(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	if c.messages[id] == nil {
		return nil, badRequest("message to pin not found")
	}
	c.pinned = append(c.pinned, id)
	return true, nil
}

func (s *Server) answerCallback(call fakekit.Call) (any, error) {
	id := call.String("callback_query_id")
	if !s.callbacks[id] {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	delete(s.callbacks, id)
	return true, nil
}

// UnansweredCallbacks returns the ids of callback queries that the bot has
// not answered; clients show a progress bar on their buttons.
func (s *Server) UnansweredCallbacks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.callbacks))
}

func commandKey(call fakekit.Call) string {
	return call.String("scope") + "|" + call.String("language_code")
}

func (s *Server) setCommands(call fakekit.Call) (any, error) {
	var commands []any
	if err := call.JSON("commands", &commands); err != nil {
		return nil, badRequest("can't parse commands JSON object")
	}
	s.commands[commandKey(call)] = commands
	return true, nil
}

func (s *Server) getCommands(call fakekit.Call) (any, error) {
	if c := s.commands[commandKey(call)]; c != nil {
		return c, nil
	}
	return []any{}, nil
}

func (s *Server) deleteCommands(call fakekit.Call) (any, error) {
	delete(s.commands, commandKey(call))
	return true, nil
}

func (s *Server) getChat(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	info := maps.Clone(c.info)
	info["accent_color_id"], info["max_reaction_count"] = 0, 11
	info["accepted_gift_types"] = fakekit.Object{
		"unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false, "premium_subscription": false,
		"gifts_from_channels": false,
	}
	return info, nil
}

func (s *Server) getChatMember(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	if call.String("user_id") == fakekit.Text(s.Bot["id"]) {
		if c.noRights {
			return fakekit.Object{"status": "member", "user": s.Bot}, nil
		}
		return s.admin(), nil
	}
	return fakekit.Object{"status": "member", "user": User(call.Int("user_id"), "User", "")}, nil
}
