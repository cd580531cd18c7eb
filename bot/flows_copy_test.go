package bot_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// TestToolListsAreCopied from places that people name or choose; nobody writes an id.
func TestToolListsAreCopied(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		inFile := place.ToolList{Limited: true, Only: []string{"list_files"}}
		w := newWorld(t, url, setup{closed: true, file: []place.Setting{
			{At: channels.Conversation{Channel: "fake", Chat: "Ops"}, Key: place.KeyTools, Value: inFile.Encode()},
		}})
		w.lets("501", access.Admin)
		w.says("501", "tools copy")
		m := w.shown()
		if choice := m.Buttons[0][0]; len(choice.Options) != 1 || choice.Options[0].Text != "#ops" {
			t.Errorf("to choose from: %+v", m)
		}
		other := w.message(channels.Conversation{Channel: "fake", Chat: "Web"}, "501", "tools only read_file edit")
		w.deliver(other)
		w.shown()
		w.wantSaid("501", "tools copy from #web", "Copied from \\#web. `tools`: the default → only read_file, edit (this topic, set by 501")
		w.wantSaid("501", "tools copy from OPS", "Copied from \\#ops. `tools`: only read_file, edit (this topic, set by 501")
		w.wantSaid("501", "tools copy from #wbe", "No place called `#wbe` has a list of tools of its own. Did you mean \\#web?")
		w.says("501", "tools copy")
		m = w.shown()
		if n := len(m.Buttons[0][0].Options); n != 2 {
			t.Fatalf("to choose from: %+v", m)
		}
		w.deliver(w.pressing("501", channels.Action{Token: m.Buttons[0][0].Token, Choice: 2}))
		if m := w.shown(); !strings.Contains(m.Text, "Copied from \\#web.") || !strings.Contains(m.Text, "→ only read_file, edit") {
			t.Errorf("chosen: %q", m.Text)
		}
		w.wantSaid("501", "tools copy from #web --chat", "(this chat, set by 501")
	})
}
