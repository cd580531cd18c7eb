package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/llm/script"
)

// desk is a tiny workspace that answers the demo's calls.
type desk map[string]string

func (d desk) do(c *llm.Call) (string, error) {
	var in struct{ Path, Content, Old, New, Zone string }
	if err := json.Unmarshal([]byte(c.Args), &in); err != nil {
		return "", err
	}
	switch c.Name {
	case "datetime":
		return "2026-10-09T10:30:00Z\nFriday, 9 October 2026, 10:30 (week 41 of 2026)\nzone UTC", nil
	case "write_file":
		d[in.Path] = in.Content
		return "written", nil
	case "read_file":
		text, ok := d[in.Path]
		if !ok {
			return "", errors.New("no such file: " + in.Path)
		}
		return fmt.Sprintf("%s: %d lines\n%s", in.Path, strings.Count(text, "\n"), strings.TrimSuffix(text, "\n")), nil
	case "list_files":
		var names []string
		for n := range d {
			names = append(names, n)
		}
		if len(names) == 0 {
			return "the workspace is empty", nil
		}
		return fmt.Sprintf("%d file\n%s", len(names), strings.Join(names, "\n")), nil
	case "edit":
		if !strings.Contains(d[in.Path], in.Old) {
			return "", errors.New("the old text is not in " + in.Path)
		}
		d[in.Path] = strings.Replace(d[in.Path], in.Old, in.New, 1)
		return "edited", nil
	}
	return "", errors.New("unknown tool")
}

func tools(names ...string) []llm.Tool {
	var ts []llm.Tool
	for _, n := range names {
		ts = append(ts, llm.Tool{Name: n, Input: json.RawMessage(`{"type":"object"}`)})
	}
	return ts
}

var everything = tools("datetime", "write_file", "read_file", "list_files", "edit")

// chat runs turns to their end and returns the last answer and the names of all calls made.
func chat(t *testing.T, d desk, offered []llm.Tool, lines ...string) (string, []string) {
	t.Helper()
	model := script.Demo()
	req := &llm.Request{Tools: offered}
	var calls []string
	answer := ""
	for _, line := range lines {
		req.Messages = append(req.Messages, llm.UserText(line))
		for {
			if err := llmtest.Check(req); err != nil {
				t.Fatalf("the history became invalid: %v", err)
			}
			streamed := ""
			a, err := llm.Collect(t.Context(), model, req, func(c *llm.Chunk) { streamed += c.Text })
			if err != nil {
				t.Fatal(err)
			}
			if streamed != a.Message.Text() {
				t.Errorf("streamed %q, final %q", streamed, a.Message.Text())
			}
			req.Messages = append(req.Messages, a.Message)
			if len(a.Message.Calls()) == 0 {
				answer = a.Message.Text()
				break
			}
			m := llm.Message{Role: llm.ToolRole}
			for _, c := range a.Message.Calls() {
				calls = append(calls, c.Name)
				r := &llm.Result{CallID: c.ID, Name: c.Name}
				text, err := d.do(c)
				if r.Text = text; err != nil {
					r.Text, r.IsError = err.Error(), true
				}
				m.Parts = append(m.Parts, llm.Part{Result: r})
			}
			req.Messages = append(req.Messages, m)
		}
	}
	return answer, calls
}

func TestDemoAnswersWithTools(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		lines []string
		calls []string
		says  []string
	}{
		{"a greeting says what this is", []string{"Hello there"}, nil,
			[]string{"scripted demo model", "offline", "not an AI", "what time is it", "notes.md", "plan"}},
		{"the time comes from the tool", []string{"what time is it?"}, []string{"datetime"},
			[]string{"it is **Friday, 9 October 2026, 10:30**."}},
		{"a city becomes a zone", []string{"What's the time in New York?"}, []string{"datetime"},
			[]string{"10:30** in America/New_York"}},
		{"a haiku is written", []string{"write a haiku to notes.md"}, []string{"write_file"},
			[]string{"notes.md", "Rules, not thoughts"}},
		{"a text is written and read back from the file", []string{"write buy milk to todo.txt.", "show todo.txt"},
			[]string{"write_file", "read_file"}, []string{"buy milk", "todo.txt"}},
		{"quotes are not part of the text", []string{"write 'to be or not to be' to `q.txt`", "read q.txt"},
			[]string{"write_file", "read_file"}, []string{"```\nto be or not to be\n```", "This is in **q.txt**"}},
		{"files are listed", []string{"write x y to a.txt", "list files"}, []string{"write_file", "list_files"},
			[]string{"a.txt"}},
		{"no files are named as such", []string{"which files are there?"}, []string{"list_files"},
			[]string{"no files yet"}},
		{"an edit", []string{"write red car to a.txt", `replace "red" with "blue" in a.txt`, "read a.txt"},
			[]string{"write_file", "edit", "read_file"}, []string{"blue car"}},
		{"a failing tool is told in words", []string{"read none.txt"}, []string{"read_file"},
			[]string{"did not work", "no such file: none.txt"}},
		{"a plan is written, read and shown", []string{"please plan the summer party"},
			[]string{"write_file", "read_file"},
			[]string{"the summer party", "```markdown\n# Plan: the summer party", "1. ", "plan.md"}},
		{"a plan has a step for each thing", []string{"plan cake, music and games"},
			[]string{"write_file", "read_file"},
			[]string{"2. Take care of cake", "3. Take care of music", "4. Take care of games"}},
		{"the earliest verb counts", []string{"write a plan for me to p.md"}, []string{"write_file"}, []string{"p.md"}},
		{"the offered follow-up works", []string{"plan a walk", "replace share it with celebrate in plan.md", "read plan.md"},
			[]string{"write_file", "read_file", "edit", "read_file"}, []string{"celebrate"}},
		{"anything else gets an honest answer", []string{"why is the sky blue"}, nil,
			[]string{"scripted demo model", "not an AI", "list files"}},
		{"a message as the program writes it", []string{
			"[from Help Desk · id 7 · owner · Fri 2026-10-09 10:30 +00:00]\nlist files\n\n" +
				"[program] File \"read.me\" came empty.",
		}, []string{"list_files"}, []string{"no files yet"}},
		{"a picture without words", []string{"[from Ada · id 7 · Fri 2026-10-09 10:30 +00:00]"}, nil,
			[]string{"no words"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			answer, calls := chat(t, desk{}, everything, tc.lines...)
			if d := cmp.Diff(tc.calls, calls); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
			for _, s := range tc.says {
				if !strings.Contains(answer, s) {
					t.Errorf("answer lacks %q:\n%s", s, answer)
				}
			}
		})
	}
}

func TestDemoSaysWhenAToolIsMissing(t *testing.T) {
	t.Parallel()
	answer, calls := chat(t, desk{}, tools("datetime"), "list files")
	if len(calls) > 0 || !strings.Contains(answer, "`list_files`") || !strings.Contains(answer, "not offer") {
		t.Errorf("calls %v, answer %q", calls, answer)
	}
	answer, calls = chat(t, desk{}, tools("write_file"), "plan a trip")
	if d := cmp.Diff([]string{"write_file"}, calls); d != "" || !strings.Contains(answer, "`read_file`") {
		t.Errorf("calls %v, answer %q", calls, answer)
	}
}

func TestDemoObeysNoTools(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Tools: everything, NoTools: true, Messages: []llm.Message{llm.UserText("list files")}}
	a, err := llm.Collect(t.Context(), script.Demo(), req, nil)
	if err != nil || len(a.Message.Calls()) > 0 || a.Finish != llm.Stop {
		t.Errorf("answer %+v, error %v", a, err)
	}
}

func TestDemoStreamsWordByWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		req := &llm.Request{Messages: []llm.Message{llm.UserText("hello")}}
		start, chunks := time.Now(), 0
		a, err := llm.Collect(t.Context(), script.Demo(script.WithDelay(time.Second)), req, func(c *llm.Chunk) {
			if len(strings.Fields(c.Text)) > 1 {
				t.Errorf("chunk %q is more than a word", c.Text)
			}
			if c.Final == nil {
				chunks++
			}
		})
		if err != nil || a.Usage.Output == 0 {
			t.Fatalf("answer %+v, error %v", a, err)
		}
		want := len(strings.Fields(a.Message.Text()))
		if took := time.Since(start); chunks != want || took != time.Duration(want)*time.Second {
			t.Errorf("%d chunks in %v, want %d", chunks, took, want)
		}
	})
}

func TestDemoStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Millisecond)
		defer cancel()
		req := &llm.Request{Messages: []llm.Message{llm.UserText("hello")}}
		_, err := llm.Collect(ctx, script.Demo(script.WithDelay(time.Minute)), req, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestDemoGoesOnAfterANoteOfTheProgram(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Tools: everything, Messages: []llm.Message{
		llm.UserText("plan a trip"),
		{Role: llm.Assistant, Parts: []llm.Part{{Call: &llm.Call{ID: "1", Name: "write_file", Args: "{}"}}}},
		{Role: llm.ToolRole, Parts: []llm.Part{{Result: &llm.Result{CallID: "1", Name: "write_file", Text: "written"}}}},
		llm.UserText("[program] Two steps are left."),
	}}
	a, err := llm.Collect(t.Context(), script.Demo(), req, nil)
	if err != nil || len(a.Message.Calls()) != 1 || a.Message.Calls()[0].Name != "read_file" {
		t.Errorf("answer %+v, error %v", a, err)
	}
}
