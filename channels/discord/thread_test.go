package discord_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const opens = "POST /channels/{channel_id}/messages/{message_id}/threads"

// asked lets Ann ask something in the room; the answer belongs into the thread of the question.
func (r *rig) asked(text string) (id channels.MessageID, answer *channels.Outbound) {
	r.Helper()
	r.says(roomID, r.bot()+" "+text)
	in := r.next()
	if in.Thread != channels.TopicID(in.ID) || in.Conversation != at(roomID, "") {
		r.Fatalf("received %+v", in)
	}
	return in.ID, &channels.Outbound{
		Key: "answer/" + string(in.ID), Conversation: at(roomID, string(in.Thread)), ReplyTo: in.ID, Text: "the answer",
	}
}

// TestThreadsAreOpenedByAnswers: signs open none, and stand where the question does.
func TestThreadsAreOpenedByAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id, answer := r.asked("why is\nthe **build** red? " + strings.Repeat("x", 200))
	to := answer.Conversation
	r.fake.Must(r.ch.(channels.Typer).Typing(t.Context(), to))
	r.fake.Must(r.ch.(channels.Marker).MarkSeen(t.Context(), to, id))
	if len(r.fake.Calls(opens)) > 0 {
		t.Error("a sign opened a thread")
	}
	if got := r.fake.Calls(typing)[0].PathParams["channel_id"]; got != roomID {
		t.Errorf("the sign stands in %s", got)
	}
	st := r.stream(channels.Preview{Conversation: to, ReplyTo: id})
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "so far"}))
	preview, err := st.Close(t.Context())
	r.fake.Must(err)
	answer.Edit = preview
	r.mustSend(answer)
	r.wantShown(string(to.Topic), "the answer")
	r.wantShown(roomID)
	r.fake.Must(r.ch.(channels.Marker).MarkSeen(t.Context(), to, id)) // still in the channel around the thread
	for _, c := range r.fake.Calls(reactions) {
		if c.PathParams["channel_id"] != roomID {
			t.Errorf("marked in %s", c.PathParams["channel_id"])
		}
	}
	if c := r.fake.Calls(posts); len(c) != 1 || c[0].Has("message_reference") {
		t.Errorf("posted %v", c)
	}
	calls := r.fake.Calls(opens)
	if len(calls) != 1 {
		t.Fatalf("%d threads were opened", len(calls))
	}
	name := calls[0].String("name")
	if !strings.HasPrefix(name, "why is the **build** red? xx") || len([]rune(name)) != 80 {
		t.Errorf("the thread is called %q", name)
	}
}

// TestThreadsThatCannotBeOpened: the answer stands in the channel, as a reply, and an admin is told once.
func TestThreadsThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault fakekit.Fault
		fix   string
	}{
		"no right": {fakekit.Fault{Status: http.StatusForbidden, Error: "50013: Missing Permissions"}, "Create Public Threads"},
		"too many": {fakekit.Fault{Error: "160006: Maximum number of active threads reached"}, "archive"},
		"another":  {fakekit.Fault{Error: "200001: Title was blocked by automatic moderation"}, "not in threads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t).start(nil)
			c.fault.Method, c.fault.Times = opens, -1
			r.fake.Inject(c.fault)
			for i := range 2 {
				id, answer := r.asked("a question")
				r.mustSend(answer)
				answer.Key += "/more"
				r.mustSend(answer)
				last := r.fake.Calls(posts)[2*i]
				if ref, _ := last.Params["message_reference"].(fakekit.Object); ref["message_id"] != string(id) {
					t.Errorf("posted %v", last.Params)
				}
			}
			r.wantShown(roomID, "the answer", "the answer", "the answer", "the answer")
			if n := len(r.fake.Calls(opens)); n != 2 {
				t.Errorf("tried %d times", n)
			}
			if got := r.notices(); len(got) != 1 || !strings.Contains(got[0], c.fix) {
				t.Errorf("told %q", got)
			}
		})
	}
}

// TestThreadsOfOldQuestions: after a restart the question is looked up; another process may have opened its thread.
func TestThreadsOfOldQuestions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	first := fakekit.Text(r.says(roomID, "from before")["id"])
	m := &channels.Outbound{Key: "1", Conversation: at(roomID, first), Text: "one"}
	r.fake.Inject(fakekit.Fault{Method: opens, Status: http.StatusServiceUnavailable})
	if _, err := r.send(m); err == nil || refusal(t, err).Terminal {
		t.Errorf("during an outage: %v", err)
	}
	r.mustSend(m)
	r.wantShown(first, "one")
	if name := r.fake.Calls(opens)[1].String("name"); name != "from before" {
		t.Errorf("the thread is called %q", name)
	}
	second := fakekit.Text(r.says(roomID, "again")["id"])
	if err := r.fake.AddThread(roomID, second, "theirs"); err != nil {
		t.Fatal(err)
	}
	r.mustSend(&channels.Outbound{Key: "2", Conversation: at(roomID, second), Text: "two"})
	r.wantShown(second, "two")
	if n := len(r.fake.Calls(opens)); n != 2 {
		t.Errorf("%d attempts to open threads", n)
	}
}

// TestThreadsThatTheBotMayNotWriteIn: it opened one, and finds that out. The person gets the answer all the same.
func TestThreadsThatTheBotMayNotWriteIn(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id, answer := r.asked("a question")
	r.fake.Inject(fakekit.Fault{
		Method: posts, Chat: string(id), Status: http.StatusForbidden, Error: "50013: Missing Permissions", Times: -1,
	})
	st := r.stream(channels.Preview{Conversation: answer.Conversation, ReplyTo: id})
	_ = st.Show(t.Context(), channels.Draft{Text: "so far"})
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "more"}))
	preview, err := st.Close(t.Context())
	r.fake.Must(err)
	r.wantShown(roomID, "more")
	answer.Edit = preview
	r.mustSend(answer)
	second, another := r.asked("another")
	r.fake.Inject(fakekit.Fault{
		Method: posts, Chat: string(second), Status: http.StatusForbidden, Error: "50013: Missing Permissions", Times: -1,
	})
	r.mustSend(another)
	r.wantShown(roomID, "the answer", "the answer")
	if got := r.notices(); len(got) != 1 || !strings.Contains(got[0], "Send Messages in Threads") {
		t.Errorf("told %q", got)
	}
}

// TestThreadsAfterARestart: what stands in the channel because no thread could be opened goes on there, also when one
// could be opened now.
func TestThreadsAfterARestart(t *testing.T) {
	t.Parallel()
	for name, preview := range map[string]bool{"an answer whose answer got lost": false, "a preview": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.make(nil)
			first := fakekit.Text(r.says(roomID, "a question")["id"])
			r.fake.Inject(fakekit.Fault{Method: opens, Error: "160006: Maximum number of active threads reached"})
			m := &channels.Outbound{
				Key: "1", Conversation: at(roomID, first), ReplyTo: channels.MessageID(first), Text: "the answer",
			}
			if preview {
				st := r.stream(channels.Preview{Conversation: m.Conversation, ReplyTo: m.ReplyTo})
				r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "so far"}))
				id, err := st.Close(t.Context())
				r.fake.Must(err)
				m.Edit = id
			} else {
				r.fake.Inject(fakekit.Fault{Method: posts, DropResponse: true})
				if _, err := r.send(m); err == nil {
					t.Error("the answer did not get lost")
				}
				m.Attempt = channels.Attempt{Unsure: true}
			}
			r.make(nil)
			r.mustSend(m)
			r.wantShown(roomID, "the answer")
			if n := len(r.fake.Calls(opens)); n != 1 {
				t.Errorf("%d attempts to open the thread", n)
			}
		})
	}
}

// TestSignsOfOldQuestions: a sign where no thread is yet neither fails nor keeps the preview away.
func TestSignsOfOldQuestions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	first := fakekit.Text(r.says(roomID, "from before")["id"])
	to := at(roomID, first)
	r.fake.Must(r.ch.(channels.Typer).Typing(t.Context(), to))
	if got := r.fake.Calls(typing)[0].PathParams["channel_id"]; got != roomID {
		t.Errorf("the sign stands in %s", got)
	}
	st := r.stream(channels.Preview{Conversation: to, ReplyTo: channels.MessageID(first)})
	r.fake.Must(st.Show(t.Context(), channels.Draft{Text: "so far"}))
	r.wantShown(first, "so far")
}

// TestThreadsOfQuestionsThatCannotBeRead: the thread is opened all the same.
func TestThreadsOfQuestionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	first := fakekit.Text(r.says(roomID, "a question")["id"])
	r.fake.Inject(fakekit.Fault{
		Method: "GET /channels/{channel_id}/messages*", Status: http.StatusForbidden, Error: "50001: Missing Access", Times: -1,
	})
	r.mustSend(&channels.Outbound{Key: "1", Conversation: at(roomID, first), Text: "one"})
	r.wantShown(first, "one")
}

// TestThreadsInARace: another process opens the thread first.
func TestThreadsInARace(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.fake.Inject(fakekit.Fault{Method: opens, Error: "160004: A thread has already been created for this message"})
	_, answer := r.asked("a question")
	if err := r.fake.AddThread(roomID, string(answer.Conversation.Topic), "theirs"); err != nil {
		t.Fatal(err)
	}
	r.mustSend(answer)
	r.wantShown(string(answer.Conversation.Topic), "the answer")
}

// TestThreadsThatAreGone: what people took away does not come back, and nothing of it stands elsewhere.
func TestThreadsThatAreGone(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	_, answer := r.asked("a question")
	r.mustSend(answer)
	thread := string(answer.Conversation.Topic)
	r.fake.Must(r.fake.RemoveChannel(thread))
	r.nothingFrom(otherID) // the event is read
	answer.Key = "more"
	_ = r.ch.(channels.Typer).Typing(t.Context(), answer.Conversation)
	if c := r.fake.Calls(typing); len(c) > 0 && c[0].PathParams["channel_id"] != thread {
		t.Errorf("a sign for a deleted thread stands in %s", c[0].PathParams["channel_id"])
	}
	if _, err := r.send(answer); err == nil || !refusal(t, err).Gone {
		t.Errorf("into a deleted thread: %v", err)
	}
	for _, topic := range []string{"1080000000000000999", ""} {
		if topic == "" { // the question was deleted before its answer
			id, _ := r.asked("never mind")
			r.fake.Must(r.fake.DeleteMessage(roomID, string(id)))
			topic = string(id)
		}
		if _, err := r.send(&channels.Outbound{Key: "x" + topic, Conversation: at(roomID, topic), Text: "lost"}); err == nil ||
			!refusal(t, err).Gone {
			t.Errorf("into %s: %v", topic, err)
		}
	}
	r.wantShown(roomID)
}

// TestChannelsAreReadByName: those that not all may see stay unnamed.
func TestChannelsAreReadByName(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fake.AddGuild(discordfake.Guild{ID: "1080000000000000300", Name: "Dev", Channels: []discordfake.Channel{
		{ID: "1080000000000000301", Name: "layoffs", Hidden: true},
		{ID: "1080000000000000302", Name: "board", Shown: true},
	}})
	r.start(nil)
	r.says(roomID, "<#"+otherID+"> <#"+threadID+"> <#1080000000000000301> <#1080000000000000302> <#1080000000000000999> `<#"+otherID+">`")
	want := "#other #thread #private-channel #private-channel <#1080000000000000999> `<#" + otherID + ">`"
	if got := r.next().Text; got != want {
		t.Errorf("received %q, want %q", got, want)
	}
}
