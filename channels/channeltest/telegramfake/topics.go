package telegramfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// GeneralTopic is the id of the General topic of a forum. Messages in it carry
// no message_thread_id, and sending with this id fails.
const GeneralTopic = 1

const defaultIconColor = 7322096

// Topic is a forum topic.
type Topic struct {
	ID        int    `json:"id"`
	Name      string `json:"name"`
	IconColor int    `json:"icon_color,omitempty"`
	Closed    bool   `json:"closed,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"`
	deleted   bool
}

// Topics returns the topics of a forum, ordered by id.
func (s *Server) Topics(chatID int64) []Topic {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil {
		return nil
	}
	var out []Topic
	for _, id := range slices.Sorted(maps.Keys(c.topics)) {
		if !c.topics[id].deleted {
			out = append(out, *c.topics[id])
		}
	}
	return out
}

// CreateTopic makes a user create a topic and queues its service message.
func (s *Server) CreateTopic(chatID int64, name string, from fakekit.Object) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil || !c.hasTopics() {
		return 0, fmt.Errorf("chat %d has no topics", chatID)
	}
	t := s.createTopic(c, name, defaultIconColor, orAnn(from))
	s.sendLocked(fakekit.Object{"message": maps.Clone(c.messages[t.ID])})
	return t.ID, nil
}

// topicLocked finds a topic that a user acts on.
func (s *Server) topicLocked(chatID int64, topicID int) (*chat, *Topic, error) {
	c := s.chats[chatID]
	if c == nil || c.topics[topicID] == nil || c.topics[topicID].deleted {
		return nil, nil, fmt.Errorf("no topic %d in chat %d", topicID, chatID)
	}
	return c, c.topics[topicID], nil
}

// CloseTopic makes a user close a topic, or reopen it, and queues the service
// message. Sending into a closed topic fails.
func (s *Server) CloseTopic(chatID int64, topicID int, closed bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, t, err := s.topicLocked(chatID, topicID)
	if err != nil {
		return err
	}
	t.Closed = closed
	service := "forum_topic_reopened"
	if closed {
		service = "forum_topic_closed"
	}
	m := s.newMessage(c, topicID, orAnn(nil))
	m[service] = fakekit.Object{}
	s.sendLocked(fakekit.Object{"message": maps.Clone(m)})
	return nil
}

// RenameTopic makes a user rename a topic, and queues the service message.
func (s *Server) RenameTopic(chatID int64, topicID int, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, t, err := s.topicLocked(chatID, topicID)
	if err != nil {
		return err
	}
	t.Name = name
	m := s.newMessage(c, topicID, orAnn(nil))
	m["forum_topic_edited"] = fakekit.Object{"name": name}
	s.sendLocked(fakekit.Object{"message": maps.Clone(m)})
	return nil
}

// DeleteTopic makes a user delete a topic with its messages, of which bots are
// not told. Sending into it fails.
func (s *Server) DeleteTopic(chatID int64, topicID int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, t, err := s.topicLocked(chatID, topicID)
	if err != nil {
		return err
	}
	c.deleteTopic(t)
	return nil
}

func (c *chat) deleteTopic(t *Topic) {
	t.deleted = true
	maps.DeleteFunc(c.messages, func(_ int, m fakekit.Object) bool { return m["message_thread_id"] == t.ID })
}

func (s *Server) createTopic(c *chat, name string, color int, from fakekit.Object) *Topic {
	t := &Topic{ID: c.next, Name: name, IconColor: color}
	c.next++
	c.topics[t.ID] = t
	c.messages[t.ID] = s.topicCreated(c, t, from)
	return t
}

func (s *Server) topicCreated(c *chat, t *Topic, from fakekit.Object) fakekit.Object {
	return fakekit.Object{
		"message_id": t.ID, "date": time.Now().Unix(), "chat": c.info, "from": from,
		"message_thread_id": t.ID, "is_topic_message": true,
		"forum_topic_created": fakekit.Object{"name": t.Name, "icon_color": t.IconColor},
	}
}

func (s *Server) forum(call fakekit.Call) (*chat, *Error) {
	c, err := s.chat(call)
	if err != nil {
		return nil, err
	}
	if !c.hasTopics() {
		return nil, badRequest("the chat is not a forum")
	}
	if c.noRights {
		return nil, badRequest("not enough rights to create a topic")
	}
	return c, nil
}

func (s *Server) createForumTopic(call fakekit.Call) (any, error) {
	c, apiErr := s.forum(call)
	if apiErr != nil {
		return nil, apiErr
	}
	name := call.String("name")
	if strings.TrimSpace(name) == "" {
		return nil, badRequest("TOPIC_TITLE_EMPTY")
	}
	color := int(call.Int("icon_color"))
	if color == 0 {
		color = defaultIconColor
	}
	t := s.createTopic(c, name, color, s.Bot)
	return fakekit.Object{"message_thread_id": t.ID, "name": t.Name, "icon_color": t.IconColor}, nil
}

func (s *Server) changeTopic(call fakekit.Call) (any, error) {
	c, apiErr := s.forum(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_thread_id"))
	if strings.Contains(call.Method, "General") {
		id = GeneralTopic
	}
	t := c.topics[id]
	if t == nil || t.deleted {
		return nil, badRequest("message thread not found")
	}
	verb := strings.TrimSuffix(strings.TrimSuffix(call.Method, "ForumTopic"), "General")
	unmodified := badRequest("TOPIC_NOT_MODIFIED")
	switch verb {
	case "edit":
		if name := call.String("name"); name != "" {
			t.Name = name
		}
	case "close":
		if t.Closed {
			return nil, unmodified
		}
		t.Closed = true
	case "reopen":
		if !t.Closed {
			return nil, unmodified
		}
		t.Closed = false
	case "hide":
		t.Hidden, t.Closed = true, true
	case "unhide":
		t.Hidden = false
	case "delete":
		c.deleteTopic(t)
	}
	return true, nil
}

// topic resolves message_thread_id for a method that sends messages.
func (c *chat) topic(call fakekit.Call) (int, *Error) {
	id := int(call.Int("message_thread_id"))
	if id == 0 {
		if c.isForum() && c.topics[GeneralTopic].Closed {
			return 0, badRequest("TOPIC_CLOSED")
		}
		return 0, nil
	}
	if !c.hasTopics() {
		return 0, nil // ignored outside of forums
	}
	t := c.topics[id]
	if id == GeneralTopic || t == nil || t.deleted {
		return 0, badRequest("message thread not found")
	}
	if t.Closed {
		return 0, badRequest("TOPIC_CLOSED")
	}
	return id, nil
}
