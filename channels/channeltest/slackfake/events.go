package slackfake

import (
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
	team := s.teamOf(event)
	s.deliver(kindEvent, fakekit.Object{
		"token": "fake", "team_id": team, "context_team_id": team, "context_enterprise_id": enterprise,
		"api_app_id": AppID, "event": event,
		"type": "event_callback", "event_id": id, "event_time": time.Now().Unix(), "is_ext_shared_channel": false,
		"event_context": "fake-" + id,
		"authorizations": []any{fakekit.Object{
			"enterprise_id": enterprise, "team_id": team, "user_id": BotUserID, "is_bot": true,
			"is_enterprise_install": s.opts.enterpriseID != "",
		}},
	}, nil)
	return id
}

// teamOf is the team in whose channel something happened.
func (s *Server) teamOf(event fakekit.Object) string {
	id, _ := event["channel"].(string)
	if c := s.channels[id]; c != nil {
		return c.team()
	}
	return TeamID
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

var messageEvents = map[string]string{
	"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim",
}

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
	mentioned := strings.Contains(fakekit.Text(m["text"]), "<@"+BotUserID+">")
	if mentioned && m["bot_id"] == nil && c.Kind != "im" && s.subscribed("app_mention") {
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
		"type": "message", "subtype": subtype, "channel": c.ID, "channel_type": c.Kind, "hidden": true, "ts": s.newTS(),
		"event_ts":         s.newTS(),
		"previous_message": old,
	}
	if m != nil {
		event["message"] = m
	} else {
		event["deleted_ts"] = old["ts"]
	}
	s.emit(event)
}

// OpenHome delivers app_home_opened for the home tab.
func (s *Server) OpenHome(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user = s.user(user)
	event := fakekit.Object{
		"type": "app_home_opened", "user": user, "channel": s.dm(user).ID, "tab": "home", "event_ts": s.newTS(),
	}
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
	c.messages = append(c.messages, fakekit.Object{
		"type": "message", "subtype": "assistant_app_thread", "user": BotUserID, "text": "New Assistant Thread", "ts": ts,
		"thread_ts": ts,
	})
	s.emit(fakekit.Object{
		"type": "assistant_thread_started", "event_ts": s.newTS(),
		"assistant_thread": fakekit.Object{"user_id": user, "channel_id": c.ID, "thread_ts": ts, "context": fakekit.Object{}},
	})
	return c.ID, ts
}
