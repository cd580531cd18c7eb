package discordfake

import (
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
//	POST /commands    a user runs a slash [Command]
//	POST /components  a user presses: {channel_id, message_id, custom_id, user, values}
//	POST /modals      a user submits: {interaction_id, fields}
//	POST /dispatch    send a raw event: {t, d}
//	POST /gateway     {action: reconnect|invalidate|close|drop|refuse_resume|redeliver, code, n, resumable}
//	GET  /messages?channel_id=ID   the messages of a channel
//	GET  /commands?guild_id=ID     the registered commands
func (s *Server) ControlHandler() http.Handler {
	mux := s.Recorder.ControlHandler()
	ok := fakekit.Object{"ok": true}
	fakekit.Handle(mux, "POST /guilds", func(g Guild) (any, error) { s.AddGuild(g); return g, nil })
	type target struct {
		ChannelID     string            `json:"channel_id"`
		MessageID     string            `json:"message_id"`
		CustomID      string            `json:"custom_id"`
		InteractionID string            `json:"interaction_id"`
		ID            string            `json:"id"`
		Name          string            `json:"name"`
		Content       string            `json:"content"`
		User          fakekit.Object    `json:"user"`
		Values        []string          `json:"values"`
		T             string            `json:"t"`
		D             fakekit.Object    `json:"d"`
		Action        string            `json:"action"`
		Code          int               `json:"code"`
		N             int               `json:"n"`
		Resumable     bool              `json:"resumable"`
		Fields        map[string]string `json:"fields"`
	}
	fakekit.Handle(mux, "POST /dms", func(t target) (any, error) { s.AddDM(t.ChannelID, t.User); return ok, nil })
	fakekit.Handle(mux, "POST /threads", func(t target) (any, error) { return ok, s.AddThread(t.ChannelID, t.ID, t.Name) })
	fakekit.Handle(mux, "POST /messages", func(in Incoming) (any, error) { return s.SendMessage(in) })
	fakekit.Handle(mux, "POST /edits", func(t target) (any, error) { return ok, s.EditMessage(t.ChannelID, t.MessageID, t.Content) })
	fakekit.Handle(mux, "POST /commands", func(c Command) (any, error) {
		id, err := s.UseCommand(c)
		return fakekit.Object{"interaction_id": id}, err
	})
	fakekit.Handle(mux, "POST /components", func(t target) (any, error) {
		id, err := s.PressComponent(t.ChannelID, t.MessageID, t.CustomID, t.User, t.Values...)
		return fakekit.Object{"interaction_id": id}, err
	})
	fakekit.Handle(mux, "POST /modals", func(t target) (any, error) {
		id, err := s.SubmitModal(t.InteractionID, t.Fields)
		return fakekit.Object{"interaction_id": id}, err
	})
	fakekit.Handle(mux, "POST /dispatch", func(t target) (any, error) { s.Dispatch(t.T, t.D); return ok, nil })
	fakekit.Handle(mux, "POST /gateway", func(t target) (any, error) {
		switch t.Action {
		case "reconnect":
			s.RequestReconnect()
		case "invalidate":
			s.InvalidateSessions(t.Resumable)
		case "close":
			s.CloseGateway(t.Code)
		case "drop":
			s.DropGateway()
		case "refuse_resume":
			s.RefuseResume()
		case "redeliver":
			s.Redeliver(max(1, t.N))
		default:
			return nil, &Error{Message: "unknown action " + t.Action}
		}
		return ok, nil
	})
	mux.HandleFunc("GET /messages", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Messages(r.FormValue("channel_id")))
	})
	mux.HandleFunc("GET /commands", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Commands(r.FormValue("guild_id")))
	})
	return mux
}
