package slack_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func TestSigns(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	typer, marker := r.ch.(channels.Typer), r.ch.(channels.Marker)
	place, thread := r.fake.StartAssistant(ann)
	r.fake.Must(typer.Typing(r.Context(), at(place, thread)))
	if s := r.fake.AssistantStatus(place, thread); s == "" {
		t.Error("no status")
	}
	root := r.thread(general)
	for range 2 {
		r.fake.Must(marker.MarkSeen(r.Context(), at(general, root), channels.MessageID(root)))
	}
	for _, to := range []channels.Conversation{at(general, root), at(general, ""), at(dm, "")} {
		r.fake.Must(typer.Typing(r.Context(), to))
	}
	r.fake.Must(marker.MarkSeen(r.Context(), at(general, ""), "")) // a slash command has no message
	if n := len(r.fake.Calls("assistant.threads.setStatus")); n != 1 {
		t.Errorf("%d signs", n)
	}
	r.fake.Inject(fakekit.Fault{Method: "reactions.add", Error: "missing_scope"})
	r.fake.Must(marker.MarkSeen(r.Context(), at(place, thread), channels.MessageID(thread)))
	if n := len(r.fake.Calls("assistant.threads.setStatus")); n != 2 {
		t.Errorf("%d signs", n)
	}
	if err := typer.Typing(r.Context(), at("", "")); err == nil {
		t.Error("no error without a chat")
	}
}

func TestNewThreadSuggestsWhatToAsk(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	place, thread := r.fake.StartAssistant(ann)
	call := r.fake.Wait("assistant.threads.setSuggestedPrompts", fakekit.Param("thread_ts", thread))
	if call.String("channel_id") != place {
		t.Errorf("called with %v", call.Params)
	}
}

func TestHomeIsPublishedOnlyWhenItChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	for range 3 {
		r.fake.OpenHome(ann)
		r.fake.Wait("ack:events_api")
		r.until(func() bool { return r.fake.Home(ann) != nil }, "the page is shown")
	}
	r.fake.OpenHome(bob)
	r.fake.Wait("views.publish", fakekit.Param("user_id", bob))
	if n := len(r.fake.Calls("views.publish")); n != 2 {
		t.Errorf("published %d times to two people", n)
	}
	if page := fakekit.Text(r.fake.Home(ann)["blocks"]); !strings.Contains(page, "stop what runs") {
		t.Errorf("page %s", page)
	}
}
