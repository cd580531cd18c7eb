package telegramfake

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func (s *Server) validate(call *fakekit.Call) {
	if !s.known(call.Method) {
		call.Violations = append(call.Violations, "unknown method")
		return
	}
	c := &checker{spec: s.spec, files: call.Files}
	if s.spec != nil {
		c.checkRequest(s.spec.Methods[call.Method], call.Params)
	} else {
		c.checkBuiltin(call)
	}
	for _, f := range call.Files {
		if f.Size > MaxUpload {
			c.errorf("file %q: %d bytes, the limit is %d", f.Name, f.Size, MaxUpload)
		}
	}
	for _, rule := range proseRules(call) {
		c.errorf("%s", rule)
	}
	slices.Sort(c.errs)
	call.Violations = append(call.Violations, c.errs...)
	call.Warnings = append(call.Warnings, c.warnings...)
}

// proseRules checks what the API description says in prose only.
func proseRules(call *fakekit.Call) []string {
	var out []string
	has := call.Has
	switch call.Method {
	case "editMessageText", "editMessageReplyMarkup", "editMessageCaption", "editMessageMedia":
		if !has("inline_message_id") && (!has("chat_id") || !has("message_id")) {
			out = append(out, "needs chat_id and message_id, or inline_message_id")
		}
	case "sendMessageDraft", "sendRichMessageDraft":
		if call.Int("draft_id") == 0 {
			out = append(out, "draft_id must be non-zero")
		}
	case "setMyCommands":
		var commands []struct{ Command string }
		if call.JSON("commands", &commands) == nil {
			for _, c := range commands {
				if strings.Trim(c.Command, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
					out = append(out, fmt.Sprintf("command %q: "+
						"only lowercase English letters, digits and underscores are allowed", c.Command))
				}
			}
		}
	}
	if has("entities") && has("parse_mode") {
		out = append(out, "entities and parse_mode exclude each other")
	}
	return out
}
