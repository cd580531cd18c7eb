package discordfake

import (
	"maps"
	"net/http"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Response types.
const (
	respondPong           = 1
	respondMessage        = 4
	respondDeferred       = 5
	respondDeferredUpdate = 6
	respondUpdate         = 7
	respondChoices        = 8
	respondModal          = 9
)

func (s *Server) callback(call fakekit.Call) (any, *Error) {
	in := s.interactions[call.PathParams["interaction_token"]]
	if in == nil || in.id != call.PathParams["interaction_id"] || in.expired {
		return nil, notFound(10062, "interaction")
	}
	if in.answered {
		return nil, &Error{Status: http.StatusBadRequest, Code: 40060, Message: "Interaction has already been acknowledged."}
	}
	data, _ := call.Params["data"].(fakekit.Object)
	switch call.Int("type") {
	case respondMessage:
		m, err := s.compose(in.channel, call, data)
		if err != nil {
			return nil, err
		}
		s.answer(in, m)
		in.original = m["id"].(string)
	case respondDeferred:
		m := s.newMessage(in.channel, s.Bot, "", nil)
		flags := flagLoading
		if fakekit.Text(data["flags"]) == fakekit.Text(flagEphemeral) {
			flags |= flagEphemeral
		}
		m["flags"] = flags
		s.answer(in, m)
		in.original, in.deferred = m["id"].(string), true
	case respondDeferredUpdate:
		in.original = in.source
	case respondUpdate:
		in.original = in.source
		if in.source == "" {
			return nil, formError("type", "BASE_TYPE_CHOICES", "Only component interactions can update a message.")
		}
		if err := s.update(in, in.source, call, data); err != nil {
			return nil, err
		}
	case respondModal:
		in.modal = data
	}
	in.answered = true
	in.timer.Stop()
	if !call.Bool("with_response") {
		return nil, nil
	}
	return fakekit.Object{
		"interaction": fakekit.Object{"id": in.id, "type": 2}, "resource": fakekit.Object{"type": call.Params["type"]},
	}, nil
}

// answer stores a message for an interaction.
func (s *Server) answer(in *interaction, m fakekit.Object) {
	m["application_id"], m["webhook_id"] = s.AppID(), s.AppID()
	if m["flags"].(int)&flagEphemeral != 0 {
		in.ephemeral[m["id"].(string)] = m
		return
	}
	s.post(in.channel, m)
}

func (s *Server) update(in *interaction, id string, call fakekit.Call, params fakekit.Object) *Error {
	old := s.lookup(in, id)
	if old == nil {
		return notFound(10008, "Message")
	}
	m := maps.Clone(old)
	flags := m["flags"].(int) &^ flagLoading
	m["flags"] = flags
	if err := s.fill(m, in.channel, call, params); err != nil {
		return err
	}
	m["flags"] = m["flags"].(int) | flags
	if _, ok := params["content"]; ok {
		s.setMentions(m, fakekit.Text(params["content"]), params["allowed_mentions"])
	}
	if in.ephemeral[id] != nil {
		in.ephemeral[id] = m
		return nil
	}
	s.replace(in.channel, id, func(target fakekit.Object) { maps.Copy(target, m) })
	return nil
}

func (s *Server) lookup(in *interaction, id string) fakekit.Object {
	if m := in.ephemeral[id]; m != nil {
		return m
	}
	if i := in.channel.index(id); i >= 0 {
		return in.channel.messages[i]
	}
	return nil
}

func (s *Server) valid(call fakekit.Call) (*interaction, *Error) {
	in := s.interactions[call.PathParams["webhook_token"]]
	switch {
	case in == nil || call.PathParams["webhook_id"] != s.AppID() || !in.answered:
		return nil, notFound(10015, "Webhook")
	case time.Since(in.created) > s.opts.tokenLife:
		return nil, &Error{Status: http.StatusUnauthorized, Code: 50027, Message: "Invalid Webhook Token"}
	}
	return in, nil
}

func (s *Server) followup(call fakekit.Call) (any, *Error) {
	in, err := s.valid(call)
	if err != nil {
		return nil, err
	}
	if in.deferred {
		// The first follow-up after a deferral edits the promised answer.
		in.deferred = false
		if err := s.update(in, in.original, call, call.Params); err != nil {
			return nil, err
		}
		return s.lookup(in, in.original), nil
	}
	m, err := s.compose(in.channel, call, call.Params)
	if err != nil {
		return nil, err
	}
	s.answer(in, m)
	return m, nil
}

func (s *Server) webhookMessage(call fakekit.Call) (any, *Error) {
	in, err := s.valid(call)
	if err != nil {
		return nil, err
	}
	id := call.PathParams["message_id"]
	if id == "" {
		id = in.original
	}
	if s.lookup(in, id) == nil {
		return nil, notFound(10008, "Message")
	}
	switch call.Verb {
	case http.MethodDelete:
		if in.ephemeral[id] != nil {
			delete(in.ephemeral, id)
		} else {
			s.remove(in.channel, id)
		}
		return nil, nil
	case http.MethodPatch:
		in.deferred = false
		if err := s.update(in, id, call, call.Params); err != nil {
			return nil, err
		}
	}
	return s.lookup(in, id), nil
}
