package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxArguments is the largest argument object in bytes; a bigger one is not read at all.
const maxArguments = 1 << 20

// maxSchemas bounds a schemaCache. Tools of servers and custom tools come and go for as long as the process lives.
const maxSchemas = 1024

// schemaCache keeps compiled input schemas by their text, because compiling costs far more than validating.
type schemaCache struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// arguments gives the call's arguments as a valid JSON object that fits the tool's schema. The error names everything
// that is wrong, for the model.
func (c *schemaCache) arguments(call *Call) (json.RawMessage, error) {
	args, err := parseArguments(call.Args)
	if err != nil {
		return nil, fmt.Errorf("read the arguments of %s: %w", call.Name, err)
	}
	schema, err := c.get(call.Tool.Input)
	if err != nil {
		return nil, fmt.Errorf("read the input schema of %s: %w", call.Name, err)
	}
	if err := validate(schema, args); err != nil {
		return nil, fmt.Errorf("the arguments of %s don't fit: %w", call.Name, err)
	}
	return args, nil
}

func parseArguments(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > maxArguments {
		return nil, fmt.Errorf("they are larger than %d bytes", maxArguments)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err == nil && object != nil {
		return raw, nil
	}
	return repairArguments(raw)
}

func (c *schemaCache) get(raw json.RawMessage) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.compiled[string(raw)]; ok {
		return s, nil
	}
	s, err := compileInput(raw)
	if err != nil {
		return nil, err
	}
	if c.compiled == nil || len(c.compiled) >= maxSchemas {
		c.compiled = map[string]*jsonschema.Schema{}
	}
	c.compiled[string(raw)] = s
	return s, nil
}

// compileInput opens nothing but the document itself: the schema of a tool server could otherwise have local files or
// internal addresses read.
func compileInput(raw json.RawMessage) (*jsonschema.Schema, error) {
	const location = "tool:///input"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	c.UseRegexpEngine(lenientRegexp)
	if err := c.AddResource(location, document); err != nil {
		return nil, err
	}
	return c.Compile(location)
}

// lenientRegexp accepts patterns that only JavaScript knows (lookahead) and lets them match everything: the tool's
// server checks them itself, and the tool stays usable.
func lenientRegexp(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return anything(pattern), nil
	}
	return re, nil
}

type anything string

func (a anything) MatchString(string) bool { return true }
func (a anything) String() string          { return string(a) }

func validate(schema *jsonschema.Schema, args json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return err
	}
	err = schema.Validate(value)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return errors.New(explain(schema, value, invalid))
	}
	return err
}
