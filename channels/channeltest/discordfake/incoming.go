package discordfake

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Incoming describes a message that a user sends.
type Incoming struct {
	ChannelID string         `json:"channel_id"`
	Author    fakekit.Object `json:"author,omitempty"`
	Content   string         `json:"content"`
	ReplyTo   string         `json:"reply_to,omitempty"`
	// Files are attached by name and content.
	Files map[string]string `json:"files,omitempty"`
	// Extra fields are set on the message as they are.
	Extra fakekit.Object `json:"extra,omitempty"`
}

// SendMessage stores a user's message and sends MESSAGE_CREATE.
func (s *Server) SendMessage(in Incoming) (fakekit.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[in.ChannelID]
	if c == nil {
		return nil, fmt.Errorf("no channel %s", in.ChannelID)
	}
	author := in.Author
	if author == nil {
		author = User("80351110224678912", "nelly")
	}
	m := s.newMessage(c, author, in.Content, nil)
	if in.ReplyTo != "" {
		m["type"] = 19
		m["message_reference"] = fakekit.Object{"type": 0, "message_id": in.ReplyTo, "channel_id": c.id()}
		if i := c.index(in.ReplyTo); i >= 0 {
			m["referenced_message"] = maps.Clone(c.messages[i])
		}
	}
	var attachments []any
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		attachments = append(attachments, s.attach(c.id(), fakekit.File{
			Name: name, Data: []byte(in.Files[name]), Size: len(in.Files[name]),
		}))
	}
	m["attachments"] = orEmpty(attachments)
	maps.Copy(m, in.Extra)
	s.post(c, m)
	return maps.Clone(m), nil
}

// EditMessage changes a user's message and sends MESSAGE_UPDATE.
func (s *Server) EditMessage(channelID, messageID, content string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.index(messageID) < 0 {
		return fmt.Errorf("no message %s in channel %s", messageID, channelID)
	}
	s.replace(c, messageID, func(m fakekit.Object) { m["content"] = content })
	return nil
}

// DeleteMessage takes a message away, as its author or a moderator does, and sends MESSAGE_DELETE.
func (s *Server) DeleteMessage(channelID, messageID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.index(messageID) < 0 {
		return fmt.Errorf("no message %s in channel %s", messageID, channelID)
	}
	s.remove(c, messageID)
	return nil
}

// replace stores a changed copy of a message and sends MESSAGE_UPDATE.
func (s *Server) replace(c *channel, id string, change func(fakekit.Object)) fakekit.Object {
	i := c.index(id)
	m := maps.Clone(c.messages[i])
	change(m)
	m["edited_timestamp"] = stamp()
	c.messages[i] = m
	s.emit("MESSAGE_UPDATE", s.event(c, m), c.guild())
	return m
}

func (s *Server) attach(channelID string, f fakekit.File) fakekit.Object {
	id := s.newID()
	path := "/attachments/" + channelID + "/" + id + "/" + url.PathEscape(f.Name)
	s.attachments["/attachments/"+channelID+"/"+id+"/"+f.Name] = f.Data
	a := fakekit.Object{"id": id, "filename": f.Name, "size": f.Size, "url": s.URL + path, "proxy_url": s.URL + path}
	if f.ContentType != "" {
		a["content_type"] = f.ContentType
	}
	return a
}

// post appends a message to a channel and sends MESSAGE_CREATE.
func (s *Server) post(c *channel, m fakekit.Object) {
	c.messages = append(c.messages, m)
	c.info = maps.Clone(c.info)
	c.info["last_message_id"] = m["id"]
	s.emit("MESSAGE_CREATE", s.event(c, m), c.guild())
}

// event adds the fields that messages have in gateway events only.
func (s *Server) event(c *channel, m fakekit.Object) fakekit.Object {
	e := maps.Clone(m)
	if c.guild() != "" {
		e["guild_id"] = c.guild()
		if _, hook := m["webhook_id"]; !hook {
			e["member"] = fakekit.Object{"roles": []any{}, "joined_at": stamp(), "deaf": false, "mute": false, "flags": 0}
		}
	}
	return e
}

var (
	reUserMention = regexp.MustCompile(`<@!?(\d+)>`)
	reRoleMention = regexp.MustCompile(`<@&(\d+)>`)
)

// newMessage builds a message. allowed is allowed_mentions, nil for the
// default, in which every mention notifies.
func (s *Server) newMessage(c *channel, author fakekit.Object, content string, allowed any) fakekit.Object {
	m := fakekit.Object{
		"id": s.newID(), "channel_id": c.id(), "type": 0, "content": content, "author": author,
		"timestamp": stamp(), "edited_timestamp": nil, "tts": false, "pinned": false, "flags": 0,
		"embeds": []any{}, "attachments": []any{}, "components": []any{},
	}
	s.setMentions(m, content, allowed)
	return m
}

func (s *Server) setMentions(m fakekit.Object, content string, allowed any) {
	rules, given := allowed.(fakekit.Object)
	parse, _ := rules["parse"].([]any)
	may := func(kind, id string) bool {
		if !given || slices.Contains(parse, any(kind)) {
			return true
		}
		list, _ := rules[kind].([]any)
		return slices.Contains(list, any(id))
	}
	var users, roles []any
	for _, match := range reUserMention.FindAllStringSubmatch(content, -1) {
		if may("users", match[1]) {
			if match[1] == s.AppID() {
				users = append(users, s.Bot)
			} else {
				users = append(users, User(match[1], "user"+match[1]))
			}
		}
	}
	for _, match := range reRoleMention.FindAllStringSubmatch(content, -1) {
		if may("roles", match[1]) {
			roles = append(roles, match[1])
		}
	}
	everyone := strings.Contains(content, "@everyone") || strings.Contains(content, "@here")
	m["mentions"], m["mention_roles"] = orEmpty(users), orEmpty(roles)
	m["mention_everyone"] = everyone && may("everyone", "")
}
