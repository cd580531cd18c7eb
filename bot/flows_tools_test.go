package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/fs"
)

// files is how many tools every test world has.
var files = len(fs.Tools(nil))

// TestToolsOfATopic: a lead narrows, an admin widens, everybody may ask why, and the model is refused in the same words.
func TestToolsOfATopic(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true, model: llmtest.New(t,
			llmtest.Call("write_file", map[string]any{"path": "a.txt", "content": "x"})).
			Otherwise(echo)})
		w.lets("501", access.Admin)
		w.lets("502", access.Lead)
		w.lets("503", access.Member)
		w.wantSaid("503", "tools", fmt.Sprintf("For you here: %d of %[1]d tools.", files))
		w.wantSaid("503", "tools only read_file", "That needs the role lead, and you are a member.")
		w.wantSaid("502", "tools only raed_file", "read_file")
		w.wantSaid("502", "tools only read_file list_files", "the default → only read_file, list_files")
		w.wantSaid("502", "tools allow write_file", "That needs the role admin, and you are a lead.")
		w.wantSaid("503", "tools", fmt.Sprintf("For you here: 2 of %d tools.", files))
		w.wantSaid("503", "tools why write_file", "✗ `write_file` is hidden for you here.")
		id := w.says("503", "write a file")
		if m := w.shown(); m.ReplyTo != id {
			t.Errorf("shown %+v", m)
		}
		last := w.model.Last().Messages
		if refusal := last[len(last)-1].Results()[0].Text; !strings.Contains(refusal, "this topic: only list_files, read_file (set by 502") {
			t.Errorf("the model was told %q", refusal)
		}
		w.wantSaid("501", "tools allow write_file", "→ only read_file, list_files, write_file")
		w.wantSaid("503", "tools why write_file", "✓ `write_file` may be used for you here.")
		w.wantSaid("502", "tools deny group:fs", "not group:fs")
		w.wantSaid("503", "tools", fmt.Sprintf("I may use none of %d tools for you here.", files))
		w.wantSaid("501", "tools reset", "→ the default.")
		w.wantSaid("501", "tools only none", "No tools may be used here now.")
		w.wantSaid("503", "tools why nothing", "I can't explain that")
	})
}

// TestAGrantIsAskedForAndGiven, for one person, one tool and a time.
func TestAGrantIsAskedForAndGiven(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		w.lets("501", access.Admin)
		w.lets("503", access.Member)
		w.lets("504", access.Member)
		w.wantSaid("501", "tools only list_files", "only list_files")
		w.says("503", "tools why read_file")
		why := w.shown()
		ask := why.Buttons[0][0]
		if ask.Text != "Request read_file for 2 h" || !strings.Contains(why.Text, "Can change it: 501") {
			t.Fatalf("shown %+v", why)
		}
		w.deliver(w.pressing("504", channels.Action{Token: ask.Token}))
		if m := w.shown(); !strings.Contains(m.Text, "for somebody else") {
			t.Errorf("shown %+v", m)
		}
		w.deliver(w.pressing("503", channels.Action{Token: ask.Token}))
		card := w.shown()
		if card.Card == nil || card.Card.Title != "Name of 503 asks for a tool" || card.Conversation != room() {
			t.Fatalf("shown %+v", card)
		}
		if m := w.shown(); !strings.Contains(m.Text, "I asked the admins") {
			t.Errorf("shown %+v", m)
		}
		w.deliver(w.pressing("503", channels.Action{Token: card.Buttons[0][0].Token}))
		if m := w.shown(); !strings.Contains(m.Text, "That needs the role admin, and you are a member.") {
			t.Errorf("shown %+v", m)
		}
		w.deliver(w.pressing("501", channels.Action{Token: card.Buttons[0][0].Token}))
		if m := w.shown(); m.Edit == "" || !strings.Contains(m.Text, "you may use `read_file` here until") {
			t.Errorf("shown %+v", m)
		}
		w.deliver(w.pressing("501", channels.Action{Token: card.Buttons[0][1].Token}))
		if m := w.shown(); !strings.Contains(m.Text, "501 decided this already: granted.") {
			t.Errorf("shown %+v", m)
		}
		w.wantSaid("503", "tools why read_file", "lifted for you until")
		w.wantSaid("504", "tools why read_file", "✗ `read_file` is hidden for you here.")
		w.wantSaid("501", "tools allow write_file for 504 30m", "504 may use write_file here until")
		w.wantSaid("504", "tools", fmt.Sprintf("For you here: 2 of %d tools.", files))
		w.wantSaid("501", "tools allow write_file for nobody 30m", "I know nobody called `nobody`.")
	})
}

// TestNoGrantBeatsTheConfiguration: what the policy leaves out nobody can grant, and who asks is told so.
func TestNoGrantBeatsTheConfiguration(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true, policy: tools.Rules{Deny: []string{"write_file"}}})
		w.lets("501", access.Owner)
		w.wantSaid("501", "tools ask write_file 1h", "Nobody can grant `write_file` from chat")
		w.wantSaid("501", "tools allow write_file for 501 1h", "as far as the configuration lets anybody")
		w.wantSaid("501", "tools why write_file", "global deny: no write_file ← **hides it**")
	})
}

// TestRolesLimitTools: members have nothing that runs commands, unless somebody grants it.
func TestRolesLimitTools(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		exec := tools.New(tools.Descriptor{Name: "exec", Group: "runtime", Description: "run"},
			func(context.Context, *tools.Call, struct{}) (*tools.Result, error) { return tools.Text("done"), nil })
		w := newWorld(t, url, setup{closed: true, tools: []tools.Tool{exec}})
		w.lets("501", access.Lead)
		w.lets("503", access.Member)
		w.wantSaid("501", "tools why exec", "✓ `exec` may be used for you here.")
		w.wantSaid("503", "tools why exec", "you (member): no group:runtime ← **hides it**")
	})
}
