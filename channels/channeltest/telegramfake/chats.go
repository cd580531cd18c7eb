package telegramfake

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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

func (c *chat) id() int64     { return c.info["id"].(int64) }
func (c *chat) kind() string  { return c.info["type"].(string) }
func (c *chat) isForum() bool { return c.info["is_forum"] == true }

// Chat describes a chat to add.
type Chat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"` // private, group, supergroup or channel
	Title     string `json:"title,omitempty"`
	Username  string `json:"username,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	// Forum turns on topics; Topics are those that exist from the start.
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
	added := &chat{info: info, messages: map[int]fakekit.Object{}, next: 1, topics: map[int]*Topic{}, noRights: c.NoTopicRights, reactions: map[int]any{}}
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
		added.messages[t.ID] = s.topicCreated(added, &topic, fakekit.Object{"id": int64(1), "is_bot": false, "first_name": "Owner"})
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
func (s *Server) Migrate(from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.chats[from]
	if old == nil {
		return
	}
	old.migratedTo = to
	info := maps.Clone(old.info)
	info["id"], info["type"] = to, "supergroup"
	s.chats[to] = &chat{info: info, messages: map[int]fakekit.Object{}, next: 1, topics: map[int]*Topic{}, reactions: map[int]any{}}
	m := s.newMessage(old, 0, systemUser)
	m["migrate_to_chat_id"] = to
	s.sendLocked(fakekit.Object{"message": m})
	m = s.newMessage(s.chats[to], 0, systemUser)
	m["migrate_from_chat_id"] = from
	s.sendLocked(fakekit.Object{"message": m})
}

var systemUser = fakekit.Object{"id": int64(1087968824), "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"}

// Block makes the chat answer that the bot was blocked or kicked.
func (s *Server) Block(chatID int64, blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[chatID]; c != nil {
		c.blocked = blocked
	}
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

// AddFile stores a file that the bot can fetch. A size above len(data) is
// reported but never sent, to test the download limit.
func (s *Server) AddFile(name string, data []byte, size int64) (fileID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addFileLocked(name, data, size)
}

func (s *Server) addFileLocked(name string, data []byte, size int64) string {
	s.nextFile++
	id := fmt.Sprintf("BQACAgFake%06d", s.nextFile)
	s.files[id] = &storedFile{path: fmt.Sprintf("documents/file_%d_%s", s.nextFile, strings.ReplaceAll(name, " ", "_")), data: data, size: max(size, int64(len(data)))}
	return id
}

// Incoming describes a message that a user sends.
type Incoming struct {
	ChatID int64 `json:"chat_id"`
	// ThreadID is the topic; 0 or [GeneralTopic] is General.
	ThreadID int `json:"thread_id,omitempty"`
	// CommentThread puts the message into a thread of replies that is not a
	// forum topic: message_thread_id without is_topic_message.
	CommentThread int            `json:"comment_thread,omitempty"`
	From          fakekit.Object `json:"from,omitempty"`
	Text          string         `json:"text,omitempty"`
	Caption       string         `json:"caption,omitempty"`
	ReplyTo       int            `json:"reply_to,omitempty"`
	// FileID attaches a document added with [Server.AddFile].
	FileID   string `json:"file_id,omitempty"`
	FileName string `json:"file_name,omitempty"`
	MimeType string `json:"mime_type,omitempty"`
	// MediaGroup makes the message part of an album.
	MediaGroup string `json:"media_group,omitempty"`
	// Extra fields are set on the message as they are.
	Extra fakekit.Object `json:"extra,omitempty"`
}

// User returns a User object.
func User(id int64, firstName, username string) fakekit.Object {
	u := fakekit.Object{"id": id, "is_bot": false, "first_name": firstName}
	if username != "" {
		u["username"] = username
	}
	return u
}

// SendMessage stores a user's message and queues the update for it, as
// "message" or, in a channel, "channel_post".
func (s *Server) SendMessage(in Incoming) (fakekit.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[in.ChatID]
	if c == nil {
		return nil, fmt.Errorf("no chat %d", in.ChatID)
	}
	from := in.From
	if from == nil {
		from = User(4242, "Ann", "ann")
	}
	m := s.newMessage(c, in.ThreadID, from)
	if c.kind() == "channel" {
		delete(m, "from")
		m["sender_chat"] = c.info
	}
	if in.CommentThread != 0 {
		m["message_thread_id"] = in.CommentThread
	}
	if in.Text != "" {
		m["text"] = in.Text
		if e := detectEntities(in.Text); len(e) > 0 {
			m["entities"] = e
		}
	}
	if in.Caption != "" {
		m["caption"] = in.Caption
	}
	if in.MediaGroup != "" {
		m["media_group_id"] = in.MediaGroup
	}
	if in.FileID != "" {
		f := s.files[in.FileID]
		if f == nil {
			return nil, fmt.Errorf("no file %q", in.FileID)
		}
		m["document"] = fakekit.Object{"file_id": in.FileID, "file_unique_id": "u" + in.FileID, "file_name": in.FileName, "mime_type": in.MimeType, "file_size": f.size}
	}
	switch {
	case in.ReplyTo != 0:
		target := c.messages[in.ReplyTo]
		if target == nil {
			return nil, fmt.Errorf("no message %d in chat %d", in.ReplyTo, in.ChatID)
		}
		m["reply_to_message"] = withoutReply(target)
	case m["is_topic_message"] == true && c.kind() == "supergroup":
		// Every message in a topic that is no reply refers to the
		// topic's first message.
		if root := c.messages[in.ThreadID]; root != nil {
			m["reply_to_message"] = withoutReply(root)
		}
	}
	for k, v := range in.Extra {
		m[k] = v
	}
	kind := "message"
	if c.kind() == "channel" {
		kind = "channel_post"
	}
	s.sendLocked(fakekit.Object{kind: m})
	return maps.Clone(m), nil
}

// EditMessage changes the text of a user's message and queues the
// edited_message update.
func (s *Server) EditMessage(chatID int64, messageID int, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil || c.messages[messageID] == nil {
		return fmt.Errorf("no message %d in chat %d", messageID, chatID)
	}
	m := maps.Clone(c.messages[messageID])
	m["text"], m["edit_date"] = text, time.Now().Unix()
	c.messages[messageID] = m
	s.sendLocked(fakekit.Object{"edited_message": m})
	return nil
}

// PressButton queues the callback query for an inline button and returns the
// id of the query. The button must exist on the message.
func (s *Server) PressButton(chatID int64, messageID int, data string, from fakekit.Object) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil || c.messages[messageID] == nil {
		return "", fmt.Errorf("no message %d in chat %d", messageID, chatID)
	}
	m := c.messages[messageID]
	if !hasButton(m["reply_markup"], data) {
		return "", fmt.Errorf("message %d has no button with data %q", messageID, data)
	}
	if from == nil {
		from = User(4242, "Ann", "ann")
	}
	s.nextQuery++
	id := strconv.Itoa(990000 + s.nextQuery)
	s.callbacks[id] = true
	s.sendLocked(fakekit.Object{"callback_query": fakekit.Object{
		"id": id, "from": from, "message": maps.Clone(m), "chat_instance": "instance" + strconv.FormatInt(chatID, 10), "data": data,
	}})
	return id, nil
}

func hasButton(markup any, data string) bool {
	obj, _ := markup.(fakekit.Object)
	rows, _ := obj["inline_keyboard"].([]any)
	for _, row := range rows {
		buttons, _ := row.([]any)
		for _, b := range buttons {
			if button, _ := b.(fakekit.Object); button["callback_data"] == data {
				return true
			}
		}
	}
	return false
}

// React queues a message_reaction update, which bots get only if they ask.
func (s *Server) React(chatID int64, messageID int, emoji string, from fakekit.Object) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil || c.messages[messageID] == nil {
		return fmt.Errorf("no message %d in chat %d", messageID, chatID)
	}
	if from == nil {
		from = User(4242, "Ann", "ann")
	}
	s.sendLocked(fakekit.Object{"message_reaction": fakekit.Object{
		"chat": c.info, "message_id": messageID, "user": from, "date": time.Now().Unix(),
		"old_reaction": []any{}, "new_reaction": []any{fakekit.Object{"type": "emoji", "emoji": emoji}},
	}})
	return nil
}

// CreateTopic makes a user create a topic and queues its service message.
func (s *Server) CreateTopic(chatID int64, name string, from fakekit.Object) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chatID]
	if c == nil || !c.isForum() {
		return 0, fmt.Errorf("chat %d is not a forum", chatID)
	}
	if from == nil {
		from = User(4242, "Ann", "ann")
	}
	t := s.createTopic(c, name, defaultIconColor, from)
	s.sendLocked(fakekit.Object{"message": maps.Clone(c.messages[t.ID])})
	return t.ID, nil
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

// newMessage stores an empty message in a chat.
func (s *Server) newMessage(c *chat, thread int, from fakekit.Object) fakekit.Object {
	m := fakekit.Object{"message_id": c.next, "date": time.Now().Unix(), "chat": c.info, "from": from}
	if thread > GeneralTopic && (c.isForum() || c.kind() == "private") {
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
