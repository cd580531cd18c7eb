package slackfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Command describes the use of a slash command.
type Command struct {
	Channel string `json:"channel"`
	User    string `json:"user,omitempty"`
	Command string `json:"command"`
	Text    string `json:"text,omitempty"`
}

// UseCommand delivers a slash command and returns its response URL. The
// acknowledgement may carry a message.
func (s *Server) UseCommand(in Command) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[in.Channel]
	if c == nil {
		return "", fmt.Errorf("no channel %s", in.Channel)
	}
	user := s.user(in.User)
	name := c.Name
	if c.Kind == "im" {
		name = "directmessage"
	}
	respond := s.newResponseURL("commands", c.ID, "", user)
	payload := fakekit.Object{
		"token": "fake", "team_id": c.team(), "team_domain": "fake", "channel_id": c.ID, "channel_name": name,
		"user_id": user, "user_name": s.users[user]["name"], "command": in.Command, "text": in.Text, "api_app_id": AppID,
		"is_enterprise_install": fmt.Sprint(s.opts.enterpriseID != ""), "response_url": respond, "trigger_id": s.newTrigger(),
	}
	if s.opts.enterpriseID != "" {
		payload["enterprise_id"], payload["enterprise_name"] = s.opts.enterpriseID, "Fake Org"
	}
	s.deliver(kindCommand, payload, func(ack fakekit.Object) {
		if ack["response_type"] == "in_channel" {
			m := s.botMessage()
			if fill(m, ack) == nil {
				s.store(c, m)
			}
		} else if m := s.botMessage(); fill(m, ack) == nil {
			c.whispers = append(c.whispers, whisper{user, m})
		}
	})
	return respond, nil
}

// interaction returns the common part of an interaction payload.
func (s *Server) interaction(kind, user string) fakekit.Object {
	p := fakekit.Object{
		"type": kind, "api_app_id": AppID, "token": "fake", "trigger_id": s.newTrigger(),
		"team": fakekit.Object{"id": TeamID, "domain": "fake"},
		"user": fakekit.Object{
			"id": user, "username": s.users[user]["name"], "name": s.users[user]["name"], "team_id": TeamID,
		},
		"enterprise": nil, "is_enterprise_install": s.opts.enterpriseID != "",
	}
	if s.opts.enterpriseID != "" {
		p["enterprise"] = fakekit.Object{"id": s.opts.enterpriseID, "name": "Fake Org"}
	}
	return p
}

// Press delivers block_actions for an element of a message, and returns the
// response URL. value is the option chosen in a select or the text of an input.
func (s *Server) Press(channel, ts, actionID, user, value string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil || c.find(ts) < 0 {
		return "", fmt.Errorf("no message %s in channel %s", ts, channel)
	}
	m := c.messages[c.find(ts)]
	action := findAction(m["blocks"], actionID, value)
	if action == nil {
		return "", fmt.Errorf("message %s has no element %q", ts, actionID)
	}
	user = s.user(user)
	respond := s.newResponseURL("actions", channel, ts, user)
	p := s.interaction("block_actions", user)
	action["action_ts"] = s.newTS()
	p["actions"] = []any{action}
	p["channel"] = fakekit.Object{"id": c.ID, "name": c.Name}
	p["team"] = fakekit.Object{"id": c.team(), "domain": "fake"}
	p["message"] = m
	container := fakekit.Object{"type": "message", "message_ts": ts, "channel_id": c.ID, "is_ephemeral": false}
	if thread := m["thread_ts"]; thread != nil {
		container["thread_ts"] = thread
	}
	p["container"] = container
	p["state"] = fakekit.Object{"values": fakekit.Object{}}
	p["response_url"] = respond
	s.deliver(kindInteraction, p, nil)
	return respond, nil
}

// PressInView delivers block_actions for an element of a modal or, with the
// id "home", of a user's App Home.
func (s *Server) PressInView(viewID, actionID, user, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	user = s.user(user)
	view := s.views[viewID]
	if viewID == "home" {
		view = s.home[user]
	}
	if view == nil {
		return fmt.Errorf("no view %s", viewID)
	}
	action := findAction(view["blocks"], actionID, value)
	if action == nil {
		return fmt.Errorf("view %s has no element %q", viewID, actionID)
	}
	p := s.interaction("block_actions", user)
	p["actions"], p["view"] = []any{action}, view
	p["container"] = fakekit.Object{"type": "view", "view_id": view["id"]}
	s.deliver(kindInteraction, p, nil)
	return nil
}

// findAction returns the action payload for an element.
func findAction(v any, actionID, value string) fakekit.Object {
	blocks, _ := v.([]any)
	for _, b := range blocks {
		block, _ := b.(fakekit.Object)
		elements, _ := block["elements"].([]any)
		for _, candidate := range append(slices.Clone(elements), block["accessory"], block["element"]) {
			e, _ := candidate.(fakekit.Object)
			if e == nil || e["action_id"] != actionID {
				continue
			}
			action := fakekit.Object{"type": e["type"], "action_id": actionID, "block_id": block["block_id"]}
			switch typ := fakekit.Text(e["type"]); {
			case typ == "button":
				action["text"], action["value"] = e["text"], e["value"]
			case strings.HasSuffix(typ, "_select"), typ == "overflow", typ == "radio_buttons":
				action["selected_option"] = fakekit.Object{
					"text": fakekit.Object{"type": "plain_text", "text": value}, "value": value,
				}
			default:
				action["value"] = value
			}
			return action
		}
	}
	return nil
}

// Submit delivers view_submission for a modal. values are by block id and
// action id. What the acknowledgement says is done to the view: errors keep it
// open, update and push change it, and anything else closes it.
func (s *Server) Submit(viewID, user string, values map[string]map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	view := s.views[viewID]
	if view == nil {
		return fmt.Errorf("no view %s", viewID)
	}
	state := fakekit.Object{}
	for block, actions := range values {
		inner := fakekit.Object{}
		for action, value := range actions {
			inner[action] = fakekit.Object{"type": "plain_text_input", "value": value}
		}
		state[block] = inner
	}
	submitted := maps.Clone(view)
	submitted["state"] = fakekit.Object{"values": state}
	p := s.interaction("view_submission", s.user(user))
	p["view"], p["response_urls"] = submitted, []any{}
	s.deliver(kindInteraction, p, func(ack fakekit.Object) {
		next, _ := ack["view"].(fakekit.Object)
		switch fakekit.Text(ack["response_action"]) {
		case "errors":
		case "update":
			if next != nil {
				next["id"], next["hash"] = viewID, s.newTS()
				s.views[viewID] = next
			}
		case "push":
			if next != nil {
				s.keepView(next)
			}
		default:
			delete(s.views, viewID)
		}
	})
	return nil
}

// CloseView delivers view_closed if the modal asks for it.
func (s *Server) CloseView(viewID, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	view := s.views[viewID]
	if view == nil {
		return fmt.Errorf("no view %s", viewID)
	}
	delete(s.views, viewID)
	if view["notify_on_close"] == true {
		p := s.interaction("view_closed", s.user(user))
		p["view"], p["is_cleared"] = view, false
		s.deliver(kindInteraction, p, nil)
	}
	return nil
}
