package bot_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// TestSessionsAreResumed: an ended session is kept, listed by how it began, and gone back to with all it knows.
func TestSessionsAreResumed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Member)
		w.wantSaid("501", "resume", "There is no older session here.")
		w.wantShown(w.says("501", "the plan for the launch"), "re: the plan for the launch")
		w.wantSaid("501", "new", "New session. The old one, with 1 message of yours, is kept: `resume`")
		w.wantShown(w.says("501", "something else"), "re: something else")
		w.commands("new", "Budget 2027")
		w.shown()
		w.wantShown(w.says("501", "how much?"), "re: how much?")
		w.says("501", "resume list")
		list := w.shown()
		for i, part := range []string{"1. “something else” of ", "2. “the plan for the launch” of ", ", with 1 message of yours"} {
			if !strings.Contains(list.Text, part) {
				t.Errorf("part %d is missing: %s", i, list.Text)
			}
		}
		w.wantSaid("501", "resume 3", "There is no session `3` here.")
		w.deliver(w.pressing("501", channels.Action{Token: list.Buttons[0][0].Token, Choice: 1}))
		if m := w.shown(); !strings.Contains(m.Text, "We are back in “something else”") {
			t.Errorf("shown %q", m.Text)
		}
		w.wantShown(w.says("501", "and?"), "re: and?")
		w.wantSaid("501", "resume", "We are back in “Budget 2027”")
		w.wantSaid("501", "resume 2", "We are back in “the plan for the launch”")
		w.wantShown(w.says("501", "resume the work on it"), "re: resume the work on it")
		if all := w.model.Last().Messages; len(all) != 3 || !strings.Contains(all[0].Text(), "the plan for the launch") {
			t.Errorf("the model was told %d messages", len(all))
		}
	})
}

// TestModelsAreChosen for a session by who may, and the new session begins with the usual one.
func TestModelsAreChosen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		fast := llmtest.New(t).Otherwise(llmtest.Text("fast here"))
		w := newWorld(t, url, setup{closed: true, fast: fast})
		w.lets("501", access.Lead)
		w.lets("503", access.Member)
		w.wantSaid("503", "model", "I ask `usual` here (default).")
		w.wantSaid("503", "model fast", "That needs the role lead")
		w.wantShown(w.says("503", "model fsat"), "re: model fsat") // it may be a request
		w.commands("model", "fsat")
		if m := w.shown(); !strings.Contains(m.Text, "did you mean `fast`?") {
			t.Errorf("shown %q", m.Text)
		}
		w.wantSaid("501", "model fast", "From the next message on this session asks `fast`.")
		w.wantShown(w.says("503", "hello"), "fast here")
		w.wantSaid("501", "new", "New session.")
		w.wantShown(w.says("503", "hello"), "re: hello")
		w.wantSaid("501", "model fast --here", "`model`: the default → `fast` (this topic, set by 501 on")
		w.wantShown(w.says("503", "hello"), "fast here")
		w.wantSaid("503", "model", "I ask `fast` here (this topic, set by 501 on")
		w.wantSaid("501", "model usual", "asks `usual`")
		w.wantShown(w.says("503", "again"), "re: again")
		w.wantSaid("501", "model default", "asks the model that is set for the place")
		w.wantShown(w.says("503", "hello"), "fast here")
		mine := w.message(home("D"), "503", "model fast")
		mine.Direct = true
		w.deliver(mine)
		if m := w.shown(); !strings.Contains(m.Text, "this session asks `fast`") {
			t.Errorf("in a direct chat: %q", m.Text)
		}
	})
}

// TestUsageIsCounted by person, place and time, with what it cost.
func TestUsageIsCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		step := llmtest.Answer(llm.Answer{
			Message: llm.AssistantText("done"), Finish: llm.Stop,
			Usage: llm.Usage{Input: 12_000, CacheRead: 2000, Output: 345, Cost: 31_000},
		})
		w := newWorld(t, url, setup{closed: true, model: llmtest.New(t).Otherwise(step)})
		w.lets("501", access.Admin)
		w.lets("503", access.Member)
		w.wantSaid("503", "usage", "In the last 7 days for you I did nothing.")
		for range 2 {
			w.says("503", "work")
			w.shown()
		}
		other := w.message(channels.Conversation{Channel: "fake", Chat: "C02"}, "501", "work")
		w.deliver(other)
		w.shown()
		w.wantSaid("503", "usage", "In the last 7 days for you: 2 turns, 24,000 tokens in (4,000 from the cache), 690 out, $0.06")
		w.wantSaid("501", "usage me day", "In the last 24 hours for you: 1 turn, 12,000 tokens in")
		w.wantSaid("501", "usage here", "In the last 7 days: 2 turns")
		w.wantSaid("501", "usage team month", "In the last 30 days: 3 turns, 36,000 tokens in (6,000 from the cache), 1,035 out, $0.09"+
			"\n\n- 503, by lead: 2 turns, 24,000 tokens in (4,000 from the cache), 690 out, $0.06\n- 501, by lead: 1 turn")
		w.wantSaid("501", "usage team moth", "did you mean `month`?")
	})
}
