package slackfake

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// fill sets what a message shows from the arguments of a call. Invalid
// content is an error, as with the real methods.
func fill(m fakekit.Object, params fakekit.Object) error {
	c := &checker{}
	c.checkContent(params)
	for _, e := range c.errs {
		switch {
		case strings.HasPrefix(e, "markdown_text and blocks"):
			return errors.New("markdown_text_conflict")
		case strings.HasPrefix(e, "markdown_text"):
			return errors.New("msg_too_long")
		case strings.HasPrefix(e, "chunks"):
			return &apiError{code: "invalid_chunks", messages: c.errs}
		case strings.HasPrefix(e, "blocks: "):
			return &apiError{code: "msg_blocks_too_long", messages: c.errs}
		case strings.HasPrefix(e, "blocks"):
			return &apiError{code: errInvalidBlocks.Error(), messages: c.errs}
		}
	}
	if text, ok := params["text"]; ok {
		runes := []rune(fakekit.Text(text))
		m["text"] = string(runes[:min(len(runes), MaxText)])
	}
	if md := fakekit.Text(params["markdown_text"]); md != "" {
		m["text"] = md
		m["blocks"] = []any{fakekit.Object{"type": "rich_text", "elements": []any{}}}
	}
	if blocks, ok := decode(params["blocks"]); ok {
		m["blocks"] = blocks
	}
	if attachments, ok := decode(params["attachments"]); ok {
		m["attachments"] = attachments
	}
	if metadata, ok := decode(params["metadata"]); ok {
		m["metadata"] = metadata
	}
	blocks, _ := m["blocks"].([]any)
	attachments, _ := m["attachments"].([]any)
	if fakekit.Text(m["text"]) == "" && len(blocks) == 0 && len(attachments) == 0 {
		return errNoText
	}
	return nil
}

// botMessage returns an empty message of the bot.
func (s *Server) botMessage() fakekit.Object {
	return fakekit.Object{
		"type": "message", "user": BotUserID, "bot_id": BotID, "app_id": AppID, "team": TeamID, "text": "", "ts": s.newTS(),
	}
}

// thread puts a message into the thread of a call.
func (s *Server) thread(c *conversation, m fakekit.Object, call fakekit.Call) error {
	root := call.String("thread_ts")
	if root == "" {
		return nil
	}
	i := c.find(root)
	if i < 0 {
		return errThreadNotFound
	}
	if parent := fakekit.Text(c.messages[i]["thread_ts"]); parent != "" && parent != root {
		s.Violate(call.Method, "thread_ts %s is the ts of a reply; use its parent's %s", root, parent)
		return errors.New("cannot_reply_to_message")
	}
	m["thread_ts"] = root
	parent := maps.Clone(c.messages[i])
	parent["thread_ts"] = root
	count, _ := parent["reply_count"].(int)
	parent["reply_count"], parent["latest_reply"] = count+1, m["ts"]
	c.messages[i] = parent
	if call.Bool("reply_broadcast") {
		m["subtype"] = "thread_broadcast"
	}
	return nil
}

func (s *Server) postMessage(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.writable(call)
	if err != nil {
		return nil, err
	}
	m := s.botMessage()
	if err := fill(m, call.Params); err != nil {
		return nil, err
	}
	if err := s.thread(c, m, call); err != nil {
		return nil, err
	}
	s.store(c, m)
	return fakekit.Object{"channel": c.ID, "ts": m["ts"], "message": m}, nil
}

// store appends a message and tells the app about it.
func (s *Server) store(c *conversation, m fakekit.Object) {
	c.messages = append(c.messages, m)
	s.emitMessage(c, m)
}

func (s *Server) postEphemeral(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.writable(call)
	if err != nil {
		return nil, err
	}
	if s.users[call.String("user")] == nil {
		return nil, errors.New("user_not_in_channel")
	}
	m := s.botMessage()
	if err := fill(m, call.Params); err != nil {
		return nil, err
	}
	if thread := call.String("thread_ts"); thread != "" {
		m["thread_ts"] = thread
	}
	c.whispers = append(c.whispers, whisper{call.String("user"), m})
	return fakekit.Object{"message_ts": m["ts"]}, nil
}

func (s *Server) own(call fakekit.Call, notMine string) (*conversation, int, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, 0, err
	}
	i := c.find(call.String("ts"))
	if i < 0 {
		return nil, 0, errMessageNotFound
	}
	if c.messages[i]["bot_id"] != BotID {
		return nil, 0, errors.New(notMine)
	}
	return c, i, nil
}

func (s *Server) updateMessage(call fakekit.Call) (fakekit.Object, error) {
	c, i, err := s.own(call, "cant_update_message")
	if err != nil {
		return nil, err
	}
	old := c.messages[i]
	if old["streaming_state"] == "in_progress" {
		return nil, errors.New("streaming_state_conflict")
	}
	m := maps.Clone(old)
	if call.Has("text") && !call.Has("blocks") {
		delete(m, "blocks") // text alone replaces blocks
	}
	if err := fill(m, call.Params); err != nil {
		return nil, err
	}
	m["edited"] = fakekit.Object{"user": BotUserID, "ts": s.newTS()}
	c.messages[i] = m
	s.emitChange(c, "message_changed", m, old)
	return fakekit.Object{"channel": c.ID, "ts": m["ts"], "text": m["text"], "message": m}, nil
}

func (s *Server) deleteMessage(call fakekit.Call) (fakekit.Object, error) {
	c, i, err := s.own(call, "cant_delete_message")
	if err != nil {
		return nil, err
	}
	old := c.messages[i]
	c.messages = slices.Delete(slices.Clone(c.messages), i, i+1)
	s.emitChange(c, "message_deleted", nil, old)
	return fakekit.Object{"channel": c.ID, "ts": old["ts"]}, nil
}

func (s *Server) permalink(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, err
	}
	ts := call.String("message_ts")
	if c.find(ts) < 0 {
		return nil, errMessageNotFound
	}
	return fakekit.Object{
		"channel": c.ID, "permalink": "https://fake.slack.com/archives/" + c.ID + "/p" + strings.ReplaceAll(ts, ".", ""),
	}, nil
}

func (s *Server) react(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call)
	if err != nil {
		return nil, err
	}
	ts := call.String("timestamp")
	if c.find(ts) < 0 {
		return nil, errMessageNotFound
	}
	key := ts + " " + call.String("name")
	if call.Method == "reactions.remove" {
		if !c.reactions[key] {
			return nil, errors.New("no_reaction")
		}
		delete(c.reactions, key)
		return nil, nil
	}
	if c.reactions[key] {
		return nil, errors.New("already_reacted")
	}
	c.reactions[key] = true
	return nil, nil
}
