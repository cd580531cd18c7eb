package discordfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// validate checks a request against the document. It reports whether Discord
// would refuse the request; properties that it ignores are violations too.
// Without a document, only what the fake itself knows is checked.
func (s *Server) validate(call *fakekit.Call, rt *route, r *http.Request, body fakekit.Body) (invalid bool) {
	c := &checker{spec: s.router.spec}
	for name, v := range call.PathParams {
		if u, err := url.PathUnescape(v); err == nil {
			call.PathParams[name] = u
		}
	}
	if rt.op != nil {
		s.validateParams(c, call, rt, r.URL.Query())
	}
	validateBody(c, call, rt, body)
	for _, f := range call.Files {
		if f.Size > MaxFile {
			c.errorf("files."+f.Name, "%d bytes, the limit is %d", f.Size, MaxFile)
		}
	}
	if ua := r.Header.Get("User-Agent"); rt.needsBot() && !strings.HasPrefix(ua, "DiscordBot (") {
		call.Warnings = append(call.Warnings, fmt.Sprintf("User-Agent %q: must be DiscordBot (url, version)", ua))
	}
	call.Warnings = append(call.Warnings, c.warnings...)
	c.unknown = slices.DeleteFunc(c.unknown, func(msg string) bool {
		known := slices.Contains(libraryNoise[rt.name], msg)
		if known {
			call.Warnings = append(call.Warnings, msg)
		}
		return known
	})
	invalid = len(c.errs) > 0
	problems := append(c.errs, c.unknown...)
	slices.Sort(problems)
	call.Violations = append(call.Violations, problems...)
	return invalid
}

// validateParams checks the parameters in path and query.
func (s *Server) validateParams(c *checker, call *fakekit.Call, rt *route, query url.Values) {
	known := map[string]bool{}
	for _, p := range rt.op.Parameters {
		switch p.In {
		case "path":
			c.check("path."+p.Name, p.Schema, call.PathParams[p.Name])
		case "query":
			known[p.Name] = true
			if query.Has(p.Name) {
				c.check("query."+p.Name, p.Schema, queryValue(s.router, p.Schema, query.Get(p.Name)))
			} else if p.Required {
				c.errorf("query."+p.Name, "missing")
			}
		}
	}
	for name := range query {
		if !known[name] {
			c.unknown = append(c.unknown, fmt.Sprintf("unknown query parameter %q", name))
		}
	}
}

// libraryNoise lists properties that discordgo sends by mistake and that
// Discord ignores.
var libraryNoise = map[string][]string{
	"PATCH /channels/{channel_id}/messages/{message_id}": {
		`body: unknown property "ID"`, `body: unknown property "Channel"`,
	},
}

// queryValue turns the text of a query parameter into the type it stands for.
func queryValue(r *router, s *schema, v string) any {
	resolved := (&checker{spec: r.spec}).resolve(s)
	switch {
	case resolved == nil:
		return v
	case slices.Contains(resolved.Type, "boolean"):
		if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil {
			return b
		}
	case slices.Contains(resolved.Type, "integer"), slices.Contains(resolved.Type, "number"):
		return json.Number(v)
	case slices.Contains(resolved.Type, "array"):
		return []any{v}
	}
	return v
}

// validateBody decodes the body into the call's parameters and checks it.
func validateBody(c *checker, call *fakekit.Call, rt *route, body fakekit.Body) {
	if rt.op != nil && rt.op.RequestBody == nil {
		if len(body.Raw) > 0 && string(body.Raw) != "{}" {
			call.Warnings = append(call.Warnings, "the operation takes no body")
		}
		return
	}
	if body.Type == "" {
		if rt.op != nil && rt.op.RequestBody.Required {
			c.errorf("body", "missing")
		}
		return
	}
	value, err := bodyValue(body)
	if err != nil {
		c.errorf("body", "%v", err)
		return
	}
	if obj, ok := value.(fakekit.Object); ok {
		call.Params = obj
	} else {
		call.Params = fakekit.Object{"": value}
	}
	if rt.op != nil {
		content, ok := rt.op.RequestBody.Content["application/json"]
		if !ok {
			return
		}
		c.check("body", pickAlternative(c, rt.name, content.Schema, call.Params), value)
	}
	checkFiles(c, call)
}

// bodyValue decodes the JSON of a body, which is a field of a form when there
// are files.
func bodyValue(body fakekit.Body) (any, error) {
	switch body.Type {
	case "multipart/form-data":
		payload, ok := body.Params["payload_json"].(string)
		if !ok {
			return nil, errors.New("multipart request without payload_json")
		}
		v, err := fakekit.DecodeJSON([]byte(payload))
		if err != nil {
			return nil, fmt.Errorf("payload_json: %w", err)
		}
		return v, nil
	case "application/json":
		return fakekit.DecodeJSON(body.Raw)
	default:
		return nil, errors.New("content type " + body.Type)
	}
}

// pickAlternative chooses among the body schemas of an operation by the
// property that tells them apart, for better messages.
func pickAlternative(c *checker, operation string, s *schema, params fakekit.Object) *schema {
	for _, a := range s.AnyOf {
		alt := c.resolve(a)
		switch {
		case strings.HasSuffix(operation, "/callback"):
			probe := &checker{spec: c.spec}
			probe.check("type", alt.Properties["type"], params["type"])
			if len(probe.errs) == 0 {
				return alt
			}
		case strings.HasSuffix(operation, "/threads"):
			_, wants := alt.Properties["message"]
			if _, has := params["message"]; has == wants {
				return alt
			}
		}
	}
	return s
}

var reFile = regexp.MustCompile(`^files\[(\d+)\]$`)

// checkFiles checks that uploads and the attachments that name them agree.
func checkFiles(c *checker, call *fakekit.Call) {
	ids := map[string]bool{}
	for _, f := range call.Files {
		m := reFile.FindStringSubmatch(f.Field)
		if m == nil {
			c.errorf("files", "field %q, want files[n]", f.Field)
			continue
		}
		ids[m[1]] = true
	}
	list, _ := call.Params["attachments"].([]any)
	for i, a := range list {
		obj, _ := a.(fakekit.Object)
		if id := fakekit.Text(obj["id"]); len(id) < 10 && !ids[id] {
			c.errorf(fmt.Sprintf("body.attachments[%d]", i), "no upload files[%s]", id)
		}
	}
}

// CheckResponse validates the answer to a call against the document and
// returns what is wrong with it, which is nothing if there is no document.
func (s *Server) CheckResponse(call fakekit.Call) []string {
	for _, rt := range s.router.routes {
		if rt.name != call.Method {
			continue
		}
		body, err := fakekit.DecodeJSON(call.Response)
		if err != nil {
			return []string{err.Error()}
		}
		return s.router.checkResponse(rt, call.Status, body)
	}
	return nil
}
