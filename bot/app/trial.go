package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
)

// trialTool is what a model has to call in the test. The name says what it is for, because people see it in their
// server's log.
var trialTool = llm.Tool{
	Name:        "confirm_setup",
	Description: "Confirms that tools can be called.",
	Input: json.RawMessage(
		`{"type":"object","properties":{"word":{"type":"string","description":"the word ready"}},"required":["word"]}`),
}

// errSlow means that the test ran out of time.
var errSlow = errors.New("no answer in time")

// test asks the model for one real answer with a tool call. It tells whether the model called the tool, or the error
// with which it gave no answer at all. A server that refuses tools is asked once more without.
func (c candidate) test(ctx context.Context, limit time.Duration) (tools bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%s)", errSlow, limit))
	defer cancel()
	p := modelKinds()[c.kind].make(c.modelSettings, &http.Client{})
	if !c.NoTools {
		answer, err := llm.Collect(ctx, p, &llm.Request{
			Tools:    []llm.Tool{trialTool},
			Messages: []llm.Message{llm.UserText("Call the tool confirm_setup with the word ready. Write nothing else.")},
		}, nil)
		if err == nil {
			for _, call := range answer.Message.Calls() {
				tools = tools || call.Name == trialTool.Name && json.Valid([]byte(call.Args))
			}
			return tools, nil
		}
		if llm.ReasonOf(err) != llm.Rejected {
			return false, err
		}
	}
	_, err = llm.Collect(ctx, p, &llm.Request{Messages: []llm.Message{llm.UserText("Answer with the word ready.")}}, nil)
	return false, err
}

// reason says why a model gave no answer.
func reason(err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, errSlow), !ok:
		return err.Error()
	case e.Reason == llm.Unreachable:
		return fmt.Sprintf("it cannot be reached: %v", e.Err)
	case e.Reason == llm.Auth:
		return fmt.Sprintf("the server refuses the key: %v", e.Err)
	case e.Reason == llm.Overloaded:
		return fmt.Sprintf("it is overloaded, or a limit is reached: %v", e.Err)
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("the server knows no such model, or the base URL is wrong: %v", e.Err)
	case e.Reason == llm.Rejected:
		return fmt.Sprintf("it refuses the request: %v", e.Err)
	}
	return fmt.Sprintf("the answer cannot be read: %v", e.Err)
}

// remedy says what a person can do about it.
func remedy(err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case !ok, e.Reason == llm.Overloaded:
		return "wait a little"
	case e.Reason == llm.Unreachable:
		return "start the server, or correct the base URL"
	case e.Reason == llm.Auth:
		return "check the key and the account's credit"
	}
	return "choose another model, or correct the base URL"
}
