package slackfake

import (
	"fmt"
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// ControlHandler serves the control API for this fake. Besides what
// [fakekit.Recorder.ControlHandler] has:
//
//	POST /channels     {id, name}
//	POST /dms          {id, user}
//	POST /endpoints    deliver over HTTP: [Endpoints]
//	POST /messages     a user sends an [Incoming] message
//	POST /edits        {channel, ts, text}; without text the message is deleted
//	POST /commands     a user runs a slash [Command]
//	POST /events       deliver a raw event
//	POST /actions      {channel, ts, action_id, user, value} or {view_id, action_id, user, value}
//	POST /submissions  {view_id, user, values}
//	POST /home         {user} opens the App Home
//	POST /assistant    {user} opens an assistant thread
//	POST /stops        {channel, ts, user} stops what the app does in a thread
//	POST /members      {channel, out} puts the bot into a channel, or out of it
//	POST /sockets      {action: disconnect|drop|redeliver, reason}
//	GET  /messages?channel=ID   the messages of a channel
//	GET  /whispers?channel=ID&user=ID   what one user alone sees there
//	GET  /home?user=ID          the published App Home
//	GET  /view?id=ID            a modal, the last without id
func (s *Server) ControlHandler() http.Handler {
	mux := s.Recorder.ControlHandler()
	s.controlState(mux)
	s.controlUsers(mux)
	s.controlViews(mux)
	return mux
}

// controlTarget has what the control endpoints name a thing by.
type controlTarget struct {
	ID       string                       `json:"id"`
	Name     string                       `json:"name"`
	User     string                       `json:"user"`
	Channel  string                       `json:"channel"`
	TS       string                       `json:"ts"`
	Text     string                       `json:"text"`
	ViewID   string                       `json:"view_id"`
	ActionID string                       `json:"action_id"`
	Value    string                       `json:"value"`
	Values   map[string]map[string]string `json:"values"`
}

// done is the answer of control endpoints that have nothing to tell.
func done(err error) (any, error) { return fakekit.Object{"ok": true}, err }

// controlState adds the endpoints that set the scene.
func (s *Server) controlState(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /channels", func(t controlTarget) (any, error) {
		s.AddChannel(t.ID, t.Name)
		return done(nil)
	})
	fakekit.Handle(mux, "POST /dms", func(t controlTarget) (any, error) {
		s.AddDM(t.ID, t.User)
		return done(nil)
	})
	type membership struct {
		Channel string `json:"channel"`
		Out     bool   `json:"out"`
	}
	fakekit.Handle(mux, "POST /members", func(m membership) (any, error) {
		s.SetMember(m.Channel, !m.Out)
		return done(nil)
	})
	fakekit.Handle(mux, "POST /endpoints", func(e Endpoints) (any, error) {
		s.SetEndpoints(e)
		return e, nil
	})
	fakekit.Handle(mux, "POST /events", func(e fakekit.Object) (any, error) {
		id, err := s.Event(e)
		return fakekit.Object{"event_id": id}, err
	})
	type change struct {
		Action string `json:"action"`
		Reason string `json:"reason"`
	}
	fakekit.Handle(mux, "POST /sockets", func(c change) (any, error) {
		switch c.Action {
		case "disconnect":
			s.Disconnect(c.Reason)
		case "drop":
			s.DropSockets()
		case "redeliver":
			return done(s.Redeliver())
		default:
			return nil, fmt.Errorf("unknown action %q", c.Action)
		}
		return done(nil)
	})
}

// controlUsers adds the endpoints that act as a user in a channel.
func (s *Server) controlUsers(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /messages", func(in Incoming) (any, error) {
		ts, err := s.SendMessage(in)
		return fakekit.Object{"ts": ts}, err
	})
	fakekit.Handle(mux, "POST /edits", func(t controlTarget) (any, error) {
		if t.Text == "" {
			return done(s.DeleteMessage(t.Channel, t.TS))
		}
		return done(s.EditMessage(t.Channel, t.TS, t.Text))
	})
	fakekit.Handle(mux, "POST /commands", func(c Command) (any, error) {
		u, err := s.UseCommand(c)
		return fakekit.Object{"response_url": u}, err
	})
	fakekit.Handle(mux, "POST /actions", func(t controlTarget) (any, error) {
		if t.ViewID != "" {
			return done(s.PressInView(t.ViewID, t.ActionID, t.User, t.Value))
		}
		u, err := s.Press(t.Channel, t.TS, t.ActionID, t.User, t.Value)
		return fakekit.Object{"response_url": u}, err
	})
	fakekit.Handle(mux, "POST /assistant", func(t controlTarget) (any, error) {
		channel, ts := s.StartAssistant(t.User)
		return fakekit.Object{"channel": channel, "thread_ts": ts}, nil
	})
	fakekit.Handle(mux, "POST /stops", func(t controlTarget) (any, error) {
		return done(s.StopSession(t.Channel, t.TS, t.User))
	})
	mux.HandleFunc("GET /whispers", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Whispers(r.FormValue("channel"), r.FormValue("user")))
	})
	mux.HandleFunc("GET /messages", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Messages(r.FormValue("channel")))
	})
}

// controlViews adds the endpoints for modals and the App Home.
func (s *Server) controlViews(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /submissions", func(t controlTarget) (any, error) {
		return done(s.Submit(t.ViewID, t.User, t.Values))
	})
	fakekit.Handle(mux, "POST /home", func(t controlTarget) (any, error) {
		s.OpenHome(t.User)
		return done(nil)
	})
	mux.HandleFunc("GET /home", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Home(r.FormValue("user")))
	})
	mux.HandleFunc("GET /view", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.View(r.FormValue("id")))
	})
}
