package slackfake

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Slack's error codes that the behaviours answer with.
var (
	errChannelNotFound = errors.New("channel_not_found")
	errNotInChannel    = errors.New("not_in_channel")
	errArchived        = errors.New("is_archived")
	errNoText          = errors.New("no_text")
	errMessageNotFound = errors.New("message_not_found")
	errThreadNotFound  = errors.New("thread_not_found")
	errInvalidBlocks   = errors.New("invalid_blocks")
	errFileNotFound    = errors.New("file_not_found")
	errNotStreaming    = errors.New("message_not_in_streaming_state")
	errUserNotFound    = errors.New("user_not_found")
)

// behaviours are the built-in methods; they run with the server locked. Other
// known methods answer {"ok":true}.
var behaviours map[string]func(*Server, fakekit.Call) (fakekit.Object, error)

func init() {
	behaviours = map[string]func(*Server, fakekit.Call) (fakekit.Object, error){
		"auth.test":             (*Server).authTest,
		"apps.connections.open": (*Server).openConnection,
		"team.info": func(s *Server, _ fakekit.Call) (fakekit.Object, error) {
			return fakekit.Object{"team": fakekit.Object{"id": TeamID, "name": "Fake", "domain": "fake"}}, nil
		},
		"bots.info": func(s *Server, _ fakekit.Call) (fakekit.Object, error) {
			return fakekit.Object{"bot": fakekit.Object{"id": BotID, "app_id": AppID, "user_id": BotUserID, "name": "fakebot", "deleted": false}}, nil
		},
		"users.info":                            (*Server).usersInfo,
		"users.list":                            (*Server).usersList,
		"users.lookupByEmail":                   (*Server).lookupByEmail,
		"conversations.info":                    (*Server).conversationInfo,
		"conversations.list":                    (*Server).conversationList,
		"users.conversations":                   (*Server).conversationList,
		"conversations.members":                 func(s *Server, c fakekit.Call) (fakekit.Object, error) { return s.members(c) },
		"conversations.history":                 (*Server).history,
		"conversations.replies":                 (*Server).history,
		"conversations.open":                    (*Server).openDM,
		"conversations.join":                    (*Server).join,
		"conversations.create":                  (*Server).createChannel,
		"chat.postMessage":                      (*Server).postMessage,
		"chat.postEphemeral":                    (*Server).postEphemeral,
		"chat.meMessage":                        (*Server).postMessage,
		"chat.update":                           (*Server).updateMessage,
		"chat.delete":                           (*Server).deleteMessage,
		"chat.getPermalink":                     (*Server).permalink,
		"chat.startStream":                      (*Server).startStream,
		"chat.appendStream":                     (*Server).appendStream,
		"chat.stopStream":                       (*Server).stopStream,
		"reactions.add":                         (*Server).react,
		"reactions.remove":                      (*Server).react,
		"files.getUploadURLExternal":            (*Server).uploadURL,
		"files.completeUploadExternal":          (*Server).completeUpload,
		"files.info":                            (*Server).fileInfo,
		"files.delete":                          (*Server).deleteFile,
		"views.open":                            (*Server).openView,
		"views.push":                            (*Server).openView,
		"views.update":                          (*Server).updateView,
		"views.publish":                         (*Server).publishView,
		"assistant.threads.setStatus":           (*Server).setStatus,
		"assistant.threads.setTitle":            (*Server).assistantThread,
		"assistant.threads.setSuggestedPrompts": (*Server).assistantThread,
	}
}

func (s *Server) authTest(fakekit.Call) (fakekit.Object, error) {
	out := fakekit.Object{"url": "https://fake.slack.com/", "team": "Fake", "user": "fakebot", "team_id": TeamID, "user_id": BotUserID, "bot_id": BotID, "is_enterprise_install": s.opts.enterpriseID != ""}
	if s.opts.enterpriseID != "" {
		out["enterprise_id"] = s.opts.enterpriseID
	}
	return out, nil
}

func (s *Server) usersInfo(call fakekit.Call) (fakekit.Object, error) {
	u := s.users[call.String("user")]
	if u == nil {
		return nil, errUserNotFound
	}
	return fakekit.Object{"user": u}, nil
}

func (s *Server) usersList(fakekit.Call) (fakekit.Object, error) {
	var list []any
	for _, id := range slices.Sorted(maps.Keys(s.users)) {
		list = append(list, s.users[id])
	}
	return fakekit.Object{"members": list, "cache_ts": time.Now().Unix(), "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

func (s *Server) lookupByEmail(call fakekit.Call) (fakekit.Object, error) {
	for _, u := range s.users {
		if u["profile"].(fakekit.Object)["email"] == call.String("email") {
			return fakekit.Object{"user": u}, nil
		}
	}
	return nil, errors.New("users_not_found")
}

// conversation finds a channel by its id; for methods that post, a user id
// opens the direct message.
func (s *Server) conversation(call fakekit.Call, param string) (*conversation, error) {
	id := call.String(param)
	if c := s.channels[id]; c != nil {
		return c, nil
	}
	if strings.HasPrefix(call.Method, "chat.") && s.users[id] != nil {
		return s.dm(id), nil
	}
	return nil, errChannelNotFound
}

func (s *Server) dm(user string) *conversation {
	for _, c := range s.channels {
		if c.Kind == "im" && c.User == user {
			return c
		}
	}
	c := &conversation{ID: s.newID("D"), Kind: "im", User: user, Member: true, reactions: map[string]bool{}}
	s.channels[c.ID] = c
	return c
}

func (c *conversation) object() fakekit.Object {
	o := fakekit.Object{
		"id": c.ID, "name": c.Name, "name_normalized": c.Name, "is_channel": c.Kind == "channel", "is_group": c.Kind == "group", "is_im": c.Kind == "im",
		"is_mpim": c.Kind == "mpim", "is_private": c.Kind != "channel", "is_archived": c.Archived, "is_member": c.Member, "created": 1700000000,
		"context_team_id": TeamID,
	}
	if c.User != "" {
		o["user"] = c.User
	}
	return o
}

func (s *Server) conversationInfo(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call, "channel")
	if err != nil {
		return nil, err
	}
	return fakekit.Object{"channel": c.object()}, nil
}

func (s *Server) conversationList(call fakekit.Call) (fakekit.Object, error) {
	var list []any
	for _, id := range slices.Sorted(maps.Keys(s.channels)) {
		c := s.channels[id]
		if c.Kind == "channel" || strings.Contains(call.String("types"), c.Kind) || c.Kind == "group" && strings.Contains(call.String("types"), "private_channel") {
			list = append(list, c.object())
		}
	}
	return fakekit.Object{"channels": list, "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

func (s *Server) members(call fakekit.Call) (fakekit.Object, error) {
	if _, err := s.conversation(call, "channel"); err != nil {
		return nil, err
	}
	return fakekit.Object{"members": slices.Sorted(maps.Keys(s.users)), "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

func (s *Server) history(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call, "channel")
	if err != nil {
		return nil, err
	}
	if !c.Member {
		return nil, errNotInChannel
	}
	limit := 100
	if n := int(call.Int("limit")); n > 0 {
		limit = n
	}
	root := call.String("ts")
	var list []any
	for _, m := range c.messages {
		ts, thread := m["ts"].(string), fakekit.Text(m["thread_ts"])
		switch {
		case call.Method == "conversations.replies" && ts != root && thread != root:
		case call.Method == "conversations.history" && thread != "" && thread != ts && m["subtype"] != "thread_broadcast":
		case call.Has("oldest") && ts <= call.String("oldest") && !(call.Bool("inclusive") && ts == call.String("oldest")):
		case call.Has("latest") && ts >= call.String("latest") && !(call.Bool("inclusive") && ts == call.String("latest")):
		default:
			list = append(list, m)
		}
	}
	if call.Method == "conversations.replies" {
		if len(list) == 0 {
			return nil, errThreadNotFound
		}
	} else {
		slices.Reverse(list) // history is newest first, replies oldest first
	}
	more := len(list) > limit
	list = list[:min(limit, len(list))]
	if list == nil {
		list = []any{}
	}
	return fakekit.Object{"messages": list, "has_more": more, "response_metadata": fakekit.Object{"next_cursor": ""}}, nil
}

func (s *Server) openDM(call fakekit.Call) (fakekit.Object, error) {
	if id := call.String("channel"); id != "" {
		c, err := s.conversation(call, "channel")
		if err != nil {
			return nil, err
		}
		return fakekit.Object{"channel": c.object()}, nil
	}
	user, _, several := strings.Cut(call.String("users"), ",")
	if several {
		c := &conversation{ID: s.newID("G"), Kind: "mpim", Member: true, reactions: map[string]bool{}}
		s.channels[c.ID] = c
		return fakekit.Object{"channel": c.object()}, nil
	}
	if s.users[user] == nil {
		return nil, errUserNotFound
	}
	return fakekit.Object{"channel": s.dm(user).object()}, nil
}

func (s *Server) join(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call, "channel")
	if err != nil {
		return nil, err
	}
	c.Member = true
	return fakekit.Object{"channel": c.object()}, nil
}

func (s *Server) createChannel(call fakekit.Call) (fakekit.Object, error) {
	for _, c := range s.channels {
		if c.Name == call.String("name") {
			return nil, errors.New("name_taken")
		}
	}
	c := &conversation{ID: s.newID("C"), Name: call.String("name"), Kind: "channel", Member: true, reactions: map[string]bool{}}
	s.channels[c.ID] = c
	return fakekit.Object{"channel": c.object()}, nil
}

func (c *conversation) find(ts string) int {
	return slices.IndexFunc(c.messages, func(m fakekit.Object) bool { return m["ts"] == ts })
}

// writable finds the channel of a call that posts.
func (s *Server) writable(call fakekit.Call) (*conversation, error) {
	c, err := s.conversation(call, "channel")
	switch {
	case err != nil:
		return nil, err
	case c.Archived:
		return nil, errArchived
	case !c.Member:
		return nil, errNotInChannel
	}
	return c, nil
}

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
	return fakekit.Object{"type": "message", "user": BotUserID, "bot_id": BotID, "app_id": AppID, "team": TeamID, "text": "", "ts": s.newTS()}
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
	if _, err := s.writable(call); err != nil {
		return nil, err
	}
	if s.users[call.String("user")] == nil {
		return nil, errors.New("user_not_in_channel")
	}
	if err := fill(s.botMessage(), call.Params); err != nil {
		return nil, err
	}
	return fakekit.Object{"message_ts": s.newTS()}, nil
}

func (s *Server) own(call fakekit.Call, notMine string) (*conversation, int, error) {
	c, err := s.conversation(call, "channel")
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
	c, err := s.conversation(call, "channel")
	if err != nil {
		return nil, err
	}
	ts := call.String("message_ts")
	if c.find(ts) < 0 {
		return nil, errMessageNotFound
	}
	return fakekit.Object{"channel": c.ID, "permalink": "https://fake.slack.com/archives/" + c.ID + "/p" + strings.ReplaceAll(ts, ".", "")}, nil
}

func (s *Server) startStream(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.writable(call)
	if err != nil {
		return nil, err
	}
	if c.Kind != "im" {
		switch {
		case !call.Has("recipient_team_id"):
			return nil, errors.New("missing_recipient_team_id")
		case !call.Has("recipient_user_id"):
			return nil, errors.New("missing_recipient_user_id")
		}
	}
	m := s.botMessage()
	m["streaming_state"] = "in_progress"
	if err := streamInto(m, call.Params, true); err != nil {
		return nil, err
	}
	if err := s.thread(c, m, call); err != nil {
		return nil, err
	}
	delete(s.status, c.ID+fakekit.Text(m["thread_ts"])) // an answer clears the status
	s.store(c, m)
	return fakekit.Object{"channel": c.ID, "ts": m["ts"]}, nil
}

// streamInto appends the text of a stream call to a message.
func streamInto(m, params fakekit.Object, optional bool) error {
	c := &checker{}
	c.checkContent(params)
	if len(c.errs) > 0 {
		return &apiError{code: "invalid_chunks", messages: c.errs}
	}
	text := fakekit.Text(params["markdown_text"])
	chunks, ok := decode(params["chunks"])
	list, _ := chunks.([]any)
	for _, item := range list {
		chunk, _ := item.(fakekit.Object)
		if chunk["type"] == "markdown_text" {
			text += fakekit.Text(chunk["text"])
		} else {
			old, _ := m["chunks"].([]any)
			m["chunks"] = append(slices.Clone(old), chunk)
		}
	}
	if text == "" && !ok && !optional {
		return errNoText
	}
	m["text"] = fakekit.Text(m["text"]) + text
	return nil
}

func (s *Server) stream(call fakekit.Call, final bool) (fakekit.Object, error) {
	c, i, err := s.own(call, "message_not_owned_by_app")
	if err != nil {
		return nil, err
	}
	old := c.messages[i]
	if old["streaming_state"] == "stopped_by_user" {
		return nil, errors.New("stopped_by_user")
	}
	if old["streaming_state"] != "in_progress" {
		return nil, errNotStreaming
	}
	m := maps.Clone(old)
	if err := streamInto(m, call.Params, final); err != nil {
		return nil, err
	}
	if final {
		m["streaming_state"] = "completed"
		if blocks, ok := decode(call.Params["blocks"]); ok {
			m["blocks"] = blocks
		}
	}
	c.messages[i] = m
	return fakekit.Object{"channel": c.ID, "ts": m["ts"], "message": m}, nil
}

func (s *Server) appendStream(call fakekit.Call) (fakekit.Object, error) {
	return s.stream(call, false)
}
func (s *Server) stopStream(call fakekit.Call) (fakekit.Object, error) { return s.stream(call, true) }

// StopStreams makes the user stop all streams, so that appending fails with
// stopped_by_user.
func (s *Server) StopStreams(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	if c == nil {
		return
	}
	for i, m := range c.messages {
		if m["streaming_state"] == "in_progress" {
			m = maps.Clone(m)
			m["streaming_state"] = "stopped_by_user"
			c.messages[i] = m
		}
	}
}

// OpenStreams returns how many streams have not been stopped.
func (s *Server) OpenStreams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.channels {
		for _, m := range c.messages {
			if m["streaming_state"] == "in_progress" {
				n++
			}
		}
	}
	return n
}

func (s *Server) react(call fakekit.Call) (fakekit.Object, error) {
	c, err := s.conversation(call, "channel")
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

func (s *Server) uploadURL(call fakekit.Call) (fakekit.Object, error) {
	if call.Int("length") <= 0 {
		return nil, errors.New("invalid_arguments")
	}
	f := &file{id: s.newID("F"), name: call.String("filename"), length: int(call.Int("length"))}
	s.files[f.id] = f
	return fakekit.Object{"upload_url": s.URL + "/upload/v1/" + f.id, "file_id": f.id}, nil
}

func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	call := fakekit.Call{Time: time.Now(), Method: "upload", Verb: r.Method, Path: r.URL.Path, Params: fakekit.Object{"file_id": id}, Header: r.Header, Status: http.StatusOK}
	if fault, ok := s.TakeFault(call.Method); ok {
		call.Fault = fault.Name()
		time.Sleep(time.Duration(fault.Delay))
		if fault.Drop || fault.Status != 0 {
			call.Status = fault.Status
			s.Add(call)
			if fault.Drop {
				fakekit.Drop(w)
			} else {
				http.Error(w, http.StatusText(fault.Status), fault.Status)
			}
			return
		}
	}
	data, name, err := readUpload(r)
	s.mu.Lock()
	f := s.files[id]
	switch {
	case err != nil:
		call.Violations = append(call.Violations, err.Error())
		call.Status = http.StatusBadRequest
	case f == nil:
		call.Status = http.StatusNotFound
	default:
		if len(data) != f.length {
			call.Violations = append(call.Violations, fmt.Sprintf("%d bytes uploaded, %d announced", len(data), f.length))
		}
		f.data, f.uploaded = data, true
		call.Files = []fakekit.File{{Name: name, Size: len(data), Data: data}}
	}
	s.mu.Unlock()
	s.Add(call)
	w.WriteHeader(call.Status)
	fmt.Fprintf(w, "OK - %d", len(data)) //nolint:errcheck // the client is gone
}

// readUpload reads a file sent raw or as the only file of a form.
func readUpload(r *http.Request) ([]byte, string, error) {
	mt, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if mt != "multipart/form-data" {
		data, err := io.ReadAll(io.LimitReader(r.Body, fakekit.MaxBody))
		return data, "", err
	}
	mr := multipart.NewReader(r.Body, params["boundary"])
	for {
		part, err := mr.NextPart()
		if err != nil {
			return nil, "", fmt.Errorf("no file in the form: %w", err)
		}
		if part.FileName() != "" {
			data, err := io.ReadAll(io.LimitReader(part, fakekit.MaxBody))
			return data, part.FileName(), err
		}
	}
}

func (s *Server) completeUpload(call fakekit.Call) (fakekit.Object, error) {
	decoded, _ := decode(call.Params["files"])
	list, _ := decoded.([]any)
	var out []any
	for _, item := range list {
		entry, _ := item.(fakekit.Object)
		f := s.files[fakekit.Text(entry["id"])]
		if f == nil || !f.uploaded {
			return nil, errFileNotFound
		}
		title := fakekit.Text(entry["title"])
		if title == "" {
			title = f.name
		}
		s.describe(f, title)
		out = append(out, f.info)
	}
	if len(out) == 0 {
		return nil, errors.New("invalid_arguments")
	}
	channels := strings.Split(call.String("channels"), ",")
	if id := call.String("channel_id"); id != "" {
		channels = []string{id}
	}
	for _, id := range channels {
		if id == "" {
			continue
		}
		c := s.channels[id]
		if c == nil {
			return nil, errChannelNotFound
		}
		if !c.Member {
			return nil, errNotInChannel
		}
		m := s.botMessage()
		m["subtype"], m["files"], m["upload"], m["text"] = "file_share", out, true, call.String("initial_comment")
		if err := s.thread(c, m, call); err != nil {
			return nil, err
		}
		s.store(c, m)
	}
	return fakekit.Object{"files": out}, nil
}

func (s *Server) describe(f *file, title string) {
	url := s.URL + "/files-pri/" + TeamID + "-" + f.id + "/" + f.name
	f.info = fakekit.Object{
		"id": f.id, "name": f.name, "title": title, "size": max(f.length, len(f.data)), "mode": "hosted", "mimetype": "application/octet-stream",
		"filetype": f.name[strings.LastIndexByte(f.name, '.')+1:], "user": BotUserID, "url_private": url, "url_private_download": url, "created": time.Now().Unix(),
	}
}

// AddFile stores a file that a user can share, and returns its id.
func (s *Server) AddFile(name, mimetype string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &file{id: s.newID("F"), name: name, length: len(data), data: data, uploaded: true}
	s.files[f.id] = f
	s.describe(f, name)
	f.info["mimetype"] = mimetype
	return f.id
}

func (s *Server) fileInfo(call fakekit.Call) (fakekit.Object, error) {
	f := s.files[call.String("file")]
	if f == nil || f.info == nil {
		return nil, errFileNotFound
	}
	return fakekit.Object{"file": f.info}, nil
}

func (s *Server) deleteFile(call fakekit.Call) (fakekit.Object, error) {
	if s.files[call.String("file")] == nil {
		return nil, errFileNotFound
	}
	delete(s.files, call.String("file"))
	return nil, nil
}

// serveFile downloads a file. Without the bot's token it redirects to the
// sign-in page, which answers 200 with HTML.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	call := fakekit.Call{Time: time.Now(), Method: "downloadFile", Verb: r.Method, Path: r.URL.Path, Header: r.Header, Status: http.StatusOK}
	if r.Header.Get("Authorization") != "Bearer "+BotToken {
		call.Status = http.StatusFound
		call.Violations = append(call.Violations, "the download needs the bot token as a bearer token")
		s.Add(call)
		http.Redirect(w, r, "/?redir="+r.URL.Path, http.StatusFound)
		return
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files-pri/"), "-")
	id, _, _ := strings.Cut(rest, "/")
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil {
		call.Status = http.StatusNotFound
		s.Add(call)
		http.NotFound(w, r)
		return
	}
	s.Add(call)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(f.data) //nolint:errcheck // the client is gone
}

// trigger exchanges a trigger id, which works once and for 3 s.
func (s *Server) trigger(call fakekit.Call) error {
	id := call.String("trigger_id")
	issued, ok := s.triggers[id]
	switch {
	case !ok:
		return errors.New("invalid_trigger_id")
	case issued.IsZero():
		return errors.New("exchanged_trigger_id")
	case time.Since(issued) > 3*time.Second:
		return errors.New("expired_trigger_id")
	}
	s.triggers[id] = time.Time{}
	return nil
}

func (s *Server) newTrigger() string {
	s.counter++
	id := fmt.Sprintf("%d.%d.fake", time.Now().UnixNano(), s.counter)
	s.triggers[id] = time.Now()
	return id
}

func (s *Server) viewFrom(call fakekit.Call) (fakekit.Object, error) {
	decoded, _ := decode(call.Params["view"])
	view, ok := decoded.(fakekit.Object)
	c := &checker{}
	if ok {
		c.checkView(view)
	}
	if !ok || len(c.errs) > 0 {
		return nil, &apiError{code: "invalid_arguments", messages: c.errs}
	}
	view = maps.Clone(view)
	view["team_id"], view["app_id"], view["bot_id"] = TeamID, AppID, BotID
	view["hash"] = s.newTS()
	if view["state"] == nil {
		view["state"] = fakekit.Object{"values": fakekit.Object{}}
	}
	return view, nil
}

func (s *Server) openView(call fakekit.Call) (fakekit.Object, error) {
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	if err := s.trigger(call); err != nil {
		return nil, err
	}
	return fakekit.Object{"view": s.keepView(view)}, nil
}

func (s *Server) keepView(view fakekit.Object) fakekit.Object {
	id := s.newID("V")
	view["id"] = id
	root := id
	if parent := s.views[s.lastView]; parent != nil {
		view["previous_view_id"] = s.lastView
	}
	view["root_view_id"] = root
	s.views[id], s.lastView = view, id
	return view
}

func (s *Server) updateView(call fakekit.Call) (fakekit.Object, error) {
	id := call.String("view_id")
	if external := call.String("external_id"); external != "" {
		for k, v := range s.views {
			if v["external_id"] == external {
				id = k
			}
		}
	}
	old := s.views[id]
	if old == nil {
		return nil, errors.New("not_found")
	}
	if hash := call.String("hash"); hash != "" && hash != old["hash"] {
		return nil, errors.New("hash_conflict")
	}
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	view["id"], view["root_view_id"] = id, old["root_view_id"]
	s.views[id] = view
	return fakekit.Object{"view": view}, nil
}

func (s *Server) publishView(call fakekit.Call) (fakekit.Object, error) {
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	user := call.String("user_id")
	if s.users[user] == nil {
		return nil, errUserNotFound
	}
	if old := s.home[user]; old != nil && call.String("hash") != "" && call.String("hash") != old["hash"] {
		return nil, errors.New("hash_conflict")
	}
	view["id"] = "VHOME" + user
	s.home[user] = view
	return fakekit.Object{"view": view}, nil
}

func (s *Server) assistantThread(call fakekit.Call) (fakekit.Object, error) {
	if s.channels[call.String("channel_id")] == nil {
		return nil, errChannelNotFound
	}
	return nil, nil
}

func (s *Server) setStatus(call fakekit.Call) (fakekit.Object, error) {
	if _, err := s.assistantThread(call); err != nil {
		return nil, err
	}
	c := s.channels[call.String("channel_id")]
	if c.find(call.String("thread_ts")) < 0 {
		return nil, errors.New("invalid_thread_ts")
	}
	s.status[c.ID+call.String("thread_ts")] = call.String("status")
	return nil, nil
}
