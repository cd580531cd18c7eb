package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools"
)

func TestRepairMendsWhatModelsWrite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   `{}`,
		" \n":                                `{}`,
		"null":                               `{}`,
		`""`:                                 `{}`,
		`{"a":1,}`:                           `{"a":1}`,
		`{"a":[1,2,],}`:                      `{"a":[1,2]}`,
		`{'a':'b'}`:                          `{"a":"b"}`,
		`{'a':'it\'s "b"'}`:                  `{"a":"it's \"b\""}`,
		`{a:1, b_c: true, $d: null}`:         `{"a":1,"b_c":true,"$d":null}`,
		"```json\n{\"a\":1}\n```":            `{"a":1}`,
		"```\n{\"a\":1}```":                  `{"a":1}`,
		`"{\"a\":\"b\"}"`:                    `{"a":"b"}`,
		`"{'a':1,}"`:                         `{"a":1}`,
		`{"a":{"b":["c"`:                     `{"a":{"b":["c"]}}`,
		`{"a":true`:                          `{"a":true}`,
		`{"a":"b"`:                           `{"a":"b"}`,
		"{\"a\":\"line\nbreak\ttab\"}":       `{"a":"line\nbreak\ttab"}`,
		`{"a":"C:\dir"}`:                     `{"a":"C:\\dir"}`,
		`{"a":"\u00e9 \ud83d\ude00 \\ \/",}`: `{"a":"é 😀 \\ /"}`,
		`{"a":True,"b":False,"c":None}`:      `{"a":true,"b":false,"c":null}`,
		`{"a":-1.5e+3,}`:                     `{"a":-1500}`,
		"\ufeff{\"a\":1}":                    `{"a":1}`,
		"{\u00a0\"a\":1}":                    `{"a":1}`,
		`{,`:                                 ``,
	} {
		got, err := tools.RepairArguments([]byte(in))
		if want == "" {
			if err == nil {
				t.Errorf("repair %q = %s, want an error", in, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("repair %q: %v", in, err)
			continue
		}
		if diff := cmp.Diff(decode(t, want), decode(t, string(got))); diff != "" {
			t.Errorf("repair %q -want +got:\n%s", in, diff)
		}
	}
}

func TestRepairRefusesToGuess(t *testing.T) {
	t.Parallel()
	for name, inputs := range map[string][]string{
		"cut off in a value":     {`{"a":"half`, `{"a":12`, `{"a":-`, `{"a":"b\`, `{"a":"b\"`, `{"a":'half`, `{"a":tru`},
		"cut off between values": {`{`, `{"a"`, `{"a":`, `{"a":1,`, `{"a":[1,`, `{"a":[`},
		"more than one object":   {`{"a":1}{"b":2}`, `{"a":1} and that`, `{"a":1}}`},
		"no object":              {`[1]`, `12`, `hello`, `"hello"`, `true`, `I will read {"a":1}`, "```\n```x"},
		"no values":              {`{"a":hello}`, `{"a":1 2}`, `{"a":01,}`, `{a b:1}`, `{"a":1;"b":2}`, `{"a":[1}`, "\x00"},
		"too deep":               {strings.Repeat(`{"a":`, 200000), `{"a":` + strings.Repeat("[", 200)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range inputs {
				if got, err := tools.RepairArguments([]byte(in)); err == nil {
					t.Errorf("repair %.60q = %.60s, want an error", in, got)
				}
			}
		})
	}
}

func decode(t *testing.T, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		``, `{"a":1,}`, `{'a':'b'}`, "```json\n{a:[1,\n```", `"{\"a\":1}"`, `{"a":"\ud83d\ude00\u12"}`, "{\"\xff\":\"\x00\"",
		`{"a":{"b":[true,None,1.5e9`, `{"a":"b\`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := tools.RepairArguments(in)
		if err != nil {
			return
		}
		var object map[string]any
		if json.Unmarshal(out, &object) != nil || object == nil {
			t.Fatalf("repair %q = %q, not an object", in, out)
		}
		var strict map[string]any
		if json.Unmarshal(in, &strict) != nil || strict == nil {
			return
		}
		if diff := cmp.Diff(strict, object); diff != "" {
			t.Errorf("valid arguments %q are changed to %q", in, out)
		}
	})
}
