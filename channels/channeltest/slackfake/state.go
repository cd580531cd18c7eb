package slackfake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

type conversation struct {
	ID, Name, Kind string // Kind is channel, group, im or mpim
	User           string // the other party of an im
	Member         bool
	Archived       bool
	Team           string // empty for the app's own
	messages       []fakekit.Object
	whispers       []whisper
	reactions      map[string]bool
}

// whisper is a message that one user alone sees.
type whisper struct {
	user    string
	message fakekit.Object
}

func (c *conversation) team() string { return cmp.Or(c.Team, TeamID) }

func (c *conversation) find(ts string) int {
	return slices.IndexFunc(c.messages, func(m fakekit.Object) bool { return m["ts"] == ts })
}

func (c *conversation) object() fakekit.Object {
	o := fakekit.Object{
		"id": c.ID, "name": c.Name, "name_normalized": c.Name, "is_channel": c.Kind == "channel",
		"is_group": c.Kind == "group", "is_im": c.Kind == "im",
		"is_mpim": c.Kind == "mpim", "is_private": c.Kind != "channel", "is_archived": c.Archived, "is_member": c.Member,
		"created":         1700000000,
		"context_team_id": c.team(),
	}
	if c.User != "" {
		o["user"] = c.User
	}
	return o
}

// AddUser adds a member of the workspace.
func (s *Server) AddUser(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addUser(id, name)
}

func (s *Server) addUser(id, name string) {
	s.users[id] = fakekit.Object{
		"id": id, "team_id": TeamID, "name": name, "real_name": name, "deleted": false, "is_bot": false, "tz": "Etc/UTC",
		"profile": fakekit.Object{"real_name": name, "display_name": name, "email": name + "@example.com"},
	}
}

// AddChannel adds a public channel (C…) or private one (G…) with the bot in it.
func (s *Server) AddChannel(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "channel"
	if strings.HasPrefix(id, "G") {
		kind = "group"
	}
	s.channels[id] = &conversation{ID: id, Name: name, Kind: kind, Member: true, reactions: map[string]bool{}}
}

// AddDM adds the direct message channel (D…) with a user.
func (s *Server) AddDM(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[id] = &conversation{ID: id, Kind: "im", User: user, Member: true, reactions: map[string]bool{}}
}

// SetMember puts the bot into a channel or out of it.
func (s *Server) SetMember(channel string, member bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		c.Member = member
	}
}

// SetTeam puts a channel into another team of the organisation; see [WithEnterprise].
func (s *Server) SetTeam(channel, team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil {
		c.Team = team
	}
}

// Whispers returns what the app has shown to one user alone in a channel, oldest
// first: ephemeral messages, uses of response URLs and answers to commands.
func (s *Server) Whispers(channel, user string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []fakekit.Object
	if c := s.channels[channel]; c != nil {
		for _, w := range c.whispers {
			if w.user == user {
				out = append(out, maps.Clone(w.message))
			}
		}
	}
	return out
}

// Messages returns the messages of a channel, oldest first.
func (s *Server) Messages(channel string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []fakekit.Object
	if c := s.channels[channel]; c != nil {
		for _, m := range c.messages {
			out = append(out, maps.Clone(m))
		}
	}
	return out
}

// Home returns the view that the app has published to a user's App Home.
func (s *Server) Home(user string) fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.home[user]
}

// View returns a modal by its id, or the one last opened for "".
func (s *Server) View(id string) fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		id = s.lastView
	}
	return s.views[id]
}

// AssistantStatus returns the status that the app shows in a thread.
func (s *Server) AssistantStatus(channel, threadTS string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status[channel+threadTS]
}

func (s *Server) newID(prefix string) string {
	s.counter++
	return fmt.Sprintf("%s%010d", prefix, s.counter)
}

// newTS returns a unique message timestamp.
func (s *Server) newTS() string {
	s.lastTS = max(s.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}
