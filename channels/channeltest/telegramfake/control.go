package telegramfake

import (
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// ControlHandler serves the control API for this fake. Besides what
// [fakekit.Recorder.ControlHandler] has:
//
//	POST /updates          queue a raw Update
//	POST /chats            add a [Chat]
//	POST /messages         a user sends an [Incoming] message, or an array of them
//	POST /edits            a user edits: {chat_id, message_id, text}
//	POST /presses          a user presses a button: {chat_id, message_id, data, from}
//	POST /files            add a file: {name, data, size}, data in base64, or content as text
//	POST /topics           a user creates a topic: {chat_id, name, from}
//	POST /topics/close     a user closes it: {chat_id, thread_id}
//	POST /topics/reopen    and reopens it: {chat_id, thread_id}
//	POST /topics/delete    a user deletes it: {chat_id, thread_id}
//	POST /blocks           block the bot or kick it out: {chat_id, blocked}
//	POST /migrations       turn a group into a supergroup: {from, to}
//	GET  /messages?chat_id=ID   the messages of a chat
//	GET  /topics?chat_id=ID     its topics
func (s *Server) ControlHandler() http.Handler {
	mux := s.Recorder.ControlHandler()
	s.controlMessages(mux)
	s.controlChats(mux)
	return mux
}

// done is the answer of control endpoints that have nothing to tell.
func done(err error) (any, error) { return fakekit.Object{"ok": true}, err }

func (s *Server) controlMessages(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /updates", func(u fakekit.Object) (any, error) {
		id, err := s.Send(u)
		return fakekit.Object{"update_id": id}, err
	})
	fakekit.Handle(mux, "POST /messages", func(in fakekit.Batch[Incoming]) (any, error) {
		return in.Each(func(m Incoming) (any, error) { return s.SendMessage(m) })
	})
	type target struct {
		ChatID    int64          `json:"chat_id"`
		MessageID int            `json:"message_id"`
		Text      string         `json:"text"`
		Data      string         `json:"data"`
		From      fakekit.Object `json:"from"`
	}
	fakekit.Handle(mux, "POST /edits", func(t target) (any, error) {
		return done(s.EditMessage(t.ChatID, t.MessageID, t.Text))
	})
	fakekit.Handle(mux, "POST /presses", func(t target) (any, error) {
		id, err := s.PressButton(t.ChatID, t.MessageID, t.Data, t.From)
		return fakekit.Object{"callback_query_id": id}, err
	})
	type file struct {
		Name    string `json:"name"`
		Data    []byte `json:"data"`
		Content string `json:"content"`
		Size    int64  `json:"size"`
	}
	fakekit.Handle(mux, "POST /files", func(f file) (any, error) {
		data := f.Data
		if f.Content != "" {
			data = []byte(f.Content)
		}
		return fakekit.Object{"file_id": s.AddFile(f.Name, data, f.Size)}, nil
	})
	mux.HandleFunc("GET /messages", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Messages(chatID(r)))
	})
}

func (s *Server) controlChats(mux *http.ServeMux) {
	fakekit.Handle(mux, "POST /chats", func(c Chat) (any, error) {
		s.AddChat(c)
		return c, nil
	})
	type target struct {
		ChatID   int64          `json:"chat_id"`
		ThreadID int            `json:"thread_id"`
		Name     string         `json:"name"`
		From     fakekit.Object `json:"from"`
		Blocked  bool           `json:"blocked"`
	}
	fakekit.Handle(mux, "POST /topics", func(t target) (any, error) {
		id, err := s.CreateTopic(t.ChatID, t.Name, t.From)
		return fakekit.Object{"message_thread_id": id}, err
	})
	fakekit.Handle(mux, "POST /topics/close", func(t target) (any, error) {
		return done(s.CloseTopic(t.ChatID, t.ThreadID, true))
	})
	fakekit.Handle(mux, "POST /topics/reopen", func(t target) (any, error) {
		return done(s.CloseTopic(t.ChatID, t.ThreadID, false))
	})
	fakekit.Handle(mux, "POST /topics/delete", func(t target) (any, error) {
		return done(s.DeleteTopic(t.ChatID, t.ThreadID))
	})
	fakekit.Handle(mux, "POST /blocks", func(t target) (any, error) { return done(s.Block(t.ChatID, t.Blocked)) })
	type migration struct {
		From int64 `json:"from"`
		To   int64 `json:"to"`
	}
	fakekit.Handle(mux, "POST /migrations", func(m migration) (any, error) { return done(s.Migrate(m.From, m.To)) })
	mux.HandleFunc("GET /topics", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Topics(chatID(r)))
	})
}

func chatID(r *http.Request) int64 {
	c := fakekit.Call{Params: fakekit.Object{"chat_id": r.FormValue("chat_id")}}
	return c.Int("chat_id")
}
