package discordfake

import (
	"fmt"
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// ControlHandler serves the control API for this fake. Besides what
// [fakekit.Recorder.ControlHandler] has:
//
//	POST /guilds      add a [Guild]
//	POST /dms         add a DM channel: {channel_id, user}
//	POST /threads     a user opens a thread: {channel_id, id, name}
//	POST /messages    a user sends an [Incoming] message
//	POST /edits       a user edits: {channel_id, message_id, content}
//	POST /deletions   a user deletes: {channel_id, message_id}
//	POST /commands    a user runs a slash [Command]
//	POST /menus       a user runs a command of a message's menu: {channel_id, message_id, name, user}
//	POST /components  a user presses: {channel_id, message_id, custom_id, user, values}
//	POST /modals      a user submits: {interaction_id, fields}
//	POST /dispatch    send a raw event: {t, d}
//	POST /gateway     {action: reconnect|invalidate|close|drop|refuse_resume|redeliver, code, n, resumable}
//	GET  /messages?channel_id=ID   the messages of a channel
//	GET  /commands?guild_id=ID     the registered commands
func (s *Server) ControlHandler() http.Handler {
	mux := s.Recorder.ControlHandler()
	s.controlState(mux)
	s.controlInteractions(mux)
	return mux
}

// controlTarget has what the control endpoints name a thing by.
type controlTarget struct {
	ChannelID     string            `json:"channel_id"`
	MessageID     string            `json:"message_id"`
	CustomID      string            `json:"custom_id"`
	InteractionID string            `json:"interaction_id"`
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Content       string            `json:"content"`
	User          fakekit.Object    `json:"user"`
	Values        []string          `json:"values"`
	Fields        map[string]string `json:"fields"`
}

// done is the answer of control endpoints that have nothing to tell.
func done(err error) (any, error) { return fakekit.Object{"ok": true}, err }

func (s *Server) controlState(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /guilds", func(g Guild) (any, error) {
		s.AddGuild(g)
		return g, nil
	})
	fakekit.Handle(mux, "POST /dms", func(t controlTarget) (any, error) {
		s.AddDM(t.ChannelID, t.User)
		return done(nil)
	})
	fakekit.Handle(mux, "POST /threads", func(t controlTarget) (any, error) {
		return done(s.AddThread(t.ChannelID, t.ID, t.Name))
	})
	fakekit.Handle(mux, "POST /messages", func(in Incoming) (any, error) { return s.SendMessage(in) })
	fakekit.Handle(mux, "POST /edits", func(t controlTarget) (any, error) {
		return done(s.EditMessage(t.ChannelID, t.MessageID, t.Content))
	})
	fakekit.Handle(mux, "POST /deletions", func(t controlTarget) (any, error) {
		return done(s.DeleteMessage(t.ChannelID, t.MessageID))
	})
	type event struct {
		T string         `json:"t"`
		D fakekit.Object `json:"d"`
	}
	fakekit.Handle(mux, "POST /dispatch", func(e event) (any, error) {
		s.Dispatch(e.T, e.D)
		return done(nil)
	})
	fakekit.Handle(mux, "POST /gateway", func(c gatewayChange) (any, error) { return done(s.changeGateway(c)) })
	mux.HandleFunc("GET /messages", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Messages(r.FormValue("channel_id")))
	})
	mux.HandleFunc("GET /commands", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Commands(r.FormValue("guild_id")))
	})
}

func (s *Server) controlInteractions(mux *http.ServeMux) {
	started := func(id string, err error) (any, error) { return fakekit.Object{"interaction_id": id}, err }
	fakekit.Handle(mux, "POST /commands", func(c Command) (any, error) { return started(s.UseCommand(c)) })
	fakekit.Handle(mux, "POST /menus", func(t controlTarget) (any, error) {
		return started(s.UseMessageCommand(t.ChannelID, t.MessageID, t.Name, t.User))
	})
	fakekit.Handle(mux, "POST /components", func(t controlTarget) (any, error) {
		return started(s.PressComponent(t.ChannelID, t.MessageID, t.CustomID, t.User, t.Values...))
	})
	fakekit.Handle(mux, "POST /modals", func(t controlTarget) (any, error) {
		return started(s.SubmitModal(t.InteractionID, t.Fields))
	})
}

// gatewayChange is something to do to the gateway.
type gatewayChange struct {
	Action    string `json:"action"`
	Code      int    `json:"code"`
	N         int    `json:"n"`
	Resumable bool   `json:"resumable"`
}

func (s *Server) changeGateway(c gatewayChange) error {
	switch c.Action {
	case "reconnect":
		s.RequestReconnect()
	case "invalidate":
		s.InvalidateSessions(c.Resumable)
	case "close":
		s.CloseGateway(c.Code)
	case "drop":
		s.DropGateway()
	case "refuse_resume":
		s.RefuseResume()
	case "redeliver":
		s.Redeliver(max(1, c.N))
	default:
		return fmt.Errorf("unknown action %q", c.Action)
	}
	return nil
}
