package discordfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// interaction is one that was sent to the bot.
type interaction struct {
	id, token string
	channel   *channel
	user      fakekit.Object
	source    string // id of the message with the component, if any
	created   time.Time
	timer     *time.Timer
	answered  bool
	deferred  bool // an answer is promised but not there yet
	expired   bool
	original  string                    // id of the answer
	ephemeral map[string]fakekit.Object // answers that are not in the channel
	modal     fakekit.Object
}

// Interaction types.
const (
	typeCommand   = 2
	typeComponent = 3
	typeComplete  = 4
	typeModal     = 5
)

// Command describes the use of a slash command.
type Command struct {
	ChannelID string         `json:"channel_id"`
	User      fakekit.Object `json:"user,omitempty"`
	Name      string         `json:"name"`
	// Options are the command's options as they are in the interaction: name,
	// type and value, or nested options for a subcommand.
	Options []fakekit.Object `json:"options,omitempty"`
	// Autocomplete asks for choices instead of running the command.
	Autocomplete bool `json:"autocomplete,omitempty"`
}

// UseCommand sends the interaction for a registered slash command and returns
// its id.
func (s *Server) UseCommand(in Command) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[in.ChannelID]
	if c == nil {
		return "", fmt.Errorf("no channel %s", in.ChannelID)
	}
	registered := append(slices.Clone(s.commands[c.guild()]), s.commands[""]...)
	i := slices.IndexFunc(registered, func(cmd fakekit.Object) bool { return cmd["name"] == in.Name })
	if i < 0 {
		return "", fmt.Errorf("command %q is not registered", in.Name)
	}
	kind := typeCommand
	if in.Autocomplete {
		kind = typeComplete
	}
	data := fakekit.Object{"id": registered[i]["id"], "name": in.Name, "type": 1}
	if len(in.Options) > 0 {
		data["options"] = in.Options
	}
	if g := c.guild(); g != "" && registered[i]["guild_id"] != nil {
		data["guild_id"] = g
	}
	return s.interact(c, kind, in.User, data, nil).id, nil
}

// UseMessageCommand sends the interaction for a registered command of a message's menu and returns its id.
func (s *Server) UseMessageCommand(channelID, messageID, name string, user fakekit.Object) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.index(messageID) < 0 {
		return "", fmt.Errorf("no message %s in channel %s", messageID, channelID)
	}
	const ofMessages = 3
	registered := append(slices.Clone(s.commands[c.guild()]), s.commands[""]...)
	i := slices.IndexFunc(registered, func(cmd fakekit.Object) bool {
		return cmd["name"] == name && fakekit.Text(cmd["type"]) == fakekit.Text(ofMessages)
	})
	if i < 0 {
		return "", fmt.Errorf("message command %q is not registered", name)
	}
	return s.interact(c, typeCommand, user, fakekit.Object{
		"id": registered[i]["id"], "name": name, "type": ofMessages, "target_id": messageID,
		"resolved": fakekit.Object{"messages": fakekit.Object{messageID: c.messages[c.index(messageID)]}},
	}, nil).id, nil
}

// PressComponent sends the interaction for a button or a select menu and
// returns its id. The component must exist on the message.
func (s *Server) PressComponent(
	channelID, messageID, customID string, user fakekit.Object, values ...string,
) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.index(messageID) < 0 {
		return "", fmt.Errorf("no message %s in channel %s", messageID, channelID)
	}
	m := c.messages[c.index(messageID)]
	component := findComponent(m["components"], customID)
	if component == nil {
		return "", fmt.Errorf("message %s has no component %q", messageID, customID)
	}
	data := fakekit.Object{"custom_id": customID, "component_type": component["type"], "id": component["id"]}
	if len(values) > 0 {
		data["values"] = values
	}
	return s.interact(c, typeComponent, user, data, m).id, nil
}

func findComponent(v any, customID string) fakekit.Object {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if found := findComponent(item, customID); found != nil {
				return found
			}
		}
	case fakekit.Object:
		if v["custom_id"] == customID {
			return v
		}
		for _, k := range []string{"components", "accessory", "component"} {
			if found := findComponent(v[k], customID); found != nil {
				return found
			}
		}
	}
	return nil
}

// SubmitModal sends the interaction for a modal that the bot has opened in
// answer to another one. values are by custom id.
func (s *Server) SubmitModal(interactionID string, values map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var opened *interaction
	for _, in := range s.interactions {
		if in.id == interactionID && in.modal != nil {
			opened = in
		}
	}
	if opened == nil {
		return "", fmt.Errorf("interaction %s opened no modal", interactionID)
	}
	var rows []any
	for _, id := range slices.Sorted(maps.Keys(values)) {
		if findComponent(opened.modal["components"], id) == nil {
			return "", fmt.Errorf("the modal has no component %q", id)
		}
		rows = append(rows, fakekit.Object{
			"type": 1, "components": []any{fakekit.Object{"type": 4, "custom_id": id, "value": values[id]}},
		})
	}
	data := fakekit.Object{"custom_id": opened.modal["custom_id"], "components": rows}
	var source fakekit.Object // forms that a component opened tell its message
	if i := opened.channel.index(opened.source); i >= 0 {
		source = opened.channel.messages[i]
	}
	return s.interact(opened.channel, typeModal, opened.user, data, source).id, nil
}

func (s *Server) interact(c *channel, kind int, user, data, message fakekit.Object) *interaction {
	if user == nil {
		user = User("80351110224678912", "nelly")
	}
	in := &interaction{
		id: s.newID(), token: "interaction-token-" + s.newID(), channel: c, user: user, created: time.Now(),
		ephemeral: map[string]fakekit.Object{},
	}
	event := fakekit.Object{
		"id": in.id, "application_id": s.AppID(), "type": kind, "data": data, "channel_id": c.id(), "channel": c.info,
		"token": in.token, "version": 1,
		"app_permissions": "8", "locale": "en-US", "entitlements": []any{},
		"authorizing_integration_owners": fakekit.Object{"0": c.guild()}, "context": 0,
		"attachment_size_limit": MaxFile,
	}
	if g := c.guild(); g != "" {
		event["guild_id"], event["guild_locale"] = g, "en-US"
		event["member"] = fakekit.Object{
			"user": user, "roles": []any{}, "joined_at": stamp(), "deaf": false, "mute": false, "permissions": "8", "flags": 0,
		}
	} else {
		event["user"], event["context"] = user, 1
	}
	if message != nil {
		event["message"] = message
		in.source = message["id"].(string)
	}
	s.interactions[in.token] = in
	in.timer = time.AfterFunc(s.opts.ackTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !in.answered && !s.closed {
			in.expired = true
			s.Violate("INTERACTION_CREATE", "interaction %s was not answered within %v", in.id, s.opts.ackTimeout)
		}
	})
	s.emit("INTERACTION_CREATE", event, c.guild())
	return in
}

// Ephemeral returns the messages of an interaction that only its user sees.
func (s *Server) Ephemeral(interactionID string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []fakekit.Object
	for _, in := range s.interactions {
		if in.id == interactionID {
			for _, id := range slices.Sorted(maps.Keys(in.ephemeral)) {
				out = append(out, maps.Clone(in.ephemeral[id]))
			}
		}
	}
	return out
}

// Private returns the messages in a channel that only one user sees, oldest first.
func (s *Server) Private(channelID, userID string) []fakekit.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []fakekit.Object
	for _, in := range s.interactions {
		if in.channel.id() != channelID || in.user["id"] != userID {
			continue
		}
		for _, m := range in.ephemeral {
			out = append(out, maps.Clone(m))
		}
	}
	slices.SortFunc(out, func(a, b fakekit.Object) int {
		return strings.Compare(fakekit.Text(a["id"]), fakekit.Text(b["id"]))
	})
	return out
}
