package slackfake

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// apiSpec is the current method reference.
type apiSpec struct {
	Version string             `json:"version"`
	Methods map[string]*method `json:"methods"`
	Events  []string           `json:"events"`
}

type method struct {
	JSON      bool            `json:"json"`
	RateLimit string          `json:"rate_limit"`
	Args      map[string]*arg `json:"args"`
	Required  []string        `json:"required"`
	Errors    []string        `json:"errors"`
	ArgGroups []argGroup      `json:"arg_groups"`
}

type argGroup struct {
	Args      []string `json:"args"`
	Exclusive bool     `json:"mutually_exclusive"`
	Required  *bool    `json:"required"`
}

type arg struct {
	Type      string         `json:"type"`
	Schema    string         `json:"schema"`
	Enum      []any          `json:"enum"`
	AnyOf     []*arg         `json:"anyOf"`
	Items     *arg           `json:"items"`
	Props     map[string]any `json:"properties"`
	Required  any            `json:"required"`
	MinItems  *int           `json:"minItems"`
	MaxItems  *int           `json:"maxItems"`
	MinLength *int           `json:"minLength"`
	MaxLength *int           `json:"maxLength"`
	Minimum   json.Number    `json:"minimum"`
	Maximum   json.Number    `json:"maximum"`
}

// legacySpec is the request side of the OpenAPI document of 2021.
type legacySpec struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name     string
			In       string
			Required bool
			Type     string
		}
	}
}

// loadSpec returns the methods of the current reference, and those that only
// the document of 2021 has; nil when there are no descriptions.
func loadSpec() (map[string]*method, error) {
	current, err := specs.Load[apiSpec](specs.Slack)
	if errors.Is(err, specs.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	legacy, err := specs.Load[legacySpec](specs.SlackOpenAPI)
	if err != nil {
		return nil, err
	}
	methods := map[string]*method{}
	for path, item := range legacy.Paths {
		m := &method{Args: map[string]*arg{}}
		for _, op := range item {
			for _, p := range op.Parameters {
				m.Args[p.Name] = &arg{Type: p.Type}
				if p.Required && p.Name != "token" {
					m.Required = append(m.Required, p.Name)
				}
			}
		}
		methods[strings.TrimPrefix(path, "/")] = m
	}
	for name, m := range current.Methods {
		methods[name] = m
	}
	// The reference calls markdown_text required, but the chunks that it
	// describes on the same page take its place.
	if m := methods["chat.appendStream"]; m != nil {
		relaxed := *m
		relaxed.Required = slices.Clone(m.Required)
		relaxed.Required = slices.DeleteFunc(relaxed.Required, func(s string) bool { return s == "markdown_text" })
		relaxed.ArgGroups = append(slices.Clone(m.ArgGroups), argGroup{Args: []string{"markdown_text", "chunks"}})
		methods["chat.appendStream"] = &relaxed
	}
	return methods, nil
}

// decode returns a structured argument, which is JSON text in a form and a
// value in a JSON body.
func decode(v any) (any, bool) {
	s, ok := v.(string)
	if !ok {
		return v, v != nil
	}
	if s == "" {
		return nil, false
	}
	decoded, err := fakekit.DecodeJSON([]byte(s))
	return decoded, err == nil
}

// otherMethods are methods without a behaviour of their own that the fake
// knows of when there is no description to ask.
const otherMethods = `
	api.test bookmarks.add bookmarks.edit bookmarks.list bookmarks.remove chat.deleteScheduledMessage
	chat.scheduleMessage chat.scheduledMessages.list chat.unfurl conversations.archive conversations.close
	conversations.invite conversations.kick conversations.leave conversations.mark conversations.rename
	conversations.setPurpose conversations.setTopic conversations.unarchive dnd.info emoji.list files.list pins.add
	pins.list pins.remove reactions.get reactions.list usergroups.list users.getPresence users.profile.get
	users.profile.set users.setPresence`

// known reports whether the Web API has a method, as far as the fake can tell.
func (s *Server) known(method string) bool {
	if s.methods != nil {
		return s.methods[method] != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behaviours[method] != nil || s.handlers[method] != nil ||
		slices.Contains(strings.Fields(otherMethods), method)
}
