package discordfake

import (
	"encoding/json"
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
func (s *Server) validate(call *fakekit.Call, rt *route, r *http.Request, body fakekit.Body) (invalid bool) {
	c := &checker{spec: s.router.spec}
	query := map[string]bool{}
	for _, p := range rt.op.Parameters {
		switch p.In {
		case "path":
			v := call.PathParams[p.Name]
			if u, err := url.PathUnescape(v); err == nil {
				v = u
			}
			call.PathParams[p.Name] = v
			c.check("path."+p.Name, p.Schema, v)
		case "query":
			query[p.Name] = true
			v := r.URL.Query().Get(p.Name)
			if !r.URL.Query().Has(p.Name) {
				if p.Required {
					c.errorf("query."+p.Name, "missing")
				}
				continue
			}
			c.check("query."+p.Name, p.Schema, queryValue(s.router, p.Schema, v))
		}
	}
	for name := range r.URL.Query() {
		if !query[name] {
			c.unknown = append(c.unknown, fmt.Sprintf("unknown query parameter %q", name))
		}
	}
	s.validateBody(c, call, rt, body)
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

// libraryNoise lists properties that discordgo sends by mistake and that
// Discord ignores.
var libraryNoise = map[string][]string{
	"PATCH /channels/{channel_id}/messages/{message_id}": {`body: unknown property "ID"`, `body: unknown property "Channel"`},
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

func (s *Server) validateBody(c *checker, call *fakekit.Call, rt *route, body fakekit.Body) {
	if rt.op.RequestBody == nil {
		if len(body.Raw) > 0 && string(body.Raw) != "{}" {
			call.Warnings = append(call.Warnings, "the operation takes no body")
		}
		return
	}
	var value any
	switch body.Type {
	case "multipart/form-data":
		payload, ok := body.Params["payload_json"].(string)
		if !ok {
			c.errorf("body", "multipart request without payload_json")
			return
		}
		v, err := fakekit.DecodeJSON([]byte(payload))
		if err != nil {
			c.errorf("body", "payload_json: %v", err)
			return
		}
		value = v
	case "application/json":
		v, err := fakekit.DecodeJSON(body.Raw)
		if err != nil {
			c.errorf("body", "%v", err)
			return
		}
		value = v
	case "":
		if rt.op.RequestBody.Required {
			c.errorf("body", "missing")
		}
		return
	default:
		c.errorf("body", "content type %s", body.Type)
		return
	}
	if obj, ok := value.(fakekit.Object); ok {
		call.Params = obj
	} else {
		call.Params = fakekit.Object{"": value}
	}
	content, ok := rt.op.RequestBody.Content["application/json"]
	if !ok {
		return
	}
	content.Schema = pickAlternative(c, rt.name, content.Schema, call.Params)
	c.check("body", content.Schema, value)
	checkFiles(c, call)
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
// returns what is wrong with it.
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
