package discordfake

import (
	"maps"
	"net/http"
	"slices"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

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
	s.commands[guild] = slices.DeleteFunc(
		slices.Clone(s.commands[guild]), func(old fakekit.Object) bool { return old["name"] == c["name"] },
	)
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
