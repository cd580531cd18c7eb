package telegramfake

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// methods are the built-in behaviours. They run with the server locked.
var methods map[string]func(*Server, fakekit.Call) (any, error)

func init() {
	methods = map[string]func(*Server, fakekit.Call) (any, error){
		"getMe":                  func(s *Server, _ fakekit.Call) (any, error) { return s.Bot, nil },
		"setWebhook":             (*Server).setWebhook,
		"deleteWebhook":          (*Server).deleteWebhook,
		"getWebhookInfo":         (*Server).getWebhookInfo,
		"sendMessage":            (*Server).sendAny,
		"sendMediaGroup":         (*Server).sendMediaGroup,
		"sendMessageDraft":       (*Server).sendDraft,
		"sendChatAction":         (*Server).sendChatAction,
		"forwardMessage":         (*Server).forward,
		"copyMessage":            (*Server).copyMessage,
		"editMessageText":        (*Server).edit,
		"editMessageCaption":     (*Server).edit,
		"editMessageReplyMarkup": (*Server).edit,
		"deleteMessage":          (*Server).deleteMessages,
		"deleteMessages":         (*Server).deleteMessages,
		"setMessageReaction":     (*Server).setReaction,
		"pinChatMessage":         (*Server).pin,
		"answerCallbackQuery":    (*Server).answerCallback,
		"setMyCommands":          (*Server).setCommands,
		"getMyCommands":          (*Server).getCommands,
		"deleteMyCommands":       (*Server).deleteCommands,
		"getFile":                (*Server).getFile,
		"getChat":                (*Server).getChat,
		"getChatMember":          (*Server).getChatMember,
		"getChatAdministrators": func(s *Server, call fakekit.Call) (any, error) {
			if _, err := s.chat(call); err != nil {
				return nil, err
			}
			return []any{s.admin()}, nil
		},
		"getChatMemberCount":         func(s *Server, call fakekit.Call) (any, error) { _, err := s.chat(call); return 3, orNil(err) },
		"createForumTopic":           (*Server).createForumTopic,
		"editForumTopic":             (*Server).changeTopic,
		"closeForumTopic":            (*Server).changeTopic,
		"reopenForumTopic":           (*Server).changeTopic,
		"deleteForumTopic":           (*Server).changeTopic,
		"unpinAllForumTopicMessages": (*Server).changeTopic,
		"editGeneralForumTopic":      (*Server).changeTopic,
		"closeGeneralForumTopic":     (*Server).changeTopic,
		"reopenGeneralForumTopic":    (*Server).changeTopic,
		"hideGeneralForumTopic":      (*Server).changeTopic,
		"unhideGeneralForumTopic":    (*Server).changeTopic,
		"getForumTopicIconStickers":  func(*Server, fakekit.Call) (any, error) { return []any{}, nil },
	}
}

func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}

// chat returns the chat that a call addresses, if the bot may write to it.
func (s *Server) chat(call fakekit.Call) (*chat, *Error) {
	id := call.String("chat_id")
	if id == "" {
		return nil, badRequest("chat_id is empty")
	}
	var c *chat
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		c = s.chats[n]
	} else if name, ok := strings.CutPrefix(id, "@"); ok {
		for _, candidate := range s.chats {
			if candidate.info["username"] == name {
				c = candidate
			}
		}
	}
	switch {
	case c == nil:
		return nil, badRequest("chat not found")
	case c.migratedTo != 0:
		e := badRequest("group chat was upgraded to a supergroup chat")
		e.MigrateTo = c.migratedTo
		return nil, e
	case c.blocked && c.kind() == "private":
		return nil, &Error{Code: http.StatusForbidden, Description: "Forbidden: bot was blocked by the user"}
	case c.blocked:
		return nil, &Error{Code: http.StatusForbidden, Description: "Forbidden: bot was kicked from the " + c.kind() + " chat"}
	}
	return c, nil
}

// topic resolves message_thread_id for a method that sends messages.
func (c *chat) topic(call fakekit.Call) (int, *Error) {
	id := int(call.Int("message_thread_id"))
	if id == 0 {
		if c.isForum() && c.topics[GeneralTopic].Closed {
			return 0, badRequest("TOPIC_CLOSED")
		}
		return 0, nil
	}
	if !c.isForum() && c.kind() != "private" {
		return 0, nil // ignored outside of forums
	}
	t := c.topics[id]
	if id == GeneralTopic || t == nil || t.deleted {
		return 0, badRequest("message thread not found")
	}
	if t.Closed {
		return 0, badRequest("TOPIC_CLOSED")
	}
	return id, nil
}

// setText applies a text or caption to a message.
func setText(m fakekit.Object, call fakekit.Call, param string, limit int) *Error {
	entityField := "entities"
	if param == "caption" {
		entityField = "caption_entities"
	}
	plain, entities, err := ParseText(call.String("parse_mode"), call.String(param))
	if err != nil {
		return badRequest("can't parse entities: %v", err)
	}
	if n := len([]rune(plain)); n > limit {
		if param == "caption" {
			return badRequest("message caption is too long")
		}
		return badRequest("message is too long")
	}
	m[param] = plain
	delete(m, entityField)
	if call.Has(entityField) {
		var given []any
		if call.JSON(entityField, &given) == nil && len(given) > 0 {
			m[entityField] = given
		}
	} else if list := entityList(plain, entities); len(list) > 0 {
		m[entityField] = list
	}
	return nil
}

func entityList(plain string, entities []fakekit.Object) []any {
	var list []any
	for _, e := range entities {
		list = append(list, e)
	}
	return append(list, detectEntities(plain)...)
}

func setMarkup(m fakekit.Object, call fakekit.Call) *Error {
	delete(m, "reply_markup")
	if !call.Has("reply_markup") {
		return nil
	}
	var markup fakekit.Object
	if err := call.JSON("reply_markup", &markup); err != nil {
		return badRequest("can't parse reply keyboard markup JSON object")
	}
	rows, ok := markup["inline_keyboard"].([]any)
	if !ok || len(rows) == 0 {
		return nil // other keyboards are not echoed
	}
	for _, row := range rows {
		buttons, _ := row.([]any)
		for _, b := range buttons {
			button, _ := b.(fakekit.Object)
			if data, ok := button["callback_data"].(string); ok && len(data) > 64 {
				return badRequest("BUTTON_DATA_INVALID")
			}
		}
	}
	m["reply_markup"] = markup
	return nil
}

// reply applies reply_parameters or the older reply_to_message_id.
func (c *chat) reply(m fakekit.Object, call fakekit.Call) *Error {
	id, tolerant := int(call.Int("reply_to_message_id")), call.Bool("allow_sending_without_reply")
	var p struct {
		MessageID int  `json:"message_id"`
		Tolerant  bool `json:"allow_sending_without_reply"`
		ChatID    any  `json:"chat_id"`
	}
	if call.Has("reply_parameters") {
		if err := call.JSON("reply_parameters", &p); err != nil {
			return badRequest("can't parse reply parameters JSON object")
		}
		if p.ChatID != nil {
			return nil
		}
		id, tolerant = p.MessageID, p.Tolerant
	}
	if id == 0 {
		return nil
	}
	target := c.messages[id]
	if target == nil {
		if tolerant {
			return nil
		}
		return badRequest("message to be replied not found")
	}
	m["reply_to_message"] = withoutReply(target)
	return nil
}

// mediaField names the parameter with the file of a send method.
var mediaField = map[string]string{
	"sendDocument": "document", "sendPhoto": "photo", "sendAudio": "audio", "sendVideo": "video", "sendVoice": "voice",
	"sendAnimation": "animation", "sendVideoNote": "video_note", "sendSticker": "sticker",
}

// sendAny handles the methods that send one message.
func (s *Server) sendAny(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	thread, apiErr := c.topic(call)
	if apiErr != nil {
		return nil, apiErr
	}
	draft := fakekit.Object{}
	if call.Method == "sendMessage" {
		if strings.TrimSpace(call.String("text")) == "" {
			return nil, badRequest("message text is empty")
		}
		if err := setText(draft, call, "text", 4096); err != nil {
			return nil, err
		}
		if strings.TrimSpace(draft["text"].(string)) == "" {
			return nil, badRequest("message text is empty")
		}
	} else if call.Has("caption") {
		if err := setText(draft, call, "caption", 1024); err != nil {
			return nil, err
		}
	}
	if call.Method == "sendRichMessage" {
		draft["rich_message"] = fakekit.Object{"blocks": []any{}}
	}
	if name := mediaField[call.Method]; name != "" {
		media, err := s.media(call, name)
		if err != nil {
			return nil, err
		}
		draft[name] = media
	}
	if err := setMarkup(draft, call); err != nil {
		return nil, err
	}
	if err := c.reply(draft, call); err != nil {
		return nil, err
	}
	m := s.newMessage(c, thread, s.Bot)
	if c.kind() == "channel" {
		delete(m, "from")
		m["sender_chat"] = c.info
	}
	maps.Copy(m, draft)
	if c.messages[thread] != nil && m["reply_to_message"] == nil && thread > 0 && c.kind() == "supergroup" {
		m["reply_to_message"] = withoutReply(c.messages[thread])
	}
	return maps.Clone(m), nil
}

// media resolves the file parameter of a call: an upload, a file_id or a URL.
func (s *Server) media(call fakekit.Call, name string) (any, *Error) {
	var (
		id, fileName, mime string
		size               int64
	)
	if i := slices.IndexFunc(call.Files, func(f fakekit.File) bool { return f.Field == name }); i >= 0 {
		f := call.Files[i]
		if f.Size == 0 {
			return nil, badRequest("file must be non-empty")
		}
		id, fileName, mime, size = s.addFileLocked(f.Name, f.Data, 0), f.Name, f.ContentType, int64(f.Size)
	} else {
		value := call.String(name)
		switch {
		case value == "":
			return nil, badRequest("there is no %s in the request", strings.ReplaceAll(name, "_", " "))
		case strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://"):
			u, err := url.Parse(value)
			if err != nil {
				return nil, badRequest("wrong HTTP URL specified")
			}
			fileName = u.Path[strings.LastIndexByte(u.Path, '/')+1:]
			id, size = s.addFileLocked(fileName, []byte("content of "+value), 0), 1
		default:
			f := s.files[value]
			if f == nil {
				return nil, badRequest("wrong file identifier/HTTP URL specified")
			}
			id, size = value, f.size
		}
	}
	file := fakekit.Object{"file_id": id, "file_unique_id": "u" + id, "file_size": size}
	switch name {
	case "photo":
		file["width"], file["height"] = 90, 60
		return []any{file}, nil
	case "document":
		file["file_name"], file["mime_type"] = fileName, mime
	case "audio", "voice":
		file["duration"] = 1
	case "video", "animation":
		file["duration"], file["width"], file["height"] = 1, 90, 60
	case "video_note":
		file["duration"], file["length"] = 1, 60
	case "sticker":
		file["type"], file["width"], file["height"], file["is_animated"], file["is_video"] = "regular", 512, 512, false, false
	}
	return file, nil
}

func (s *Server) sendMediaGroup(call fakekit.Call) (any, error) {
	var items []fakekit.Object
	if err := call.JSON("media", &items); err != nil {
		return nil, badRequest("can't parse media JSON object")
	}
	if len(items) < 2 || len(items) > 10 {
		return nil, badRequest("group of %d media can't be sent; allowed are 2-10", len(items))
	}
	group := "album" + strconv.Itoa(s.nextFile)
	var out []any
	for _, item := range items {
		typ := fakekit.Text(item["type"])
		one := call
		one.Method = "send" + strings.ToUpper(typ[:min(1, len(typ))]) + typ[min(1, len(typ)):]
		one.Params = maps.Clone(call.Params)
		delete(one.Params, "media")
		maps.Copy(one.Params, item)
		one.Files = nil
		if name, ok := strings.CutPrefix(fakekit.Text(item["media"]), "attach://"); ok {
			for _, f := range call.Files {
				if f.Field == name {
					f.Field = typ
					one.Files = append(one.Files, f)
				}
			}
		} else {
			one.Params[typ] = item["media"]
		}
		m, err := s.sendAny(one)
		if err != nil {
			return nil, err
		}
		m.(fakekit.Object)["media_group_id"] = group
		out = append(out, m)
	}
	return out, nil
}

func (s *Server) sendDraft(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	if c.kind() != "private" {
		return nil, badRequest("chat not found")
	}
	if call.Int("draft_id") == 0 {
		return nil, badRequest("draft_id must be non-zero")
	}
	return true, orNil(setText(fakekit.Object{}, call, "text", 4096))
}

func (s *Server) sendChatAction(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	// The General topic's id is accepted here, other than in send methods.
	if id := int(call.Int("message_thread_id")); id > GeneralTopic && c.isForum() {
		if t := c.topics[id]; t == nil || t.deleted {
			return nil, badRequest("message thread not found")
		}
	}
	return true, nil
}

func (s *Server) forward(call fakekit.Call) (any, error) {
	copied, err := s.copyFrom(call)
	if err != nil {
		return nil, err
	}
	copied["forward_origin"] = fakekit.Object{"type": "hidden_user", "sender_user_name": "Ann", "date": time.Now().Unix()}
	return copied, nil
}

func (s *Server) copyMessage(call fakekit.Call) (any, error) {
	copied, err := s.copyFrom(call)
	if err != nil {
		return nil, err
	}
	return fakekit.Object{"message_id": copied["message_id"]}, nil
}

func (s *Server) copyFrom(call fakekit.Call) (fakekit.Object, error) {
	to, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	thread, apiErr := to.topic(call)
	if apiErr != nil {
		return nil, apiErr
	}
	from := s.chats[call.Int("from_chat_id")]
	if from == nil || from.messages[int(call.Int("message_id"))] == nil {
		return nil, badRequest("message to copy not found")
	}
	m := s.newMessage(to, thread, s.Bot)
	for k, v := range from.messages[int(call.Int("message_id"))] {
		if _, ok := m[k]; !ok && k != "message_thread_id" && k != "is_topic_message" {
			m[k] = v
		}
	}
	return maps.Clone(m), nil
}

func (s *Server) edit(call fakekit.Call) (any, error) {
	if call.Has("inline_message_id") {
		return true, nil
	}
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	old := c.messages[id]
	if old == nil {
		return nil, badRequest("message to edit not found")
	}
	if from, _ := old["from"].(fakekit.Object); from != nil && !reflect.DeepEqual(from["id"], s.Bot["id"]) {
		return nil, badRequest("message can't be edited")
	}
	m := maps.Clone(old)
	switch call.Method {
	case "editMessageText":
		if strings.TrimSpace(call.String("text")) == "" && !call.Has("rich_message") {
			return nil, badRequest("message text is empty")
		}
		if old["text"] == nil && old["rich_message"] == nil {
			return nil, badRequest("there is no text in the message to edit")
		}
		if err := setText(m, call, "text", 4096); err != nil {
			return nil, err
		}
	case "editMessageCaption":
		if err := setText(m, call, "caption", 1024); err != nil {
			return nil, err
		}
	}
	if err := setMarkup(m, call); err != nil {
		return nil, err
	}
	same := func(k string) bool { return fakekit.Text(old[k]) == fakekit.Text(m[k]) }
	if same("text") && same("entities") && same("caption") && same("caption_entities") && same("reply_markup") {
		return nil, badRequest("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	m["edit_date"] = time.Now().Unix()
	c.messages[id] = m
	return maps.Clone(m), nil
}

func (s *Server) deleteMessages(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	ids := []int{int(call.Int("message_id"))}
	if call.Method == "deleteMessages" {
		if err := call.JSON("message_ids", &ids); err != nil {
			return nil, badRequest("message identifiers must be an array")
		}
	} else if c.messages[ids[0]] == nil {
		return nil, badRequest("message to delete not found")
	}
	for _, id := range ids {
		delete(c.messages, id)
	}
	return true, nil
}

func (s *Server) setReaction(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	if c.messages[id] == nil {
		return nil, badRequest("message to react not found")
	}
	var reaction []any
	if call.Has("reaction") {
		if err := call.JSON("reaction", &reaction); err != nil {
			return nil, badRequest("can't parse reaction types JSON object")
		}
	}
	if len(reaction) > 1 {
		return nil, badRequest("REACTIONS_TOO_MANY")
	}
	c.reactions[id] = reaction
	return true, nil
}

func (s *Server) pin(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_id"))
	if c.messages[id] == nil {
		return nil, badRequest("message to pin not found")
	}
	c.pinned = append(c.pinned, id)
	return true, nil
}

func (s *Server) answerCallback(call fakekit.Call) (any, error) {
	id := call.String("callback_query_id")
	if !s.callbacks[id] {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	delete(s.callbacks, id)
	return true, nil
}

// UnansweredCallbacks returns the ids of callback queries that the bot has
// not answered; clients show a progress bar on their buttons.
func (s *Server) UnansweredCallbacks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.callbacks))
}

func commandKey(call fakekit.Call) string {
	return call.String("scope") + "|" + call.String("language_code")
}

func (s *Server) setCommands(call fakekit.Call) (any, error) {
	var commands []any
	if err := call.JSON("commands", &commands); err != nil {
		return nil, badRequest("can't parse commands JSON object")
	}
	s.commands[commandKey(call)] = commands
	return true, nil
}

func (s *Server) getCommands(call fakekit.Call) (any, error) {
	if c := s.commands[commandKey(call)]; c != nil {
		return c, nil
	}
	return []any{}, nil
}

func (s *Server) deleteCommands(call fakekit.Call) (any, error) {
	delete(s.commands, commandKey(call))
	return true, nil
}

func (s *Server) getFile(call fakekit.Call) (any, error) {
	id := call.String("file_id")
	f := s.files[id]
	if f == nil {
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	}
	if f.size > MaxDownload {
		return nil, badRequest("file is too big")
	}
	return fakekit.Object{"file_id": id, "file_unique_id": "u" + id, "file_size": f.size, "file_path": f.path}, nil
}

func (s *Server) getChat(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	info := maps.Clone(c.info)
	info["accent_color_id"], info["max_reaction_count"] = 0, 11
	info["accepted_gift_types"] = fakekit.Object{"unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false, "premium_subscription": false, "gifts_from_channels": false}
	return info, nil
}

func (s *Server) admin() fakekit.Object {
	rights := fakekit.Object{"status": "administrator", "user": s.Bot, "can_be_edited": false}
	for _, f := range s.spec.Types["ChatMemberAdministrator"].Fields {
		if f.Required && f.Types[0] == "Boolean" && f.Name != "can_be_edited" {
			rights[f.Name] = f.Name != "is_anonymous"
		}
	}
	rights["can_manage_topics"] = true
	return rights
}

func (s *Server) getChatMember(call fakekit.Call) (any, error) {
	c, apiErr := s.chat(call)
	if apiErr != nil {
		return nil, apiErr
	}
	if call.String("user_id") == fakekit.Text(s.Bot["id"]) {
		if c.noRights {
			return fakekit.Object{"status": "member", "user": s.Bot}, nil
		}
		return s.admin(), nil
	}
	return fakekit.Object{"status": "member", "user": User(call.Int("user_id"), "User", "")}, nil
}

func (s *Server) forum(call fakekit.Call) (*chat, *Error) {
	c, err := s.chat(call)
	if err != nil {
		return nil, err
	}
	if !c.isForum() && c.kind() != "private" {
		return nil, badRequest("the chat is not a forum")
	}
	if c.noRights {
		return nil, badRequest("not enough rights to create a topic")
	}
	return c, nil
}

func (s *Server) createForumTopic(call fakekit.Call) (any, error) {
	c, apiErr := s.forum(call)
	if apiErr != nil {
		return nil, apiErr
	}
	name := call.String("name")
	if strings.TrimSpace(name) == "" {
		return nil, badRequest("TOPIC_TITLE_EMPTY")
	}
	color := int(call.Int("icon_color"))
	if color == 0 {
		color = defaultIconColor
	}
	t := s.createTopic(c, name, color, s.Bot)
	return fakekit.Object{"message_thread_id": t.ID, "name": t.Name, "icon_color": t.IconColor}, nil
}

func (s *Server) changeTopic(call fakekit.Call) (any, error) {
	c, apiErr := s.forum(call)
	if apiErr != nil {
		return nil, apiErr
	}
	id := int(call.Int("message_thread_id"))
	if strings.Contains(call.Method, "General") {
		id = GeneralTopic
	}
	t := c.topics[id]
	if t == nil || t.deleted {
		return nil, badRequest("message thread not found")
	}
	verb := strings.TrimSuffix(strings.TrimSuffix(call.Method, "ForumTopic"), "General")
	unmodified := badRequest("TOPIC_NOT_MODIFIED")
	switch verb {
	case "edit":
		if name := call.String("name"); name != "" {
			t.Name = name
		}
	case "close":
		if t.Closed {
			return nil, unmodified
		}
		t.Closed = true
	case "reopen":
		if !t.Closed {
			return nil, unmodified
		}
		t.Closed = false
	case "hide":
		t.Hidden, t.Closed = true, true
	case "unhide":
		t.Hidden = false
	case "delete":
		t.deleted = true
		for mid, m := range c.messages {
			if m["message_thread_id"] == t.ID {
				delete(c.messages, mid)
			}
		}
	}
	return true, nil
}

func (s *Server) setWebhook(call fakekit.Call) (any, error) {
	s.setAllowedLocked(call)
	if call.Bool("drop_pending_updates") {
		s.queue = nil
	}
	hook := webhook{url: call.String("url"), secret: call.String("secret_token"), maxConnections: int(call.Int("max_connections"))}
	if hook.url != "" {
		u, err := url.Parse(hook.url)
		// The real API takes https only; loopback is let through for tests.
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
			return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
		}
	}
	if strings.Trim(hook.secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return nil, badRequest("secret token contains unallowed characters")
	}
	s.webhook = hook
	s.startWebhookLocked()
	return true, nil
}

func (s *Server) deleteWebhook(call fakekit.Call) (any, error) {
	if call.Bool("drop_pending_updates") {
		s.queue = nil
	}
	s.webhook = webhook{}
	s.startWebhookLocked()
	return true, nil
}

func (s *Server) getWebhookInfo(fakekit.Call) (any, error) {
	info := fakekit.Object{"url": s.webhook.url, "has_custom_certificate": false, "pending_update_count": len(s.queue)}
	if s.webhook.lastErrorDate != 0 {
		info["last_error_date"], info["last_error_message"] = s.webhook.lastErrorDate, s.webhook.lastError
	}
	if s.webhook.maxConnections != 0 {
		info["max_connections"] = s.webhook.maxConnections
	}
	if s.allowed != nil {
		info["allowed_updates"] = s.allowed
	}
	return info, nil
}
