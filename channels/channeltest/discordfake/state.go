package discordfake

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// User returns a user object.
func User(id, name string) fakekit.Object {
	return fakekit.Object{
		"id": id, "username": name, "global_name": name, "discriminator": "0", "avatar": nil, "public_flags": 0, "flags": 0,
		"bot": false, "system": false, "primary_guild": nil,
	}
}

type guild struct {
	info    fakekit.Object
	members map[string]fakekit.Object
}

// Guild describes a guild to add.
type Guild struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Channels []Channel `json:"channels,omitempty"`
}

type channel struct {
	info     fakekit.Object
	messages []fakekit.Object
	readOnly bool
	members  map[string]bool
	nonces   map[string]fakekit.Object
}

func (c *channel) id() string { return fakekit.Text(c.info["id"]) }

func (c *channel) guild() string { return fakekit.Text(c.info["guild_id"]) }

func (c *channel) kind() int { return c.info["type"].(int) }

func (c *channel) isThread() bool {
	return c.kind() == PublicThread || c.kind() == PrivateThread || c.kind() == AnnouncementThread
}

func (c *channel) index(id string) int {
	return slices.IndexFunc(c.messages, func(m fakekit.Object) bool { return m["id"] == id })
}

// Channel types.
const (
	TextChannel        = 0
	DMChannel          = 1
	AnnouncementThread = 10
	PublicThread       = 11
	PrivateThread      = 12
	ForumChannel       = 15
)

// Channel describes a channel of a guild.
type Channel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type int    `json:"type"`
	// Topic is the channel's description.
	Topic string `json:"topic,omitempty"`
	// ReadOnly refuses the bot's messages with 50013.
	ReadOnly bool `json:"read_only,omitempty"`
	// Hidden keeps everyone who has no role from seeing it.
	Hidden bool `json:"hidden,omitempty"`
	// Shown lets a role see it, where everyone else sees nothing.
	Shown bool `json:"shown,omitempty"`
}

// longAgo is when the bot joined the guilds that are there before it connects.
const longAgo = "2020-01-01T00:00:00.000000+00:00"

// AddGuild adds a guild with channels and sends GUILD_CREATE to the sessions, to which it is one that the bot joins
// now.
func (s *Server) AddGuild(g Guild) {
	s.mu.Lock()
	defer s.mu.Unlock()
	joined := longAgo
	if len(s.sessions) > 0 {
		joined = stamp()
	}
	added := &guild{
		info: fakekit.Object{
			"id": g.ID, "name": g.Name, "owner_id": "1", "icon": nil, "preferred_locale": "en-US", "joined_at": joined,
		},
		members: map[string]fakekit.Object{},
	}
	s.guilds[g.ID] = added
	for _, c := range g.Channels {
		info := fakekit.Object{
			"id": c.ID, "type": c.Type, "guild_id": g.ID, "name": c.Name, "position": 0, "permission_overwrites": []any{},
			"nsfw":  false,
			"flags": 0, "parent_id": nil, "last_message_id": nil, "topic": nil,
		}
		if c.Topic != "" {
			info["topic"] = c.Topic
		}
		if c.Hidden {
			info["permission_overwrites"] = []any{fakekit.Object{"id": g.ID, "type": 0, "allow": "0", "deny": "1024"}}
		}
		if c.Shown {
			info["permission_overwrites"] = []any{fakekit.Object{"id": "77", "type": 0, "allow": "1024", "deny": "0"}}
		}
		s.channels[c.ID] = newChannel(info, c.ReadOnly)
	}
	s.emit("GUILD_CREATE", s.guildCreate(g.ID), "")
}

func newChannel(info fakekit.Object, readOnly bool) *channel {
	return &channel{info: info, readOnly: readOnly, members: map[string]bool{}, nonces: map[string]fakekit.Object{}}
}

func (s *Server) guildCreate(id string) fakekit.Object {
	g := maps.Clone(s.guilds[id].info)
	var channels, threads []any
	for _, cid := range slices.Sorted(maps.Keys(s.channels)) {
		c := s.channels[cid]
		switch {
		case c.guild() != id:
		case c.isThread():
			threads = append(threads, maps.Clone(c.info))
		default:
			channels = append(channels, maps.Clone(c.info))
		}
	}
	g["channels"], g["threads"] = orEmpty(channels), orEmpty(threads)
	g["members"] = []any{
		fakekit.Object{"user": s.Bot, "roles": []any{}, "joined_at": stamp(), "deaf": false, "mute": false, "flags": 0},
	}
	g["roles"] = []any{
		fakekit.Object{
			"id": id, "name": "@everyone", "color": 0, "hoist": false, "position": 0, "permissions": "8", "managed": false,
			"mentionable": false, "flags": 0,
		},
	}
	g["emojis"], g["presences"], g["voice_states"] = []any{}, []any{}, []any{}
	g["member_count"], g["large"], g["unavailable"] = 2, false, false
	return g
}

func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

func stamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// AddDM adds the direct message channel with a user.
func (s *Server) AddDM(channelID string, user fakekit.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addDM(channelID, user)
}

func (s *Server) addDM(channelID string, user fakekit.Object) *channel {
	c := newChannel(fakekit.Object{
		"id": channelID, "type": DMChannel, "last_message_id": nil, "flags": 0, "recipients": []any{user},
	}, false)
	s.channels[channelID] = c
	return c
}

// AddThread adds a thread that a user has opened and sends THREAD_CREATE.
func (s *Server) AddThread(parentID, id, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	parent := s.channels[parentID]
	if parent == nil {
		return fmt.Errorf("no channel %s", parentID)
	}
	c := s.newThread(parent, id, name, PublicThread, "1")
	s.emit("THREAD_CREATE", withNew(c.info), c.guild())
	return nil
}

func withNew(info fakekit.Object) fakekit.Object {
	info = maps.Clone(info)
	info["newly_created"] = true
	return info
}

func (s *Server) newThread(parent *channel, id, name string, kind int, owner string) *channel {
	c := newChannel(fakekit.Object{
		"id": id, "type": kind, "guild_id": parent.guild(), "parent_id": parent.id(), "owner_id": owner, "name": name,
		"flags":           0,
		"last_message_id": nil, "message_count": 0, "member_count": 1, "total_message_sent": 0, "rate_limit_per_user": 0,
		"thread_metadata": fakekit.Object{
			"archived": false, "auto_archive_duration": 1440, "archive_timestamp": stamp(), "locked": false,
			"create_timestamp": stamp(),
		},
	}, false)
	s.channels[id] = c
	return c
}

// ArchiveThread archives or locks a thread.
func (s *Server) ArchiveThread(id string, archived, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[id]; c != nil {
		c.info = maps.Clone(c.info)
		meta := maps.Clone(c.info["thread_metadata"].(fakekit.Object))
		meta["archived"], meta["locked"] = archived, locked
		c.info["thread_metadata"] = meta
		s.emit("THREAD_UPDATE", maps.Clone(c.info), c.guild())
	}
}

// Messages returns the messages of a channel, oldest first.
func (s *Server) Messages(channelID string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil {
		return nil
	}
	var out []fakekit.Object
	for _, m := range c.messages {
		out = append(out, maps.Clone(m))
	}
	return out
}

// Commands returns the registered commands of a guild, or the global ones for "".
func (s *Server) Commands(guildID string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands[guildID])
}
