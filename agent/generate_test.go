package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

// history puts turns of one question and one answer into the log.
func (w *world) history(turns ...string) {
	w.t.Helper()
	for i, text := range turns {
		turn := int64(i + 1)
		answer := session.Entry{
			Turn: turn, Step: 1, Kind: session.KindMessage, Message: llm.AssistantText("answer to " + text),
		}
		if err := w.log.Append(w.t.Context(), []session.Entry{message(turn, turn, text), answer}); err != nil {
			w.t.Fatal(err)
		}
	}
	w.next = 100
}

func withPicture(e session.Entry) session.Entry {
	picture := &llm.Image{Name: "a.png", MediaType: "image/png", Data: []byte{1}}
	e.Message.Parts = append(e.Message.Parts, llm.Part{Image: picture})
	return e
}

func TestRejectedPictureIsTakenOutForGood(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Fail(llm.Rejected), llmtest.Text("I can't see it."), llmtest.Text("ok"))
	w.history("old")
	req := w.request(110, "what is this?")
	req.Input[0] = withPicture(req.Input[0])
	reply, err := w.runner().Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	w.end(reply)
	w.sayAs(120, "and now?")
	want := []string{
		"user: old", "assistant: answer to old", "user: what is this?",
		`user: [program] The image "a.png" was taken out: the model did not accept it.`,
		"assistant: I can't see it.", "user: and now?",
	}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestRejectedHistoryIsSetAside(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Fail(llm.Rejected), llmtest.Text("Four."), llmtest.Text("ok"))
	w.history("old", "older")
	w.sayAs(110, "2+2?")
	w.sayAs(120, "thanks")
	want := []string{
		"user: [program] The conversation before this point was set aside: the model's provider refused it.",
		"user: 2+2?", "assistant: Four.", "user: thanks",
	}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRejectedForGood(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t)
	model.Otherwise(llmtest.Fail(llm.Rejected))
	w.history("old")
	before := w.stored()
	req := w.request(110, "what is this?")
	req.Input[0] = withPicture(req.Input[0])
	reply, err := w.runner().Run(t.Context(), req)
	if llm.ReasonOf(err) != llm.Rejected {
		t.Fatalf("error %v", err)
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests: as it is, without pictures, without old history", n)
	}
	w.end(reply)
	want := append(before, "user: what is this?", "image: a.png")
	if diff := cmp.Diff(want, w.stored()); diff != "" {
		t.Errorf("what did not help was kept (-want +got)\n%s", diff)
	}
}

func TestNothingToMend(t *testing.T) {
	t.Parallel()
	for _, reason := range []llm.Reason{llm.Rejected, llm.Auth, llm.Overloaded, llm.BadAnswer} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			w, model := newWorld(t, llmtest.Fail(reason))
			_, err := w.runner().Run(t.Context(), w.request(10, "hi"))
			if llm.ReasonOf(err) != reason || len(model.Requests()) != 1 {
				t.Errorf("error %v after %d requests", err, len(model.Requests()))
			}
		})
	}
}

func TestBrokenStreamResetsTheText(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t, llmtest.Cut("half an", llm.Rejected), llmtest.Text("Four."))
	w.history("old")
	w.sayAs(110, "2+2?")
	want := []agent.Event{
		{Kind: agent.EventText, Text: "half "}, {Kind: agent.EventText, Text: "an"}, {Kind: agent.EventReset},
		{Kind: agent.EventText, Text: "Four."},
	}
	if diff := cmp.Diff(want, w.events); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTooLongIsShortened(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Fail(llm.TooLong), llmtest.Text("They spoke of old things."), llmtest.Text("Four."))
	w.history("old", "older", strings.Repeat("long ", 200))
	w.sayAs(110, "2+2?")
	want := []string{
		"user: [program] Summary of the conversation before this point:\n\nThey spoke of old things.", "user: 2+2?",
	}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	ask := model.Requests()[1]
	if len(ask.Tools) != 0 || !strings.Contains(ask.Messages[0].Text(), "USER: older") {
		t.Errorf("asked for a summary with %q", ask.Messages[0].Text())
	}
}

func TestTooLongTwiceLeavesASummaryAndTheMessage(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t,
		llmtest.Fail(llm.TooLong), llmtest.Text("old things"),
		llmtest.Fail(llm.TooLong), llmtest.Text("very old things"),
		llmtest.Text("Four."))
	w.history("old", "older")
	if reply := w.sayAs(110, "2+2?"); reply.Text != "Four." {
		t.Errorf("text %q", reply.Text)
	}
	want := []string{"user: [program] Summary of the conversation before this point:\n\nvery old things\n\n" +
		"The message that is being worked on, word for word:\n\n2+2?"}
	if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTooLongForEver(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t)
	model.Otherwise(llmtest.Fail(llm.TooLong))
	w.history("old", "older")
	reply, err := w.runner().Run(t.Context(), w.request(110, strings.Repeat("x", 1_000_000)))
	if llm.ReasonOf(err) != llm.TooLong || len(model.Requests()) > 6 {
		t.Fatalf("error %v after %d requests", err, len(model.Requests()))
	}
	w.end(reply)
	w.model = llmtest.New(t, llmtest.Text("Here I am.")).Strict()
	if reply := w.sayAs(120, "hello?"); reply.Text != "Here I am." {
		t.Errorf("the session is stuck: %+v", reply)
	}
}

func TestFencedWhileMending(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t, llmtest.Fail(llm.Rejected))
	w.history("old")
	w.log.failAt = w.log.writes + 1
	reply, err := w.runner().Run(t.Context(), w.request(110, "hi"))
	if !errors.Is(err, errFenced) || len(reply.Pending) != 1 {
		t.Errorf("error %v, reply %+v", err, reply)
	}
}

func TestLargeHistoryIsCompacted(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Text("The port is 8080."), llmtest.Text("Four."), llmtest.Text("ok"))
	w.spec.Window = 4000
	var turns []string
	for i := range 8 {
		turns = append(turns, fmt.Sprintf("turn %d %s", i, strings.Repeat("text ", 400)))
	}
	w.history(turns...)
	w.sayAs(110, "2+2?")
	w.sayAs(120, "next")

	got := lines(model.Last().Messages)
	if got[0] != "user: [program] Summary of the conversation before this point:\n\nThe port is 8080." {
		t.Errorf("begins with %q", got[0])
	}
	if !contains(got, "turn 7") || contains(got, "turn 3") {
		t.Errorf("keeps the wrong part: %.2000q", got)
	}
	if want := []string{"user: 2+2?", "assistant: Four.", "user: next"}; !cmp.Equal(want, got[len(got)-3:]) {
		t.Errorf("ends with %q", got[len(got)-3:])
	}
	if w.events[0].Kind != agent.EventCompact {
		t.Errorf("events %+v", w.events[0])
	}
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestFailedSummaryLeavesHistoryOut(t *testing.T) {
	t.Parallel()
	failures := map[string]llmtest.Step{
		"error":   llmtest.Fail(llm.Overloaded),
		"empty":   llmtest.Text(" "),
		"refused": finished(llm.Refused, llm.Part{Text: "no"}),
	}
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, model := newWorld(t, failure, llmtest.Text("Four."))
			w.spec.Window = 4000
			w.history(strings.Repeat("text ", 2000), strings.Repeat("text ", 2000))
			if reply := w.sayAs(110, "2+2?"); reply.Text != "Four." {
				t.Errorf("text %q", reply.Text)
			}
			want := []string{
				"user: [program] The conversation before this point was left out to make room. It could not be summarised.",
				"user: 2+2?",
			}
			if diff := cmp.Diff(want, lines(model.Last().Messages)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A single long turn is cut between its steps; what was asked and the files made so far are kept, also over a crash.
func TestLongTurnIsCompactedInside(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Call("shot", "{}"))
	w.spec.Window = 8000
	big := tools.New(tools.Descriptor{Name: "big", Effect: tools.ReadOnly},
		func(_ context.Context, _ *tools.Call, in struct {
			N int `json:"n"`
		}) (*tools.Result, error) {
			return tools.Text(fmt.Sprintf("part %d %s", in.N, strings.Repeat("text ", 2000))), nil
		})
	w.tools = []tools.Tool{big, screenshot(png(t))}
	n, summaries := 0, 0
	model.Otherwise(func(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
		if strings.Contains(req.System, "You summarise") {
			summaries++
			return llmtest.Text("Read so far.")(ctx, req)
		}
		if n++; n == 8 {
			return nil, &llm.Error{Reason: llm.Unreachable, Err: errors.New("no connection")}
		}
		if n == 9 {
			return llmtest.Text("All read.")(ctx, req)
		}
		return llmtest.Call("big", fmt.Sprintf(`{"n":%d}`, n))(ctx, req)
	})
	if _, err := w.runner().Run(t.Context(), w.request(10, "read everything")); err == nil {
		t.Fatal("no error")
	}
	reply := w.sayAs(10, "read everything") // goes on where the first run ended
	if reply.Text != "All read." || len(reply.Files) != 1 || reply.Steps != 9 {
		t.Errorf("text %q, %d files, %d steps", reply.Text, len(reply.Files), reply.Steps)
	}
	if summaries == 0 || summaries > 4 {
		t.Errorf("%d summaries", summaries)
	}
	got := lines(model.Last().Messages)
	if !strings.Contains(got[0], "Read so far.") || !strings.HasSuffix(got[0], "word for word:\n\nread everything") {
		t.Errorf("begins with %q", got[0])
	}
	if !contains(got, "part 7") || contains(got, "part 1 ") {
		t.Error("keeps the wrong part")
	}
}

func TestHugeResultDoesNotEndTheTurn(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Call("big", "{}"), llmtest.Fail(llm.TooLong), llmtest.Text("A big thing."),
		llmtest.Fail(llm.TooLong), llmtest.Text("A very big thing."), llmtest.Text("It is big."))
	w.tools = []tools.Tool{tools.New(tools.Descriptor{Name: "big", Effect: tools.ReadOnly},
		func(context.Context, *tools.Call, struct{}) (*tools.Result, error) {
			return tools.Text(strings.Repeat("text ", 50_000)), nil
		})}
	if reply := w.say("read it"); reply.Text != "It is big." {
		t.Errorf("text %q", reply.Text)
	}
	if got := asJSON(t, model.Last().Messages); len(got) > 2000 || !strings.Contains(got, "read it") {
		t.Errorf("asked with %d bytes", len(got))
	}
}

func TestNoSummaryForALittleRoom(t *testing.T) {
	t.Parallel()
	w, model := newWorld(t, llmtest.Text("That is long."))
	w.spec.Window = 4000
	w.history("old", "older")
	w.sayAs(110, strings.Repeat("text ", 3000))
	if n := len(model.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
