package slackfake

import (
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) validate(call *fakekit.Call, contentType string) {
	if !s.known(call.Method) {
		call.Violations = append(call.Violations, "unknown method")
		return
	}
	c := &checker{}
	if m := s.methods[call.Method]; m != nil {
		c.checkArgs(m, call.Params)
		if contentType == "application/json" && !m.JSON {
			c.errorf("the method takes no JSON body")
		}
	}
	switch {
	case strings.HasPrefix(call.Method, "chat."):
		c.checkContent(call.Params)
	case strings.HasPrefix(call.Method, "views."):
		if view, ok := decode(call.Params["view"]); ok {
			c.checkView(view)
		} else {
			c.errorf("view: not valid JSON")
		}
	}
	switch call.Method {
	case "chat.startStream":
		s.mu.Lock()
		conv := s.channels[call.String("channel")]
		s.mu.Unlock()
		named := call.Has("recipient_user_id") && call.Has("recipient_team_id")
		if conv != nil && conv.Kind != "im" && !named {
			c.errorf("recipient_user_id and recipient_team_id are needed in channels")
		}
	case "assistant.threads.setSuggestedPrompts":
		if list, ok := decode(call.Params["prompts"]); ok {
			c.list("prompts", list, 1, 4)
		}
	case "reactions.add":
		if name := call.String("name"); strings.ContainsAny(name, ": ") {
			c.errorf("name: %q, want the emoji's name without colons", name)
		}
	}
	slices.Sort(c.errs)
	call.Violations = append(call.Violations, c.errs...)
	call.Warnings = append(call.Warnings, c.warnings...)
}
