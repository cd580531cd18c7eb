package slackfake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// subscribed reports whether the app gets an event, by its full name.
func (s *Server) subscribed(name string) bool {
	return s.opts.events == nil || slices.Contains(s.opts.events, name)
}

// emit delivers an event in its envelope and returns the event id.
func (s *Server) emit(event fakekit.Object) string {
	id := s.newID("Ev")
	enterprise := any(nil)
	if s.opts.enterpriseID != "" {
		enterprise = s.opts.enterpriseID
	}
	s.deliver(kindEvent, fakekit.Object{
		"token": "fake", "team_id": TeamID, "context_team_id": TeamID, "context_enterprise_id": enterprise, "api_app_id": AppID, "event": event,
		"type": "event_callback", "event_id": id, "event_time": time.Now().Unix(), "is_ext_shared_channel": false, "event_context": "fake-" + id,
		"authorizations": []any{fakekit.Object{
			"enterprise_id": enterprise, "team_id": TeamID, "user_id": BotUserID, "is_bot": true, "is_enterprise_install": s.opts.enterpriseID != "",
		}},
	}, nil)
	return id
}

// Event delivers an arbitrary event and returns its id.
func (s *Server) Event(event any) (string, error) {
	obj, err := fakekit.ToObject(event)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emit(obj), nil
}

var messageEvents = map[string]string{"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}

// emitMessage tells the app about a message: once as a message and, if it
// mentions the app, again as app_mention with an event id of its own.
func (s *Server) emitMessage(c *conversation, m fakekit.Object) {
	if !c.Member {
		return
	}
	event := maps.Clone(m)
	event["channel"], event["event_ts"], event["channel_type"] = c.ID, m["ts"], c.Kind
	if s.subscribed(messageEvents[c.Kind]) {
		s.emit(event)
	}
	if m["bot_id"] == nil && c.Kind != "im" && strings.Contains(fakekit.Text(m["text"]), "<@"+BotUserID+">") && s.subscribed("app_mention") {
		mention := maps.Clone(event)
		mention["type"] = "app_mention"
		delete(mention, "channel_type")
		delete(mention, "subtype")
		s.emit(mention)
	}
}

// emitChange tells the app about an edit or a deletion.
func (s *Server) emitChange(c *conversation, subtype string, m, old fakekit.Object) {
	if !c.Member || !s.subscribed(messageEvents[c.Kind]) {
		return
	}
	event := fakekit.Object{
		"type": "message", "subtype": subtype, "channel": c.ID, "channel_type": c.Kind, "hidden": true, "ts": s.newTS(), "event_ts": s.newTS(),
		"previous_message": old,
	}
	if m != nil {
		event["message"] = m
	} else {
		event["deleted_ts"] = old["ts"]
	}
	s.emit(event)
}

// Incoming describes a message that a user sends.
type Incoming struct {
	Channel  string `json:"channel"`
	User     string `json:"user,omitempty"`
	Text     string `json:"text"`
	ThreadTS string `json:"thread_ts,omitempty"`
	// Files are ids from [Server.AddFile].
	Files []string `json:"files,omitempty"`
	// Extra fields are set on the message as they are.
	Extra fakekit.Object `json:"extra,omitempty"`
}

const defaultUser = "U0FAKEUSER1"

// user returns the id of a user who acts, and adds the user if need be.
func (s *Server) user(id string) string {
	if id == "" {
		id = defaultUser
	}
	if s.users[id] == nil {
		s.addUser(id, strings.ToLower(id))
	}
	return id
}

// SendMessage stores a user's message, delivers the events for it, and
// returns its ts.
func (s *Server) SendMessage(in Incoming) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[in.Channel]
	if c == nil {
		return "", fmt.Errorf("no channel %s", in.Channel)
	}
	m := fakekit.Object{"type": "message", "user": s.user(in.User), "team": TeamID, "text": in.Text, "ts": s.newTS(), "client_msg_id": s.newID("client-")}
	if in.ThreadTS != "" {
		i := c.find(in.ThreadTS)
		if i < 0 {
			return "", fmt.Errorf("no message %s in channel %s", in.ThreadTS, in.Channel)
		}
		m["thread_ts"], m["parent_user_id"] = in.ThreadTS, c.messages[i]["user"]
		parent := maps.Clone(c.messages[i])
		parent["thread_ts"] = in.ThreadTS
		c.messages[i] = parent
	}
	if len(in.Files) > 0 {
		m["subtype"] = "file_share"
		var files []any
		for _, id := range in.Files {
			f := s.files[id]
			if f == nil || f.info == nil {
				return "", fmt.Errorf("no file %s", id)
			}
			files = append(files, f.info)
		}
		m["files"] = files
	}
	maps.Copy(m, in.Extra)
	s.store(c, m)
	return m["ts"].(string), nil
}

// EditMessage changes a user's message and delivers message_changed.
func (s *Server) EditMessage(channel, ts, text string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		old := c.messages[i]
		m := maps.Clone(old)
		m["text"], m["edited"] = text, fakekit.Object{"user": m["user"], "ts": s.newTS()}
		c.messages[i] = m
		s.emitChange(c, "message_changed", m, old)
	})
}

// DeleteMessage removes a user's message and delivers message_deleted.
func (s *Server) DeleteMessage(channel, ts string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		old := c.messages[i]
		c.messages = slices.Delete(slices.Clone(c.messages), i, i+1)
		s.emitChange(c, "message_deleted", nil, old)
	})
}

func (s *Server) change(channel, ts string, f func(*conversation, int)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil || c.find(ts) < 0 {
		return fmt.Errorf("no message %s in channel %s", ts, channel)
	}
	f(c, c.find(ts))
	return nil
}

// React delivers reaction_added for a user's reaction.
func (s *Server) React(channel, ts, name, user string) error {
	return s.change(channel, ts, func(c *conversation, i int) {
		if s.subscribed("reaction_added") {
			s.emit(fakekit.Object{
				"type": "reaction_added", "user": s.user(user), "reaction": name, "item_user": c.messages[i]["user"],
				"item": fakekit.Object{"type": "message", "channel": channel, "ts": ts}, "event_ts": s.newTS(),
			})
		}
	})
}

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
		"token": "fake", "team_id": TeamID, "team_domain": "fake", "channel_id": c.ID, "channel_name": name, "user_id": user,
		"user_name": s.users[user]["name"], "command": in.Command, "text": in.Text, "api_app_id": AppID,
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
		}
	})
	return respond, nil
}

// interaction returns the common part of an interaction payload.
func (s *Server) interaction(kind, user string) fakekit.Object {
	p := fakekit.Object{
		"type": kind, "api_app_id": AppID, "token": "fake", "trigger_id": s.newTrigger(), "team": fakekit.Object{"id": TeamID, "domain": "fake"},
		"user":       fakekit.Object{"id": user, "username": s.users[user]["name"], "name": s.users[user]["name"], "team_id": TeamID},
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
				action["selected_option"] = fakekit.Object{"text": fakekit.Object{"type": "plain_text", "text": value}, "value": value}
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

// OpenHome delivers app_home_opened for the home tab.
func (s *Server) OpenHome(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user = s.user(user)
	event := fakekit.Object{"type": "app_home_opened", "user": user, "channel": s.dm(user).ID, "tab": "home", "event_ts": s.newTS()}
	if view := s.home[user]; view != nil {
		event["view"] = view
	}
	s.emit(event)
}

// StartAssistant opens an assistant thread in the direct message with a user,
// delivers assistant_thread_started, and returns the channel and the thread.
func (s *Server) StartAssistant(user string) (channel, threadTS string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user = s.user(user)
	c := s.dm(user)
	ts := s.newTS()
	c.messages = append(c.messages, fakekit.Object{"type": "message", "subtype": "assistant_app_thread", "user": BotUserID, "text": "New Assistant Thread", "ts": ts, "thread_ts": ts})
	s.emit(fakekit.Object{
		"type": "assistant_thread_started", "event_ts": s.newTS(),
		"assistant_thread": fakekit.Object{"user_id": user, "channel_id": c.ID, "thread_ts": ts, "context": fakekit.Object{}},
	})
	return c.ID, ts
}
