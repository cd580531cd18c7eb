package discordfake

import (
	"maps"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) gatewayURL() string { return "ws" + strings.TrimPrefix(s.URL, "http") + "/gateway" }

func (s *Server) gateway(fakekit.Call) (any, *Error) {
	return fakekit.Object{"url": s.gatewayURL()}, nil
}

func (s *Server) gatewayBot(fakekit.Call) (any, *Error) {
	limit := fakekit.Object{
		"total": 1000, "remaining": 1000 - s.identifies, "reset_after": 86400000, "max_concurrency": 1,
	}
	return fakekit.Object{"url": s.gatewayURL(), "shards": 1, "session_start_limit": limit}, nil
}

func getUser(_ *Server, call fakekit.Call) (any, *Error) {
	return User(call.PathParams["user_id"], "user"), nil
}

func (s *Server) self() fakekit.Object {
	u := maps.Clone(s.Bot)
	u["mfa_enabled"], u["locale"], u["email"], u["verified"] = false, "en-US", nil, true
	return u
}

func (s *Server) application() fakekit.Object {
	return fakekit.Object{
		"id": s.AppID(), "name": "fakebot", "icon": nil, "description": "", "type": nil, "bot": s.Bot, "summary": "",
		"bot_public":             false,
		"bot_require_code_grant": false, "verify_key": strings.Repeat("0", 64), "flags": 1 << 18,
		"owner": User("1", "owner"), "team": nil,
		"redirect_uris": []any{}, "interactions_endpoint_url": nil, "role_connections_verification_url": nil,
	}
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
	delete(info, "joined_at") // which only the gateway tells
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
	return fakekit.Object{
		"user": user, "roles": []any{}, "joined_at": stamp(), "deaf": false, "mute": false, "flags": 0, "nick": nil,
		"avatar": nil, "banner": nil, "communication_disabled_until": nil, "pending": false, "premium_since": nil,
	}, nil
}
