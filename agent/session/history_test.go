package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
)

func calls(cs ...llm.Call) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for _, c := range cs {
		m.Parts = append(m.Parts, llm.Part{Call: &c})
	}
	return m
}

func results(rs ...llm.Result) llm.Message {
	m := llm.Message{Role: llm.ToolRole}
	for _, r := range rs {
		m.Parts = append(m.Parts, llm.Part{Result: &r})
	}
	return m
}

func call(id string) llm.Call        { return llm.Call{ID: id, Name: "read_file", Args: "{}"} }
func result(id, t string) llm.Result { return llm.Result{CallID: id, Name: "read_file", Text: t} }

func lost(id string) llm.Result {
	return llm.Result{CallID: id, Name: "read_file", Text: session.Interrupted, IsError: true}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	hi, done := llm.UserText("hi"), llm.AssistantText("done")
	tests := map[string]struct{ in, want []llm.Message }{
		"a valid history stays": {
			in:   []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"), result("b", "2")), done},
			want: []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"), result("b", "2")), done},
		},
		"results that were stored one by one become one message": {
			in:   []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1")), results(result("b", "2"))},
			want: []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"), result("b", "2"))},
		},
		"a missing result at the end is made up": {
			in:   []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"))},
			want: []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"), lost("b"))},
		},
		"a missing result in the middle is made up": {
			in:   []llm.Message{hi, calls(call("a")), hi, done},
			want: []llm.Message{hi, calls(call("a")), results(lost("a")), hi, done},
		},
		"a duplicate result is dropped": {
			in:   []llm.Message{hi, calls(call("a")), results(result("a", "1")), results(result("a", "2")), done},
			want: []llm.Message{hi, calls(call("a")), results(result("a", "1")), done},
		},
		"a result at the beginning is dropped": {
			in:   []llm.Message{results(result("a", "1")), hi, done},
			want: []llm.Message{hi, done},
		},
		"a result after the next answer is dropped": {
			in:   []llm.Message{hi, calls(call("a")), done, results(result("a", "late"))},
			want: []llm.Message{hi, calls(call("a")), results(lost("a")), done},
		},
		"results come in the order of the calls, directly after them": {
			in:   []llm.Message{hi, calls(call("a"), call("b")), hi, results(result("b", "2")), results(result("a", "1"))},
			want: []llm.Message{hi, calls(call("a"), call("b")), results(result("a", "1"), result("b", "2")), hi},
		},
		"empty call ids get ids": {
			in:   []llm.Message{hi, calls(call(""), call("")), results(result("", "1"), result("", "2"))},
			want: []llm.Message{hi, calls(call("call"), call("call_2")), results(result("call", "1"), result("call_2", "2"))},
		},
		"ids that a later answer uses again become unique": {
			in: []llm.Message{
				hi, calls(call("0")), results(result("0", "1")), calls(call("0")), results(result("0", "2")),
			},
			want: []llm.Message{
				hi, calls(call("0")), results(result("0", "1")), calls(call("0_2")), results(result("0_2", "2")),
			},
		},
		"empty messages and parts are dropped": {
			in: []llm.Message{
				hi, {Role: llm.Assistant}, llm.UserText(" \n"),
				{Role: llm.Assistant, Parts: []llm.Part{{Reasoning: &llm.Reasoning{Text: "hm"}}}},
				{Role: llm.Assistant, Parts: []llm.Part{{Text: ""}, {Text: "done"}}},
			},
			want: []llm.Message{hi, done},
		},
		"a message of an unknown role is dropped": {
			in:   []llm.Message{hi, {Role: "system", Parts: []llm.Part{{Text: "obey"}}}},
			want: []llm.Message{hi},
		},
		"a history never begins with an answer": {
			in:   []llm.Message{done},
			want: []llm.Message{llm.UserText("[program] The beginning of this conversation is not available."), done},
		},
		"an invented tool name is made acceptable": {
			in: []llm.Message{hi, calls(llm.Call{ID: "a", Name: "rm -rf /"})},
			want: []llm.Message{
				hi, calls(llm.Call{ID: "a", Name: "rm_-rf__"}),
				results(llm.Result{CallID: "a", Name: "rm_-rf__", Text: session.Interrupted, IsError: true}),
			},
		},
		"nothing stays nothing": {in: nil, want: nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, session.Repair(tt.in)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// anyMessage makes whatever a broken store could hold.
func anyMessage() *rapid.Generator[llm.Message] {
	id := rapid.SampledFrom([]string{"", "a", "b", "call", "call_2"})
	name := rapid.SampledFrom([]string{"", "read_file", "a b", strings.Repeat("x", 70)})
	text := rapid.SampledFrom([]string{"", " ", "text", "\xff"})
	part := rapid.Custom(func(t *rapid.T) llm.Part {
		p := llm.Part{Text: text.Draw(t, "text")}
		if rapid.Bool().Draw(t, "has call") {
			p.Call = &llm.Call{ID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Args: text.Draw(t, "args")}
		}
		if rapid.Bool().Draw(t, "has result") {
			p.Result = &llm.Result{CallID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Text: text.Draw(t, "result")}
		}
		if rapid.Bool().Draw(t, "has image") {
			p.Image = &llm.Image{Data: []byte(text.Draw(t, "data"))}
		}
		if rapid.Bool().Draw(t, "has reasoning") {
			p.Reasoning = &llm.Reasoning{Text: text.Draw(t, "reasoning")}
		}
		return p
	})
	role := rapid.SampledFrom([]llm.Role{llm.User, llm.Assistant, llm.ToolRole, ""})
	return rapid.Custom(func(t *rapid.T) llm.Message {
		return llm.Message{Role: role.Draw(t, "role"), Parts: rapid.SliceOfN(part, 0, 4).Draw(t, "parts")}
	})
}

func TestRepairOfGarbage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(anyMessage(), 0, 12).Draw(t, "history")
		before := mustJSON(t, in)
		got := session.Repair(in)
		if mustJSON(t, in) != before {
			t.Fatal("the input was changed")
		}
		if again := session.Repair(got); mustJSON(t, again) != mustJSON(t, got) {
			t.Fatalf("not idempotent: %s", cmp.Diff(got, again))
		}
		if len(got) == 0 {
			return
		}
		if got[0].Role != llm.User {
			t.Fatalf("begins with %q", got[0].Role)
		}
		ask := &llm.Request{Messages: append(got, llm.UserText("and now?"))}
		if err := llmtest.Check(ask); err != nil {
			t.Fatal(err)
		}
		unique(t, got)
	})
}

func unique(t *rapid.T, ms []llm.Message) {
	seen := map[string]bool{}
	for _, m := range ms {
		for _, c := range m.Calls() {
			if seen[c.ID] {
				t.Fatalf("call id %q twice", c.ID)
			}
			seen[c.ID] = true
		}
	}
}

func TestLongerHistoryKeepsItsBeginning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(anyMessage(), 1, 12).Draw(t, "history")
		whole := append(in, llm.AssistantText("done"), llm.UserText("next"))
		short := session.Repair(append(in, llm.AssistantText("done")))
		long := session.Repair(whole)
		if len(long) < len(short) || mustJSON(t, long[:len(short)]) != mustJSON(t, short) {
			t.Fatalf("the beginning changed: %s", cmp.Diff(short, long))
		}
	})
}

func mustJSON(t interface{ Fatal(...any) }, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func said(seq, turn int64, text string) session.Entry {
	return session.Entry{Seq: seq, Turn: turn, Source: seq, Kind: session.KindMessage, Message: llm.UserText(text)}
}

func answered(seq, turn int64, text string) session.Entry {
	return session.Entry{Seq: seq, Turn: turn, Kind: session.KindMessage, Message: llm.AssistantText(text)}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	pictured := said(3, 3, "look")
	pictured.Message.Parts = append(pictured.Message.Parts,
		llm.Part{Image: &llm.Image{Name: "a.png", MediaType: "image/png", Data: []byte{1}}})
	again := said(1, 1, "hi")
	again.Seq = 2
	summary := func(seq, covers int64, text string) session.Entry {
		return session.Entry{Seq: seq, Turn: 3, Kind: session.KindSummary, Covers: covers, Message: llm.UserText(text)}
	}
	tests := map[string]struct {
		in   []session.Entry
		want []llm.Message
	}{
		"entries become messages": {
			in:   []session.Entry{said(1, 1, "hi"), answered(2, 1, "hello")},
			want: []llm.Message{llm.UserText("hi"), llm.AssistantText("hello")},
		},
		"the newest summary stands first, in the place of what it covers": {
			in: []session.Entry{
				said(1, 1, "hi"), answered(2, 1, "hello"), said(3, 3, "more"), summary(4, 1, "old"),
				summary(5, 2, "new"), answered(6, 3, "yes"),
			},
			want: []llm.Message{llm.UserText("new"), llm.UserText("more"), llm.AssistantText("yes")},
		},
		"pending entries are never covered": {
			in:   []session.Entry{summary(4, 3, "old"), said(0, 5, "pending")},
			want: []llm.Message{llm.UserText("old"), llm.UserText("pending")},
		},
		"stripped images leave a note": {
			in: []session.Entry{pictured, {Seq: 4, Turn: 3, Kind: session.KindStrip, Covers: 3}, answered(5, 3, "ok")},
			want: []llm.Message{
				{Role: llm.User, Parts: []llm.Part{
					{Text: "look"},
					{Text: `[program] The image "a.png" was taken out: the model did not accept it.`},
				}},
				llm.AssistantText("ok"),
			},
		},
		"images after the mark stay": {
			in:   []session.Entry{{Seq: 2, Turn: 3, Kind: session.KindStrip, Covers: 1}, pictured},
			want: []llm.Message{pictured.Message},
		},
		"a message that was stored twice is told once": {
			in:   []session.Entry{said(1, 1, "hi"), again},
			want: []llm.Message{llm.UserText("hi")},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, session.History(tt.in)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestHasImages(t *testing.T) {
	t.Parallel()
	picture := llm.Message{Role: llm.User, Parts: []llm.Part{{Text: "look"}, {Image: &llm.Image{Data: []byte{1}}}}}
	if session.HasImages([]llm.Message{llm.UserText("hi")}) {
		t.Error("found an image in words")
	}
	if !session.HasImages([]llm.Message{llm.UserText("hi"), picture}) {
		t.Error("missed an image")
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	entries := []session.Entry{
		said(1, 1, "hi"),
		{Seq: 2, Kind: session.KindMessage, Message: calls(call("a"), call("b"))},
		{Seq: 3, Kind: session.KindMessage, Message: results(result("a", "1"))},
		{Seq: 4, Kind: session.KindMessage, Message: calls(call("a"))},
		{Seq: 5, Kind: session.KindMessage, Message: results(result("a", "2"))},
	}
	first, second, b := result("a", "1"), result("a", "2"), call("b")
	a := call("a")
	want := []session.Pair{{Call: &a, Result: &first}, {Call: &b}, {Call: &a, Result: &second}}
	if diff := cmp.Diff(want, session.Pairs(entries)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
