package slack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func card() *channels.Outbound {
	return &channels.Outbound{
		Conversation: at(general, ""),
		Card: &channels.Card{
			Title: "#42 Fix login", Body: "Cookie **path** <!here>", Tone: channels.Warning,
			Fields: []channels.Field{{Name: "Owner", Value: "_writer_ & co"}, {Name: "Cost", Value: ""}},
		},
		Buttons: [][]channels.Button{
			{
				{Text: "Approve", Token: channeltest.Token(1), Style: channels.Primary},
				{Text: "Reject", Token: channeltest.Token(2), Style: channels.Danger, Ask: "Why?"},
			},
			{{Text: "Assign to", Token: channeltest.Token(3), Options: []channels.Option{{Text: "Bob", Value: "bob"}, {Text: "Ann", Value: "ann"}}}},
		},
	}
}

func text(kind, s string) fakekit.Object {
	o := fakekit.Object{"type": kind, "text": s}
	if kind == "plain_text" {
		o["emoji"] = true
	}
	return o
}

func TestCardIsShownAsBlocks(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	id := r.mustSend(card())
	want := []any{
		fakekit.Object{"type": "header", "text": text("plain_text", "⚠️ #42 Fix login")},
		fakekit.Object{"type": "markdown", "text": "Cookie **path** <\u200b!here>"},
		fakekit.Object{"type": "section", "fields": []any{
			text("mrkdwn", "*Owner*\n_writer_ &amp; co"), text("mrkdwn", "*Cost*\n–"),
		}},
		fakekit.Object{"type": "actions", "elements": []any{
			fakekit.Object{"type": "button", "action_id": "l2:0:0", "text": text("plain_text", "Approve"), "value": "l2:TOKEN00001", "style": "primary"},
			fakekit.Object{"type": "button", "action_id": "l2:0:1", "text": text("plain_text", "Reject"), "value": "l2?TOKEN00002\nWhy?", "style": "danger"},
		}},
		fakekit.Object{"type": "actions", "elements": []any{fakekit.Object{
			"type": "static_select", "action_id": "l2:1:0", "placeholder": text("plain_text", "Assign to"), "options": []any{
				fakekit.Object{"text": text("plain_text", "Bob"), "value": "l2:TOKEN00003.1"},
				fakekit.Object{"text": text("plain_text", "Ann"), "value": "l2:TOKEN00003.2"},
			},
		}}},
	}
	m := r.shown(general)[0]
	if diff := cmp.Diff(want, m["blocks"]); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if s := m["text"].(string); !strings.Contains(s, "#42 Fix login") || strings.Contains(s, "<") {
		t.Errorf("text %q", s)
	}
	decided := card()
	decided.Buttons, decided.Edit = nil, id
	decided.Card.Tone = channels.Good
	r.mustSend(decided)
	if m := r.shown(general); len(m) != 1 || len(m[0]["blocks"].([]any)) != 3 {
		t.Errorf("edited %v", m)
	}
}

func TestCardThatIsTooLongIsText(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	m := card()
	m.Card.Body = strings.Repeat("Much to tell. ", 1000)
	r.mustSend(m)
	shown := r.shown(general)
	last := shown[len(shown)-1]["blocks"].([]any)
	if len(shown) != 2 || last[len(last)-1].(fakekit.Object)["type"] != "actions" {
		t.Errorf("%d messages, last %v", len(shown), last)
	}
}

func TestButtonsStandBelowATextAndGoWithIt(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	m := card()
	m.Card, m.Text = nil, strings.Repeat("Choose.\n\n", 2000)
	id := r.mustSend(m)
	shown := r.shown(general)
	if len(shown) != 2 || len(shown[1]["blocks"].([]any)) != 3 {
		t.Errorf("shown %v", shown)
	}
	r.mustSend(&channels.Outbound{Conversation: at(general, ""), Text: "chosen", Edit: id})
	if m := r.shown(general)[0]; m["text"] != "chosen" {
		t.Errorf("shown %v", m)
	}
}

func TestButtonsSurviveARefusedForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ refused, blocks int }{
		"the form is refused":            {1, 3},
		"the buttons themselves as well": {2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start()
			r.fake.Inject(fakekit.Fault{Method: "chat.postMessage", Error: "invalid_blocks", Times: c.refused})
			r.mustSend(card())
			blocks, _ := r.shown(general)[0]["blocks"].([]any)
			if len(blocks) != c.blocks || !strings.Contains(r.shown(general)[0]["text"].(string), "#42 Fix login") {
				t.Errorf("shown %v", r.shown(general))
			}
		})
	}
}

func TestManyOptionsAndLongWordsAreCut(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	b := channels.Button{Text: strings.Repeat("t", 100), Token: channeltest.Token(1)}
	for range 120 {
		b.Options = append(b.Options, channels.Option{Text: strings.Repeat("o", 100), Value: "v"})
	}
	r.mustSend(&channels.Outbound{
		Conversation: at(general, ""), Card: &channels.Card{Title: strings.Repeat("T", 200)},
		Buttons: [][]channels.Button{{b, {Text: strings.Repeat("b", 100), Token: channeltest.Token(2), Ask: strings.Repeat("q", 5000)}}},
	})
}
