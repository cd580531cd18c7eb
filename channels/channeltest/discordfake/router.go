package discordfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

type route struct {
	name     string // "POST /channels/{channel_id}/messages"
	verb     string
	segments []string
	op       *operation // nil when there is no document
}

// router finds the operation of a request.
type router struct {
	spec   *openAPI // nil when there is no document
	routes []*route
}

// newRouter returns the routes of the document or, if there is none, those of
// the operations that the fake has.
func newRouter(actions map[string]action) (*router, error) {
	spec, err := specs.Load[openAPI](specs.Discord)
	if errors.Is(err, specs.ErrNotFound) {
		r := &router{}
		for name := range actions {
			r.add(name)
		}
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r := &router{spec: spec}
	for path, item := range spec.Paths {
		if err := r.addPath(path, item); err != nil {
			return nil, fmt.Errorf("API description: %s: %w", path, err)
		}
	}
	return r, nil
}

func newRoute(verb, path string) *route {
	return &route{name: verb + " " + path, verb: verb, segments: strings.Split(path, "/")[1:]}
}

// add adds a route for an operation that no document describes.
func (r *router) add(name string) {
	verb, path, ok := strings.Cut(name, " ")
	if r.spec != nil || !ok || slices.ContainsFunc(r.routes, func(rt *route) bool { return rt.name == name }) {
		return
	}
	r.routes = append(r.routes, newRoute(verb, path))
}

// addPath adds the operations of one path of the document.
func (r *router) addPath(path string, item map[string]json.RawMessage) error {
	var shared []parameter
	if raw, ok := item["parameters"]; ok {
		if err := json.Unmarshal(raw, &shared); err != nil {
			return err
		}
	}
	for verb, raw := range item {
		if verb == "parameters" {
			continue
		}
		rt := newRoute(strings.ToUpper(verb), path)
		rt.op = new(operation)
		if err := json.Unmarshal(raw, rt.op); err != nil {
			return fmt.Errorf("%s: %w", verb, err)
		}
		rt.op.Parameters = append(rt.op.Parameters, shared...)
		r.routes = append(r.routes, rt)
	}
	return nil
}

// find returns the best route for a path and the values of its variables. The
// second result is false if the path exists with other verbs only.
func (r *router) find(verb, path string) (*route, map[string]string, bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	var (
		best      *route
		bestFixed = -1
		pathKnown bool
	)
	for _, rt := range r.routes {
		fixed, ok := matchSegments(rt.segments, segments)
		if !ok {
			continue
		}
		pathKnown = true
		if rt.verb == verb && fixed > bestFixed {
			best, bestFixed = rt, fixed
		}
	}
	if best == nil {
		return nil, nil, pathKnown
	}
	params := map[string]string{}
	for i, s := range best.segments {
		if name, ok := variable(s); ok {
			params[name] = segments[i]
		}
	}
	return best, params, true
}

func variable(segment string) (string, bool) {
	if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

func matchSegments(pattern, segments []string) (fixed int, ok bool) {
	if len(pattern) != len(segments) {
		return 0, false
	}
	for i, p := range pattern {
		if _, isVar := variable(p); isVar {
			continue
		}
		if p != segments[i] {
			return 0, false
		}
		fixed++
	}
	return fixed, true
}

// creates reports whether success is told by 201 instead of 200.
func (rt *route) creates() bool {
	if rt.op == nil {
		return rt.verb == http.MethodPost && rt.segments[len(rt.segments)-1] == "threads"
	}
	_, ok := rt.op.Responses["200"]
	return !ok
}

// checkResponse validates what the fake answers.
func (r *router) checkResponse(rt *route, status int, body any) []string {
	if rt.op == nil {
		return nil
	}
	resp, ok := rt.op.Responses[strconv.Itoa(status)]
	if !ok {
		if status/100 == 2 {
			return []string{fmt.Sprintf("the spec has no %d response", status)}
		}
		return nil
	}
	content, ok := resp.Content["application/json"]
	if !ok {
		return nil
	}
	c := &checker{spec: r.spec}
	c.check("response", content.Schema, body)
	return append(c.errs, c.unknown...)
}

// needsBot reports whether an operation needs the bot's token.
func (rt *route) needsBot() bool {
	if rt.op == nil {
		return rt.name != "GET /gateway" && rt.segments[0] != "interactions" && rt.segments[0] != "webhooks"
	}
	if len(rt.op.Security) == 0 {
		return false
	}
	for _, s := range rt.op.Security {
		if len(s) == 0 {
			return false
		}
	}
	return true
}
