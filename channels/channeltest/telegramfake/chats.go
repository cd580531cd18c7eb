package telegramfake

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

type chat struct {
	info       fakekit.Object
	messages   map[int]fakekit.Object
	next       int
	topics     map[int]*Topic
	migratedTo int64
	blocked    bool
	noRights   bool
	pinned     []int
	reactions  map[int]any
}

func (c *chat) kind() string { return c.info["type"].(string) }

func (c *chat) isForum() bool { return c.info["is_forum"] == true }

// hasTopics reports whether message_thread_id means something in the chat.
func (c *chat) hasTopics() bool { return c.isForum() || c.kind() == "private" }

func newChat(info fakekit.Object) *chat {
	return &chat{
		info: info, messages: map[int]fakekit.Object{}, next: 1, topics: map[int]*Topic{}, reactions: map[int]any{},
	}
}

// Chat describes a chat to add.
type Chat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"` // private, group, supergroup or channel
	Title     string `json:"title,omitempty"`
	Username  string `json:"username,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	// Forum turns on topics; Topics are those that exist from the start. A
	// private chat can have topics without being a forum.
	Forum  bool    `json:"forum,omitempty"`
	Topics []Topic `json:"topics,omitempty"`
	// NoTopicRights takes the right to manage topics from the bot.
	NoTopicRights bool `json:"no_topic_rights,omitempty"`
}

// AddChat creates or replaces a chat.
func (s *Server) AddChat(c Chat) {
	info := fakekit.Object{"id": c.ID, "type": c.Type}
	for k, v := range map[string]string{"title": c.Title, "username": c.Username, "first_name": c.FirstName} {
		if v != "" {
			info[k] = v
		}
	}
	added := newChat(info)
	added.noRights = c.NoTopicRights
	if c.Forum {
		info["is_forum"] = true
		added.topics[GeneralTopic] = &Topic{ID: GeneralTopic, Name: "General", IconColor: defaultIconColor}
		added.next = 2
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[c.ID] = added
	for _, t := range c.Topics {
		topic := t
		if topic.IconColor == 0 {
			topic.IconColor = defaultIconColor
		}
		added.topics[t.ID] = &topic
		added.next = max(added.next, t.ID+1)
		added.messages[t.ID] = s.topicCreated(added, &topic, User(1, "Owner", ""))
	}
}

// AddForum adds a supergroup with topics.
func (s *Server) AddForum(id int64, title string, topics ...Topic) {
	s.AddChat(Chat{ID: id, Type: "supergroup", Title: title, Forum: true, Topics: topics})
}

// AddUser adds the private chat with a user.
func (s *Server) AddUser(id int64, firstName, username string) {
	s.AddChat(Chat{ID: id, Type: "private", FirstName: firstName, Username: username})
}

// Migrate turns a group into a supergroup with a new id. Requests that use
// the old id fail and tell the new one, and the bot is sent the two service
// messages.
func (s *Server) Migrate(from, to int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.chats[from]
	if old == nil {
		return fmt.Errorf("no chat %d", from)
	}
	old.migratedTo = to
	info := maps.Clone(old.info)
	info["id"], info["type"] = to, "supergroup"
	s.chats[to] = newChat(info)
	system := fakekit.Object{
		"id": int64(1087968824), "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot",
	}
	m := s.newMessage(old, 0, system)
	m["migrate_to_chat_id"] = to
	s.sendLocked(fakekit.Object{"message": m})
	m = s.newMessage(s.chats[to], 0, system)
	m["migrate_from_chat_id"] = from
	s.sendLocked(fakekit.Object{"message": m})
	return nil
}

// Block makes the chat answer that the bot was blocked or kicked, or ends that.
func (s *Server) Block(chatID int64, blocked bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil {
		return fmt.Errorf("no chat %d", chatID)
	}
	c.blocked = blocked
	return nil
}

// Messages returns the messages of a chat in order.
func (s *Server) Messages(chatID int64) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil {
		return nil
	}
	var out []fakekit.Object
	for _, id := range slices.Sorted(maps.Keys(c.messages)) {
		out = append(out, maps.Clone(c.messages[id]))
	}
	return out
}

// newMessage stores an empty message in a chat.
func (s *Server) newMessage(c *chat, thread int, from fakekit.Object) fakekit.Object {
	m := fakekit.Object{"message_id": c.next, "date": time.Now().Unix(), "chat": c.info, "from": from}
	if thread > GeneralTopic && c.hasTopics() {
		m["message_thread_id"], m["is_topic_message"] = thread, true
	}
	c.messages[c.next] = m
	c.next++
	return m
}

func withoutReply(m fakekit.Object) fakekit.Object {
	m = maps.Clone(m)
	delete(m, "reply_to_message")
	return m
}
