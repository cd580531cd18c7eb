package tools_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/tools"
)

// echo gives its arguments back.
type echo struct{}

func (echo) Execute(_ context.Context, call *tools.Call) (*tools.Result, error) {
	return tools.Text(string(call.Args)), nil
}

// callEcho calls a tool with a given schema through a pipeline.
func callEcho(t *testing.T, schema, args string) *tools.Result {
	t.Helper()
	tool := tools.Tool{Descriptor: tools.Descriptor{Name: "echo", Input: []byte(schema)}, Executor: echo{}}
	rs := run(t, new(tools.Pipeline), mustPlan(t, []tools.Tool{tool}), &tools.Call{Name: "echo", Args: []byte(args)})
	return rs[0]
}

const readSchema = `{"type":"object","properties":{
	"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"all":{"type":"boolean"},
	"mode":{"enum":["fast","slow"]},"kind":{"const":"x"},"tags":{"type":["null","array"],"items":{"type":"string"}},
	"to":{"anyOf":[{"type":"string"},{"type":"integer"}]},
	"parts":{"type":"array","items":{"$ref":"#/$defs/part"}}},
	"required":["path"],"additionalProperties":false,
	"$defs":{"part":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],
		"additionalProperties":false}}}`

func TestArgumentsAreExplainedAllAtOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, want string }{
		"missing and of a wrong type": {`{"limit":"ten"}`, `limit: must be an integer, got "ten"; path: missing`},
		"an empty object":             {``, `path: missing`},
		"a name with an error":        {`{"paht":"x"}`, `paht: unknown, did you mean path?; path: missing`},
		"a name like none": {
			`{"path":"x","zzz":1}`, `zzz: unknown, there is only all, kind, limit, mode, parts, path, tags, to`,
		},
		"a name in another case": {`{"Path":"x"}`, `Path: unknown, did you mean path?; path: missing`},
		"a value out of a list":  {`{"path":"x","mode":"quick"}`, `mode: must be one of "fast", "slow", got "quick"`},
		"a value out of range":   {`{"path":"x","limit":0}`, `limit: minimum: got 0, want 1`},
		"a fraction":             {`{"path":"x","limit":1.5}`, `limit: must be an integer, got 1.5`},
		"null":                   {`{"path":null}`, `path: must be a string, got null`},
		"one of several types":   {`{"path":"x","tags":1}`, `tags: must be null or an array, got 1`},
		"no alternative fits": {
			`{"path":"x","to":[1]}`, `to: must be a string, got [1], or to: must be an integer, got [1]`,
		},
		"deep inside": {
			`{"path":"x","parts":[{"title":"a"},{"titel":5}]}`,
			`parts[1].titel: unknown, did you mean title?; parts[1].title: missing`,
		},
		"a long value":     {`{"path":["` + strings.Repeat("é", 1000) + `"]}`, `path: must be a string, got ["éééééé`},
		"cut off":          {`{"path":"x`, `they seem to be cut off`},
		"an array":         {`[]`, `they must be one JSON object`},
		"too large":        {`{"path":"` + strings.Repeat("x", 1<<20) + `"}`, `they are larger than 1048576 bytes`},
		"nested very deep": {`{"path":` + strings.Repeat("[", 100000), `nested deeper`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := callEcho(t, readSchema, tc.args)
			if !r.IsError || !strings.Contains(r.ForModel, tc.want) || len(r.ForModel) > 400 {
				t.Errorf("got %q, want %q", r.ForModel, tc.want)
			}
		})
	}
	many := `{"path":"x","parts":[` + strings.TrimSuffix(strings.Repeat(`{},`, 500), ",") + `]}`
	if r := callEcho(t, readSchema, many); !strings.HasSuffix(r.ForModel, "and 480 more") {
		t.Errorf("got %q", r.ForModel)
	}
}

func TestGoodArgumentsReachTheTool(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"path":"x","limit":2}`:                  `{"path":"x","limit":2}`,
		"```json\n{path:'x',}\n```":               `{"path":"x"}`,
		`"{\"path\":\"x\"}"`:                      `{"path":"x"}`,
		`{"path":"x","parts":[{"title":"a"}]}`:    `{"path":"x","parts":[{"title":"a"}]}`,
		`{"path":"x","tags":null,"to":7}`:         `{"path":"x","tags":null,"to":7}`,
		`{"path":"x","limit":9007199254740993}`:   `{"path":"x","limit":9007199254740993}`,
		`{"path":"caf` + "\u00e9" + ` <b>&amp;"}`: `{"path":"caf` + "\u00e9" + ` <b>&amp;"}`,
	} {
		if r := callEcho(t, readSchema, args); r.IsError || r.ForModel != want {
			t.Errorf("%s: got %q, want %q", args, r.ForModel, want)
		}
	}
}

func TestSchemasOpenNothing(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"type":"object","title":"CANARY","required":["CANARY"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a schema was fetched")
	}))
	t.Cleanup(server.Close)
	for _, ref := range []string{"file://" + secret, secret, server.URL + "/schema.json", "other.json"} {
		for _, keyword := range []string{"$ref", "$schema"} {
			schema, err := json.Marshal(map[string]string{"type": "object", keyword: ref})
			if err != nil {
				t.Fatal(err)
			}
			r := callEcho(t, string(schema), `{}`)
			if !r.IsError || strings.Contains(r.ForModel, "CANARY") {
				t.Errorf("%s: got %q", schema, r.ForModel)
			}
		}
	}
}

func TestForeignSchemas(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, args, want string }{
		"draft 7": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
				`"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}}}`,
			`{"a":1}`, "a: must be a string, got 1",
		},
		"draft 7, deep inside": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"array",` +
				`"items":{"type":"object","properties":{"title":{}},"additionalProperties":false}}}}`,
			`{"a":[{"titel":1}]}`, "a[0].titel: unknown, did you mean title?",
		},
		"a rule for the whole object": {
			`{"type":"object","minProperties":1}`, `{}`, "the arguments of echo don't fit: minProperties: got 0, want 1",
		},
		"a closed map": {
			`{"type":"object","properties":{"a":{"patternProperties":{"^x":{}},"additionalProperties":false}}}`,
			`{"a":{"y":1}}`, "a.y: unknown, leave it out",
		},
		"a pattern of JavaScript": {
			`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)y"}}}`, `{"a":"z"}`, `{"a":"z"}`,
		},
		"a type that does not exist": {
			`{"type":"object","properties":{"a":{"type":"text"}}}`, `{}`, "read the input schema of echo",
		},
		"names in a false schema": {`{"type":"object","properties":{"a":false}}`, `{"a":1}`, "a: must be left out"},
		"no properties at all": {
			`{"type":"object","additionalProperties":false}`, `{"a":1}`, "a: unknown, leave it out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := callEcho(t, tc.schema, tc.args); !strings.Contains(r.ForModel, tc.want) {
				t.Errorf("got %q, want %q", r.ForModel, tc.want)
			}
		})
	}
}
