package discordfake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// operations are the built-in behaviours. They run with the server locked.
var operations map[string]func(*Server, fakekit.Call) (any, *Error)

func init() {
	operations = map[string]func(*Server, fakekit.Call) (any, *Error){
		"GET /gateway": func(s *Server, _ fakekit.Call) (any, *Error) { return fakekit.Object{"url": s.gatewayURL()}, nil },
		"GET /gateway/bot": func(s *Server, _ fakekit.Call) (any, *Error) {
			limit := fakekit.Object{"total": 1000, "remaining": 1000 - s.identifies, "reset_after": 86400000, "max_concurrency": 1}
			return fakekit.Object{"url": s.gatewayURL(), "shards": 1, "session_start_limit": limit}, nil
		},
		"GET /users/@me":               func(s *Server, _ fakekit.Call) (any, *Error) { return s.self(), nil },
		"GET /users/{user_id}":         func(s *Server, c fakekit.Call) (any, *Error) { return User(c.PathParams["user_id"], "user"), nil },
		"GET /applications/@me":        func(s *Server, _ fakekit.Call) (any, *Error) { return s.application(), nil },
		"GET /oauth2/applications/@me": func(s *Server, _ fakekit.Call) (any, *Error) { return s.application(), nil },
		"POST /users/@me/channels":     (*Server).createDM,

		"GET /guilds/{guild_id}":                                                         (*Server).getGuild,
		"GET /guilds/{guild_id}/channels":                                                (*Server).listChannels,
		"GET /guilds/{guild_id}/roles":                                                   func(s *Server, c fakekit.Call) (any, *Error) { return s.roles(c) },
		"GET /guilds/{guild_id}/threads/active":                                          (*Server).activeThreads,
		"GET /guilds/{guild_id}/members/{user_id}":                                       (*Server).getMember,
		"GET /channels/{channel_id}":                                                     (*Server).getChannel,
		"PATCH /channels/{channel_id}":                                                   (*Server).editChannel,
		"DELETE /channels/{channel_id}":                                                  (*Server).deleteChannel,
		"POST /channels/{channel_id}/typing":                                             (*Server).typing,
		"GET /channels/{channel_id}/messages":                                            (*Server).listMessages,
		"POST /channels/{channel_id}/messages":                                           (*Server).createMessage,
		"GET /channels/{channel_id}/pins":                                                (*Server).listPins,
		"PUT /channels/{channel_id}/pins/{message_id}":                                   (*Server).pin,
		"DELETE /channels/{channel_id}/pins/{message_id}":                                (*Server).pin,
		"GET /channels/{channel_id}/messages/{message_id}":                               (*Server).getMessage,
		"PATCH /channels/{channel_id}/messages/{message_id}":                             (*Server).editMessage,
		"DELETE /channels/{channel_id}/messages/{message_id}":                            (*Server).deleteMessage,
		"POST /channels/{channel_id}/messages/bulk-delete":                               (*Server).bulkDelete,
		"PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me":    (*Server).react,
		"DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me": (*Server).react,
		"POST /channels/{channel_id}/messages/{message_id}/threads":                      (*Server).threadFromMessage,
		"POST /channels/{channel_id}/threads":                                            (*Server).createThread,
		"PUT /channels/{channel_id}/thread-members/@me":                                  (*Server).threadMember,
		"DELETE /channels/{channel_id}/thread-members/@me":                               (*Server).threadMember,
		"PUT /channels/{channel_id}/thread-members/{user_id}":                            (*Server).threadMember,
		"DELETE /channels/{channel_id}/thread-members/{user_id}":                         (*Server).threadMember,

		"GET /applications/{application_id}/commands":                                   (*Server).listCommands,
		"PUT /applications/{application_id}/commands":                                   (*Server).overwriteCommands,
		"POST /applications/{application_id}/commands":                                  (*Server).createCommand,
		"GET /applications/{application_id}/commands/{command_id}":                      (*Server).oneCommand,
		"PATCH /applications/{application_id}/commands/{command_id}":                    (*Server).oneCommand,
		"DELETE /applications/{application_id}/commands/{command_id}":                   (*Server).oneCommand,
		"GET /applications/{application_id}/guilds/{guild_id}/commands":                 (*Server).listCommands,
		"PUT /applications/{application_id}/guilds/{guild_id}/commands":                 (*Server).overwriteCommands,
		"POST /applications/{application_id}/guilds/{guild_id}/commands":                (*Server).createCommand,
		"GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}":    (*Server).oneCommand,
		"PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id}":  (*Server).oneCommand,
		"DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}": (*Server).oneCommand,
		"POST /interactions/{interaction_id}/{interaction_token}/callback":              (*Server).callback,
		"POST /webhooks/{webhook_id}/{webhook_token}":                                   (*Server).followup,
		"GET /webhooks/{webhook_id}/{webhook_token}/messages/@original":                 (*Server).webhookMessage,
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original":               (*Server).webhookMessage,
		"DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original":              (*Server).webhookMessage,
		"GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}":              (*Server).webhookMessage,
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}":            (*Server).webhookMessage,
		"DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}":           (*Server).webhookMessage,
	}
}

func notFound(code int, what string) *Error {
	return &Error{Status: http.StatusNotFound, Code: code, Message: "Unknown " + what}
}

func formError(field, code, message string) *Error {
	detail := fakekit.Object{"_errors": []any{fakekit.Object{"code": code, "message": message}}}
	return &Error{Status: http.StatusBadRequest, Code: 50035, Message: "Invalid Form Body", Errors: fakekit.Object{field: detail}}
}

func forbidden(code int, message string) *Error {
	return &Error{Status: http.StatusForbidden, Code: code, Message: message}
}

func (s *Server) gatewayURL() string { return "ws" + strings.TrimPrefix(s.URL, "http") + "/gateway" }

func (s *Server) self() fakekit.Object {
	u := maps.Clone(s.Bot)
	u["mfa_enabled"], u["locale"], u["email"], u["verified"] = false, "en-US", nil, true
	return u
}

func (s *Server) application() fakekit.Object {
	return fakekit.Object{
		"id": s.AppID(), "name": "fakebot", "icon": nil, "description": "", "type": nil, "bot": s.Bot, "summary": "", "bot_public": false,
		"bot_require_code_grant": false, "verify_key": strings.Repeat("0", 64), "flags": 1 << 18, "owner": User("1", "owner"), "team": nil,
		"redirect_uris": []any{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil,
	}
}

func (s *Server) channel(call fakekit.Call) (*channel, *Error) {
	c := s.channels[call.PathParams["channel_id"]]
	if c == nil {
		return nil, notFound(10003, "Channel")
	}
	return c, nil
}

func (s *Server) message(call fakekit.Call) (*channel, fakekit.Object, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, nil, err
	}
	i := c.index(call.PathParams["message_id"])
	if i < 0 {
		return nil, nil, notFound(10008, "Message")
	}
	return c, c.messages[i], nil
}

func (s *Server) createDM(call fakekit.Call) (any, *Error) {
	user := call.String("recipient_id")
	for _, c := range s.channels {
		if c.kind() == DMChannel && c.info["recipients"].([]any)[0].(fakekit.Object)["id"] == user {
			return c.info, nil
		}
	}
	return s.addDM(s.newID(), User(user, "user"+user)).info, nil
}

func (s *Server) getGuild(call fakekit.Call) (any, *Error) {
	g := s.guilds[call.PathParams["guild_id"]]
	if g == nil {
		return nil, notFound(10004, "Guild")
	}
	info := maps.Clone(g.info)
	info["roles"], _ = s.roles(call)
	info["emojis"], info["stickers"], info["features"] = []any{}, []any{}, []any{}
	return info, nil
}

func (s *Server) roles(call fakekit.Call) (any, *Error) {
	id := call.PathParams["guild_id"]
	if s.guilds[id] == nil {
		return nil, notFound(10004, "Guild")
	}
	return s.guildCreate(id)["roles"], nil
}

func (s *Server) listChannels(call fakekit.Call) (any, *Error) {
	id := call.PathParams["guild_id"]
	if s.guilds[id] == nil {
		return nil, notFound(10004, "Guild")
	}
	return s.guildCreate(id)["channels"], nil
}

func (s *Server) activeThreads(call fakekit.Call) (any, *Error) {
	id := call.PathParams["guild_id"]
	if s.guilds[id] == nil {
		return nil, notFound(10004, "Guild")
	}
	return fakekit.Object{"threads": s.guildCreate(id)["threads"], "members": []any{}}, nil
}

func (s *Server) getMember(call fakekit.Call) (any, *Error) {
	if s.guilds[call.PathParams["guild_id"]] == nil {
		return nil, notFound(10004, "Guild")
	}
	user := User(call.PathParams["user_id"], "user")
	if call.PathParams["user_id"] == s.AppID() {
		user = s.Bot
	}
	return fakekit.Object{"user": user, "roles": []any{}, "joined_at": stamp(), "deaf": false, "mute": false, "flags": 0, "nick": nil, "avatar": nil, "banner": nil, "communication_disabled_until": nil, "pending": false, "premium_since": nil}, nil
}

func (s *Server) getChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	return c.info, nil
}

func (s *Server) editChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	c.info = maps.Clone(c.info)
	meta, isThread := c.info["thread_metadata"].(fakekit.Object)
	if isThread {
		meta = maps.Clone(meta)
		c.info["thread_metadata"] = meta
	}
	for k, v := range call.Params {
		if _, ok := meta[k]; ok {
			meta[k] = v
		} else if _, ok := c.info[k]; ok && k != "type" {
			c.info[k] = v
		}
	}
	event := "CHANNEL_UPDATE"
	if isThread {
		event = "THREAD_UPDATE"
	}
	s.emit(event, c.info, c.guild())
	return c.info, nil
}

func (s *Server) deleteChannel(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	delete(s.channels, c.id())
	event := "CHANNEL_DELETE"
	if c.isThread() {
		event = "THREAD_DELETE"
	}
	s.emit(event, c.info, c.guild())
	return c.info, nil
}

func (s *Server) typing(call fakekit.Call) (any, *Error) {
	_, err := s.channel(call)
	return nil, err
}

func (s *Server) listMessages(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	limit := 50
	if n := int(call.Int("limit")); n > 0 {
		limit = n
	}
	before, after, around := call.Int("before"), call.Int("after"), call.Int("around")
	var out []any
	// Newest first, except that "after" counts from the oldest.
	list := slices.Clone(c.messages)
	if after == 0 {
		slices.Reverse(list)
	}
	for _, m := range list {
		id, _ := strconv.ParseInt(m["id"].(string), 10, 64)
		if before != 0 && id >= before || after != 0 && id <= after || len(out) >= limit && around == 0 {
			continue
		}
		out = append(out, m)
	}
	if after != 0 {
		slices.Reverse(out)
	}
	return orEmpty(out), nil
}

// compose builds a message of the bot from the parameters of a request.
func (s *Server) compose(c *channel, call fakekit.Call, params fakekit.Object) (fakekit.Object, *Error) {
	m := s.newMessage(c, s.Bot, fakekit.Text(params["content"]), params["allowed_mentions"])
	if err := s.fill(m, c, call, params); err != nil {
		return nil, err
	}
	if ref, _ := params["message_reference"].(fakekit.Object); ref != nil && fakekit.Text(ref["type"]) != "1" {
		i := c.index(fakekit.Text(ref["message_id"]))
		if i < 0 {
			if ref["fail_if_not_exists"] != false {
				return nil, formError("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
			}
		} else {
			m["type"] = 19
			m["message_reference"] = fakekit.Object{"type": 0, "message_id": ref["message_id"], "channel_id": c.id()}
			m["referenced_message"] = maps.Clone(c.messages[i])
			rules, _ := params["allowed_mentions"].(fakekit.Object)
			// Replies notify the author unless that is turned off.
			if author, _ := c.messages[i]["author"].(fakekit.Object); author != nil && (rules == nil || rules["replied_user"] == true) {
				m["mentions"] = append(slices.Clone(m["mentions"].([]any)), author)
			}
		}
	}
	if m["content"] == "" && len(m["embeds"].([]any)) == 0 && len(m["attachments"].([]any)) == 0 && len(m["components"].([]any)) == 0 && params["poll"] == nil && params["sticker_ids"] == nil {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50006, Message: "Cannot send an empty message"}
	}
	return m, nil
}

const (
	flagComponentsV2 = 1 << 15
	flagEphemeral    = 1 << 6
	flagLoading      = 1 << 7
)

// fill sets the content, embeds, components, flags and files of a message
// that are given in params.
func (s *Server) fill(m fakekit.Object, c *channel, call fakekit.Call, params fakekit.Object) *Error {
	if v, ok := params["flags"]; ok && v != nil {
		n, _ := strconv.Atoi(fakekit.Text(v))
		m["flags"] = n
	}
	v2 := m["flags"].(int)&flagComponentsV2 != 0
	if v, ok := params["content"]; ok {
		content := fakekit.Text(v)
		if n := len([]rune(content)); n > MaxContent {
			return formError("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
		}
		if v2 && content != "" {
			return formError("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2")
		}
		m["content"] = content
	}
	if list, ok := params["embeds"].([]any); ok {
		if n := embedLength(list); n > MaxEmbed {
			return formError("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
		}
		var embeds []any
		for _, e := range list {
			embed := maps.Clone(e.(fakekit.Object))
			embed["type"] = "rich"
			embeds = append(embeds, embed)
		}
		m["embeds"] = orEmpty(embeds)
	}
	if list, ok := params["components"].([]any); ok {
		if !v2 && slices.ContainsFunc(list, func(c any) bool { return fakekit.Text(c.(fakekit.Object)["type"]) != "1" }) {
			return formError("components", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
		}
		next := 1
		m["components"] = numberComponents(list, &next)
	}
	var kept []any
	list, listed := params["attachments"].([]any)
	old, _ := m["attachments"].([]any)
	for _, a := range old {
		if !listed || slices.ContainsFunc(list, func(b any) bool { return fakekit.Text(b.(fakekit.Object)["id"]) == a.(fakekit.Object)["id"] }) {
			kept = append(kept, a)
		}
	}
	for _, f := range call.Files {
		kept = append(kept, s.attach(c.id(), f))
	}
	m["attachments"] = orEmpty(kept)
	return nil
}

// numberComponents gives components the ids that Discord fills in.
func numberComponents(list []any, next *int) []any {
	out := []any{}
	for _, item := range list {
		c := maps.Clone(item.(fakekit.Object))
		if c["id"] == nil {
			c["id"] = *next
		}
		*next++
		if children, ok := c["components"].([]any); ok {
			c["components"] = numberComponents(children, next)
		}
		for k, v := range c {
			if v == nil {
				delete(c, k)
			}
		}
		out = append(out, c)
	}
	return out
}

func embedLength(list []any) int {
	n := 0
	var walk func(k string, v any)
	walk = func(k string, v any) {
		switch v := v.(type) {
		case string:
			switch k {
			case "title", "description", "name", "value", "text":
				n += len([]rune(v))
			}
		case []any:
			for _, item := range v {
				walk("", item)
			}
		case fakekit.Object:
			for k, item := range v {
				walk(k, item)
			}
		}
	}
	walk("", list)
	return n
}

func (s *Server) createMessage(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	if c.readOnly {
		return nil, forbidden(50013, "Missing Permissions")
	}
	if c.kind() == ForumChannel {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50008, Message: "Cannot send messages in a non-text channel"}
	}
	if meta, ok := c.info["thread_metadata"].(fakekit.Object); ok {
		if meta["locked"] == true {
			return nil, forbidden(50083, "Thread is archived")
		}
		if meta["archived"] == true {
			// Sending a message brings a thread back.
			c.info = maps.Clone(c.info)
			meta = maps.Clone(meta)
			meta["archived"] = false
			c.info["thread_metadata"] = meta
			s.emit("THREAD_UPDATE", c.info, c.guild())
		}
	}
	nonce := call.String("nonce")
	if nonce != "" && call.Bool("enforce_nonce") {
		if old := c.nonces[nonce]; old != nil {
			return old, nil
		}
	}
	m, err := s.compose(c, call, call.Params)
	if err != nil {
		return nil, err
	}
	if nonce != "" {
		m["nonce"] = call.Params["nonce"]
		c.nonces[nonce] = m
	}
	s.post(c, m)
	return m, nil
}

func (s *Server) getMessage(call fakekit.Call) (any, *Error) {
	_, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Server) editMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	if m["author"].(fakekit.Object)["id"] != s.AppID() {
		return nil, forbidden(50005, "Cannot edit a message authored by another user")
	}
	probe := maps.Clone(m)
	if err := s.fill(probe, c, call, call.Params); err != nil {
		return nil, err
	}
	return s.replace(c, m["id"].(string), func(m fakekit.Object) {
		maps.Copy(m, probe)
		if call.Has("content") {
			s.setMentions(m, call.String("content"), call.Params["allowed_mentions"])
		}
	}), nil
}

func (s *Server) deleteMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	s.remove(c, m["id"].(string))
	return nil, nil
}

func (s *Server) remove(c *channel, id string) {
	c.messages = slices.DeleteFunc(slices.Clone(c.messages), func(m fakekit.Object) bool { return m["id"] == id })
	s.emit("MESSAGE_DELETE", fakekit.Object{"id": id, "channel_id": c.id(), "guild_id": c.guild()}, c.guild())
}

func (s *Server) bulkDelete(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	list, _ := call.Params["messages"].([]any)
	for _, id := range list {
		s.remove(c, fakekit.Text(id))
	}
	return nil, nil
}

func (s *Server) react(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	event := "MESSAGE_REACTION_ADD"
	if call.Verb == http.MethodDelete {
		event = "MESSAGE_REACTION_REMOVE"
	}
	s.emit(event, fakekit.Object{
		"user_id": s.AppID(), "channel_id": c.id(), "message_id": m["id"], "guild_id": c.guild(),
		"emoji": fakekit.Object{"id": nil, "name": call.PathParams["emoji_name"]}, "burst": false, "type": 0,
	}, c.guild())
	return nil, nil
}

func (s *Server) pin(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	s.replace(c, m["id"].(string), func(m fakekit.Object) { m["pinned"] = call.Verb == http.MethodPut })
	return nil, nil
}

func (s *Server) listPins(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, m := range c.messages {
		if m["pinned"] == true {
			out = append(out, m)
		}
	}
	return orEmpty(out), nil
}

func (s *Server) threadFromMessage(call fakekit.Call) (any, *Error) {
	c, m, err := s.message(call)
	if err != nil {
		return nil, err
	}
	id := m["id"].(string)
	if s.channels[id] != nil {
		return nil, &Error{Status: http.StatusBadRequest, Code: 160004, Message: "A thread has already been created for this message"}
	}
	if c.kind() != TextChannel {
		return nil, &Error{Status: http.StatusBadRequest, Code: 50024, Message: "Cannot execute action on this channel type"}
	}
	// A thread has the id of the message it starts from.
	t := s.newThread(c, id, call.String("name"), PublicThread, s.AppID())
	s.emit("THREAD_CREATE", withNew(t.info), c.guild())
	return t.info, nil
}

func (s *Server) createThread(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	kind := PrivateThread
	if call.Has("type") {
		kind = int(call.Int("type"))
	}
	if c.kind() == ForumChannel {
		kind = PublicThread
	}
	id := s.newID()
	t := s.newThread(c, id, call.String("name"), kind, s.AppID())
	result := maps.Clone(t.info)
	if c.kind() == ForumChannel {
		first, _ := call.Params["message"].(fakekit.Object)
		if first == nil {
			delete(s.channels, id)
			return nil, formError("message", "BASE_TYPE_REQUIRED", "This field is required")
		}
		m, err := s.compose(t, call, first)
		if err != nil {
			delete(s.channels, id)
			return nil, err
		}
		m["id"] = id // the first message of a post has the post's id
		s.emit("THREAD_CREATE", withNew(t.info), c.guild())
		s.post(t, m)
		result["message"] = m
		return result, nil
	}
	s.emit("THREAD_CREATE", withNew(t.info), c.guild())
	return result, nil
}

func (s *Server) threadMember(call fakekit.Call) (any, *Error) {
	c, err := s.channel(call)
	if err != nil {
		return nil, err
	}
	user := call.PathParams["user_id"]
	if user == "" {
		user = s.AppID()
	}
	c.members[user] = call.Verb == http.MethodPut
	return nil, nil
}

func (s *Server) listCommands(call fakekit.Call) (any, *Error) {
	var out []any
	for _, c := range s.commands[call.PathParams["guild_id"]] {
		out = append(out, c)
	}
	return orEmpty(out), nil
}

func (s *Server) command(call fakekit.Call, params fakekit.Object, id string) fakekit.Object {
	c := maps.Clone(params)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	c["id"], c["application_id"], c["version"] = id, s.AppID(), s.newID()
	if guild := call.PathParams["guild_id"]; guild != "" {
		c["guild_id"] = guild
	}
	defaults := fakekit.Object{"type": 1, "description": "", "default_member_permissions": nil, "nsfw": false}
	for k, v := range defaults {
		if _, ok := c[k]; !ok {
			c[k] = v
		}
	}
	return c
}

func (s *Server) overwriteCommands(call fakekit.Call) (any, *Error) {
	list, _ := call.Params[""].([]any)
	guild := call.PathParams["guild_id"]
	var (
		stored []fakekit.Object
		out    []any
	)
	for _, item := range list {
		params, _ := item.(fakekit.Object)
		id := s.newID()
		// A command with the same name keeps its id.
		for _, old := range s.commands[guild] {
			if old["name"] == params["name"] {
				id = old["id"].(string)
			}
		}
		c := s.command(call, params, id)
		stored, out = append(stored, c), append(out, c)
	}
	s.commands[guild] = stored
	return orEmpty(out), nil
}

func (s *Server) createCommand(call fakekit.Call) (any, *Error) {
	guild := call.PathParams["guild_id"]
	c := s.command(call, call.Params, s.newID())
	s.commands[guild] = slices.DeleteFunc(slices.Clone(s.commands[guild]), func(old fakekit.Object) bool { return old["name"] == c["name"] })
	s.commands[guild] = append(s.commands[guild], c)
	return c, nil
}

func (s *Server) oneCommand(call fakekit.Call) (any, *Error) {
	guild := call.PathParams["guild_id"]
	list := s.commands[guild]
	i := slices.IndexFunc(list, func(c fakekit.Object) bool { return c["id"] == call.PathParams["command_id"] })
	if i < 0 {
		return nil, notFound(10063, "application command")
	}
	switch call.Verb {
	case http.MethodDelete:
		s.commands[guild] = slices.Delete(slices.Clone(list), i, i+1)
		return nil, nil
	case http.MethodPatch:
		changed := maps.Clone(list[i])
		maps.Copy(changed, call.Params)
		changed["version"] = s.newID()
		list = slices.Clone(list)
		list[i] = changed
		s.commands[guild] = list
		return changed, nil
	}
	return list[i], nil
}
