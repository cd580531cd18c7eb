package place

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

// Key names one thing that can be set for a place.
type Key string

// What can be set.
const (
	KeyAgent    Key = "agent"    // the name of the agent that answers
	KeyAnswer   Key = "answer"   // an Answer
	KeyWho      Key = "who"      // a Who
	KeyTools    Key = "tools"    // a ToolList
	KeyPrompt   Key = "prompt"   // instructions that are added to those of the agent
	KeySteering Key = "steering" // "steer" or "queue"
	KeyReply    Key = "reply"    // a Reply
	KeyModel    Key = "model"    // the name of the model that the agent asks
	KeyMute     Key = "mute"     // "on": only who names the bot is answered
	KeySkills   Key = "skills"   // a SkillList
)

// Keys lists all that can be set.
func Keys() []Key {
	return []Key{
		KeyAgent, KeyAnswer, KeyWho, KeyTools, KeyPrompt, KeySteering, KeyReply, KeyModel, KeyMute, KeySkills,
	}
}

// Reply is where an answer stands. Where a messenger can't do one of them, it does what comes nearest.
type Reply string

// Where answers stand. Where nothing is set each messenger does what its people are used to.
const (
	InThread Reply = "thread" // in the topic that answering a message opens
	Quoting  Reply = "quote"  // in the chat, as a reply to the message
	Plain    Reply = "plain"  // in the chat, as a message of its own
)

// Replies lists all.
func Replies() []string { return []string{string(InThread), string(Quoting), string(Plain)} }

// Setting is one value that is set for a channel, a chat or a topic: the parts of At that are empty mean all.
type Setting struct {
	At    channels.Conversation
	Key   Key
	Value string
	By    string    // who set it, for showing; empty for the configuration file
	When  time.Time // zero for the configuration file
	// Revision counts the changes of this setting; 0 is one that is not there.
	Revision int64
}

// Source says in a few words where a value comes from: "this topic, set by Ann on 3 Nov 14:05", "this chat,
// configuration file". Times are told in zone.
func (s *Setting) Source(zone *time.Location) string {
	if s == nil {
		return "default"
	}
	return s.where() + ", " + s.who(zone)
}

// where names the place of a setting.
func (s *Setting) where() string {
	switch depth(s.At) {
	case topicDepth:
		return "this topic"
	case chatDepth:
		return "this chat"
	case channelDepth:
		return "channel " + s.At.Channel
	}
	return "all channels"
}

// who says who set it and when.
func (s *Setting) who(zone *time.Location) string {
	if s.When.IsZero() {
		return "configuration file"
	}
	return fmt.Sprintf("set by %s on %s", strings.TrimSpace(s.By), s.When.In(zone).Format("2 Jan 15:04"))
}

// How narrow places are.
const (
	everyDepth = iota
	channelDepth
	chatDepth
	topicDepth
)

// depth is how narrow a place is.
func depth(c channels.Conversation) int {
	switch {
	case c.Topic != "":
		return topicDepth
	case c.Chat != "":
		return chatDepth
	case c.Channel != "":
		return channelDepth
	}
	return everyDepth
}

// holds tells whether what is set for a place counts in a conversation.
func holds(at, c channels.Conversation) bool {
	return (at.Channel == "" || at.Channel == c.Channel) && (at.Chat == "" || at.Chat == c.Chat) &&
		(at.Topic == "" || at.Topic == c.Topic)
}

// ToolList is what is set about tools. Its lists hold names of tools and groups, "group:web", "mcp:jira".
type ToolList struct {
	Limited bool     `json:"limited,omitempty"` // only Only
	Only    []string `json:"only,omitempty"`
	Deny    []string `json:"deny,omitempty"`
}

// String is the list in words.
func (l ToolList) String() string {
	var parts []string
	switch {
	case l.Limited && len(l.Only) == 0:
		parts = append(parts, "no tools")
	case l.Limited:
		parts = append(parts, "only "+strings.Join(l.Only, ", "))
	}
	if len(l.Deny) > 0 {
		parts = append(parts, "not "+strings.Join(l.Deny, ", "))
	}
	return cmp.Or(strings.Join(parts, "; "), "all tools")
}

// Encode is the list as the value of a setting.
func (l ToolList) Encode() string {
	data, _ := json.Marshal(l) // texts always can be
	return string(data)
}

// ReadTools is the list in the value of a setting. One that can't be read allows nothing.
func ReadTools(value string) ToolList {
	var l ToolList
	if json.Unmarshal([]byte(value), &l) != nil {
		return ToolList{Limited: true}
	}
	return l
}

// narrowestFirst orders settings.
func narrowestFirst(all []Setting) {
	slices.SortStableFunc(all, func(a, b Setting) int { return depth(b.At) - depth(a.At) })
}
