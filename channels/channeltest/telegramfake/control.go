package telegramfake

import (
	"net/http"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// ControlHandler serves the control API for this fake. Besides what
// [fakekit.Recorder.ControlHandler] has:
//
//	POST /updates    queue a raw Update
//	POST /chats      add a [Chat]
//	POST /messages   a user sends an [Incoming] message
//	POST /edits      a user edits: {chat_id, message_id, text}
//	POST /buttons    a user presses a button: {chat_id, message_id, data, from}
//	POST /topics     a user creates a topic: {chat_id, name, from}
//	POST /files      add a file: {name, content, size}
//	GET  /messages?chat_id=ID   the messages of a chat
//	GET  /topics?chat_id=ID     its topics
func (s *Server) ControlHandler() http.Handler {
	mux := s.Recorder.ControlHandler()
	fakekit.Handle(mux, "POST /updates", func(u fakekit.Object) (any, error) {
		id, err := s.Send(u)
		return fakekit.Object{"update_id": id}, err
	})
	fakekit.Handle(mux, "POST /chats", func(c Chat) (any, error) { s.AddChat(c); return c, nil })
	fakekit.Handle(mux, "POST /messages", func(in Incoming) (any, error) { return s.SendMessage(in) })
	type target struct {
		ChatID    int64          `json:"chat_id"`
		MessageID int            `json:"message_id"`
		Text      string         `json:"text"`
		Data      string         `json:"data"`
		Name      string         `json:"name"`
		From      fakekit.Object `json:"from"`
	}
	fakekit.Handle(mux, "POST /edits", func(t target) (any, error) {
		return fakekit.Object{"ok": true}, s.EditMessage(t.ChatID, t.MessageID, t.Text)
	})
	fakekit.Handle(mux, "POST /buttons", func(t target) (any, error) {
		id, err := s.PressButton(t.ChatID, t.MessageID, t.Data, t.From)
		return fakekit.Object{"callback_query_id": id}, err
	})
	fakekit.Handle(mux, "POST /topics", func(t target) (any, error) {
		id, err := s.CreateTopic(t.ChatID, t.Name, t.From)
		return fakekit.Object{"message_thread_id": id}, err
	})
	type file struct {
		Name    string `json:"name"`
		Content string `json:"content"`
		Size    int64  `json:"size"`
	}
	fakekit.Handle(mux, "POST /files", func(f file) (any, error) {
		return fakekit.Object{"file_id": s.AddFile(f.Name, []byte(f.Content), f.Size)}, nil
	})
	mux.HandleFunc("GET /messages", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Messages(chatID(r)))
	})
	mux.HandleFunc("GET /topics", func(w http.ResponseWriter, r *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, s.Topics(chatID(r)))
	})
	return mux
}

func chatID(r *http.Request) int64 {
	c := fakekit.Call{Params: fakekit.Object{"chat_id": r.FormValue("chat_id")}}
	return c.Int("chat_id")
}
