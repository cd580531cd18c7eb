package telegram_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

func TestConversations(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fake.AddChat(telegramfake.Chat{ID: 502, Type: "private", FirstName: "Bob", Topics: []telegramfake.Topic{{ID: 3, Name: "plans"}}})
	r.start(nil)
	tests := []struct {
		name string
		in   telegramfake.Incoming
		want channels.Conversation
	}{
		{"a topic", telegramfake.Incoming{ChatID: forum, ThreadID: 7}, topic("7")},
		{"General", telegramfake.Incoming{ChatID: forum}, topic("general")},
		{"General with its number", telegramfake.Incoming{ChatID: forum, Extra: fakekit.Object{"message_thread_id": 1, "is_topic_message": true}}, topic("general")},
		{"a thread of replies in General", telegramfake.Incoming{ChatID: forum, CommentThread: 111}, topic("general")},
		{"a thread of replies in a plain group", telegramfake.Incoming{ChatID: group, CommentThread: 111}, at(group, "")},
		{"a private chat", telegramfake.Incoming{ChatID: ann}, at(ann, "")},
		{"a topic of a private chat", telegramfake.Incoming{ChatID: 502, ThreadID: 3}, at(502, "3")},
	}
	for _, tt := range tests {
		tt.in.Text = tt.name
		r.says(tt.in)
		in := r.next()
		if in.Text != tt.name || in.Conversation != tt.want {
			t.Errorf("%s: %q in %v, want %v", tt.name, in.Text, in.Conversation, tt.want)
		}
		if want := tt.in.ChatID > 0; in.Direct != want {
			t.Errorf("%s: direct is %v", tt.name, in.Direct)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	entity := func(kind string, offset, length int) fakekit.Object {
		return fakekit.Object{"type": kind, "offset": offset, "length": length}
	}
	tests := map[string]struct {
		text      string
		entities  []fakekit.Object
		mentioned bool
		want      string
	}{
		"after an emoji":            {"👋 @opsbot hi", []fakekit.Object{entity("mention", 3, 7)}, true, "👋  hi"},
		"after other scripts":       {"привет @opsbot", []fakekit.Object{entity("mention", 7, 7)}, true, "привет"},
		"in other case":             {"@OpsBot: hi", []fakekit.Object{entity("mention", 0, 7)}, true, "hi"},
		"out of range":              {"hi", []fakekit.Object{entity("mention", 0, 100)}, false, "hi"},
		"negative":                  {"hi", []fakekit.Object{entity("mention", -1, 2)}, false, "hi"},
		"in the middle of an emoji": {"👋👋 hi", []fakekit.Object{entity("mention", 1, 2)}, false, "👋👋 hi"},
		"in code":                   {"@opsbot", []fakekit.Object{entity("code", 0, 7)}, false, "@opsbot"},
		"a longer name":             {"@opsbot2 hi", []fakekit.Object{entity("mention", 0, 8)}, false, "@opsbot2 hi"},
		"by id": {"Ops Bot, hi", []fakekit.Object{{"type": "text_mention", "offset": 0, "length": 7,
			"user": fakekit.Object{"id": 999, "is_bot": true, "first_name": "Ops"}}}, true, "hi"},
		"of another person": {"Bob, hi", []fakekit.Object{{"type": "text_mention", "offset": 0, "length": 3,
			"user": fakekit.Object{"id": 502, "is_bot": false, "first_name": "Bob"}}}, false, "Bob, hi"},
		"nothing else": {"@opsbot", []fakekit.Object{entity("mention", 0, 7)}, true, ""},
		"twice":        {"@opsbot hi @opsbot", []fakekit.Object{entity("mention", 0, 7), entity("mention", 11, 7)}, true, "hi"},
		"a hidden link": {"see here", []fakekit.Object{{"type": "text_link", "offset": 4, "length": 4, "url": "https://a.example"}},
			false, "see here (https://a.example)"},
	}
	for name, tt := range tests {
		r.says(telegramfake.Incoming{ChatID: group, Text: tt.text, Extra: fakekit.Object{"entities": tt.entities}})
		in := r.next()
		if in.Mentioned != tt.mentioned || in.Text != tt.want {
			t.Errorf("%s: mentioned %v, text %q; want %v, %q", name, in.Mentioned, in.Text, tt.mentioned, tt.want)
		}
	}
	id := r.fake.AddFile("a.jpg", []byte("x"), 0)
	r.says(telegramfake.Incoming{ChatID: group, Kind: "photo", FileID: id, Caption: "@opsbot what is this"})
	if in := r.next(); !in.Mentioned || in.Text != "what is this" || len(in.Attachments) != 1 {
		t.Errorf("a caption: %+v", in)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	tests := map[string]struct {
		chat  int64
		text  string
		want  *channels.Command // nil: ignored, or an ordinary message
		text2 string
	}{
		"ours in a group":               {group, "/stop all", &channels.Command{Name: "stop", Args: "all"}, "all"},
		"with our name":                 {group, "/new@OpsBot", &channels.Command{Name: "new"}, ""},
		"unknown with our name":         {group, "/foo@opsbot x", &channels.Command{Name: "foo", Args: "x"}, "x"},
		"unknown in a group":            {group, "/foo x", nil, "x"},
		"in a private chat":             {ann, "/foo x", &channels.Command{Name: "foo", Args: "x"}, "x"},
		"the first of a private chat":   {ann, "/start claim", &channels.Command{Name: "start", Args: "claim"}, "claim"},
		"upper case":                    {ann, "/STOP", &channels.Command{Name: "stop"}, ""},
		"later in the text is no order": {group, "please /stop", nil, "please /stop"},
	}
	for name, tt := range tests {
		r.says(telegramfake.Incoming{ChatID: tt.chat, Text: tt.text})
		in := r.next()
		if diff := cmp.Diff(tt.want, in.Command); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	r.says(telegramfake.Incoming{ChatID: group, Text: "/new@otherbot"})
	r.nothingBefore()
}

func TestReplies(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	mine := r.mustSend(&channels.Outbound{Conversation: topic("7"), Text: "**done**"})
	hers := r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "look at this"})
	if in := r.next(); in.ReplyTo != nil || in.Mentioned {
		t.Errorf("a message that answers nothing: %+v", in)
	}
	r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "thanks", ReplyTo: number(t, mine)})
	if in := r.next(); !in.Mentioned || in.ReplyTo == nil || !in.ReplyTo.Mine || in.ReplyTo.Text != "done" {
		t.Errorf("an answer to the bot: %+v", in)
	}
	bob := telegramfake.User(502, "Bob", "")
	r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, Text: "why?", ReplyTo: hers["message_id"].(int), From: bob})
	in := r.next()
	want := &channels.Quoted{
		ID: channels.MessageID(fmt.Sprint(hers["message_id"])), Text: "look at this",
		Sender: channels.Sender{ID: "501", Name: "Ann @ann"},
	}
	if diff := cmp.Diff(want, in.ReplyTo); diff != "" || in.Mentioned {
		t.Errorf("an answer to somebody: mentioned %v (-want +got)\n%s", in.Mentioned, diff)
	}
	if diff := cmp.Diff(channels.Sender{ID: "502", Name: "Bob"}, in.Sender); diff != "" {
		t.Error(diff)
	}
}

// TestTopicsOfTheBot: in a topic that the bot opened every message refers to a message of the bot.
func TestTopicsOfTheBot(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id, err := r.fake.CreateTopic(forum, "made", r.fake.Bot)
	if err != nil {
		t.Fatal(err)
	}
	r.says(telegramfake.Incoming{ChatID: forum, ThreadID: id, Text: "hello"})
	if in := r.next(); in.Mentioned || in.ReplyTo != nil || in.Text != "hello" {
		t.Errorf("got %+v", in)
	}
}

func TestFilesThatComeIn(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	id := r.fake.AddFile("a b.oga", []byte("content"), 0)
	tests := []struct {
		kind, mime, fileName string
		name, mediaType      string
		text                 string
	}{
		{"photo", "", "", "photo-%d.jpg", "image/jpeg", ""},
		{"voice", "audio/ogg", "", "voice-%d.ogg", "audio/ogg", "(a voice message)"},
		{"document", "application/pdf", "plan.pdf", "plan.pdf", "application/pdf", ""},
		{"document", "", "x", "x", "application/octet-stream", ""},
		{"audio", "audio/mpeg", "song.mp3", "song.mp3", "audio/mpeg", ""},
		{"video", "video/mp4", "v.mp4", "v.mp4", "video/mp4", ""},
		{"video_note", "", "", "video-message-%d.mp4", "video/mp4", "(a video message)"},
		{"animation", "video/mp4", "x.mp4", "x.mp4", "video/mp4", ""},
	}
	for _, tt := range tests {
		m := r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 7, FileID: id, Kind: tt.kind, MimeType: tt.mime, FileName: tt.fileName})
		in := r.next()
		if len(in.Attachments) != 1 || in.Text != tt.text {
			t.Fatalf("%s: %+v", tt.kind, in)
		}
		a, name := in.Attachments[0], tt.name
		if slices.Contains([]byte(name), '%') {
			name = fmt.Sprintf(name, m["message_id"])
		}
		if a.Name != name || a.MediaType != tt.mediaType {
			t.Errorf("%s: %q of %q, want %q of %q", tt.kind, a.Name, a.MediaType, name, tt.mediaType)
		}
		data, err := r.ch.(channels.Fetcher).Fetch(t.Context(), &a)
		if err != nil || string(data) != "content" {
			t.Errorf("%s: fetched %q, %v", tt.kind, data, err)
		}
	}
}

func TestFilesThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	fetch := func(a channels.Attachment) *channels.Error {
		_, err := r.ch.(channels.Fetcher).Fetch(t.Context(), &a)
		return refusal(t, err)
	}
	large := r.fake.AddFile("a.mp4", nil, 30<<20)
	if e := fetch(channels.Attachment{Ref: large}); !e.Terminal || e.Err.Error() != "files of more than 20 MB are not given to bots" {
		t.Errorf("too large: %+v", e)
	}
	if e := fetch(channels.Attachment{Ref: "unknown"}); !e.Terminal {
		t.Errorf("unknown: %+v", e)
	}
	id := r.fake.AddFile("a", []byte("x"), 0)
	r.fake.Inject(fakekit.Fault{Method: "downloadFile", Status: 502})
	if e := fetch(channels.Attachment{Ref: id}); e.Terminal {
		t.Errorf("a server that fails for a moment: %+v", e)
	}
	r.fake.Inject(fakekit.Fault{Method: "getFile", Drop: true})
	if e := fetch(channels.Attachment{Ref: id}); e.Terminal {
		t.Errorf("a connection that breaks: %+v", e)
	}
}

func TestWhoWrites(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fake.AddChat(telegramfake.Chat{ID: -3003, Type: "channel", Title: "News"})
	r.start(nil)
	r.says(telegramfake.Incoming{ChatID: -3003, Text: "a post", Extra: fakekit.Object{"author_signature": "Ann"}})
	if in := r.next(); in.Sender != (channels.Sender{ID: "-3003", Name: "Ann of News"}) || in.Direct {
		t.Errorf("a channel post: %+v", in)
	}
	r.says(telegramfake.Incoming{ChatID: group, Text: "as the group",
		From:  telegramfake.User(1087968824, "Group", "GroupAnonymousBot"),
		Extra: fakekit.Object{"from": fakekit.Object{"id": 1087968824, "is_bot": true, "first_name": "Group"}, "sender_chat": fakekit.Object{"id": group, "type": "supergroup", "title": "Plain"}}})
	if in := r.next(); in.Sender != (channels.Sender{ID: "-2002", Name: "Plain"}) {
		t.Errorf("an administrator without a name: %+v", in)
	}
	r.says(telegramfake.Incoming{ChatID: group, Text: "beep", Extra: fakekit.Object{"from": fakekit.Object{"id": 77, "is_bot": true, "first_name": "Other"}}})
	r.nothingBefore()
	r.says(telegramfake.Incoming{ChatID: ann, Text: "look", Extra: fakekit.Object{"forward_origin": fakekit.Object{
		"type": "user", "date": 1, "sender_user": fakekit.Object{"id": 502, "is_bot": false, "first_name": "Bob"}}}})
	if in := r.next(); in.Text != "Forwarded from Bob:\nlook" || in.Sender.ID != "501" {
		t.Errorf("a forwarded message: %+v", in)
	}
}

func TestEditsAndPresses(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	m := r.says(telegramfake.Incoming{ChatID: forum, ThreadID: 9, Text: "helo"})
	first := r.next()
	if err := r.fake.EditMessage(forum, m["message_id"].(int), "hello"); err != nil {
		t.Fatal(err)
	}
	edit := r.next()
	if edit.Revises != first.EventKey || edit.EventKey == first.EventKey || edit.Text != "hello" || edit.Conversation != topic("9") {
		t.Errorf("edit %+v of %+v", edit, first)
	}
	id := r.mustSend(&channels.Outbound{Conversation: topic("9"), Text: "working",
		Buttons: [][]channels.Button{{{Text: "Stop", Token: channeltest.Token(1), Command: channels.Command{Name: "stop", Args: "all"}}}}})
	press := func() *channels.Inbound {
		if _, err := r.fake.PressButton(forum, number(t, id), "l1:"+channeltest.Token(1), telegramfake.User(502, "Bob", "")); err != nil {
			t.Fatal(err)
		}
		return r.next()
	}
	one, two := press(), press()
	if one.Conversation != topic("9") || one.Sender.ID != "502" || !cmp.Equal(one.Action, &channels.Action{Token: channeltest.Token(1)}) {
		t.Errorf("press %+v", one)
	}
	if one.EventKey == two.EventKey {
		t.Error("two presses have one key")
	}
	r.fake.Wait("answerCallbackQuery")
	r.fake.Wait("answerCallbackQuery")
	if open := r.fake.UnansweredCallbacks(); len(open) != 0 {
		t.Errorf("presses without an answer: %v", open)
	}
}

func TestForeignButtons(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	if _, err := r.fake.Send(fakekit.Object{"callback_query": fakekit.Object{
		"id": "77", "from": telegramfake.User(ann, "Ann", "ann"), "chat_instance": "x", "data": "something old"}}); err != nil {
		t.Fatal(err)
	}
	r.nothingBefore()
	if c := r.fake.Wait("answerCallbackQuery"); c.String("text") == "" {
		t.Error("nobody was told that the button does not work")
	}
}

func TestMigration(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.fake.AddChat(telegramfake.Chat{ID: -55, Type: "group", Title: "Small"})
	r.start(nil)
	r.says(telegramfake.Incoming{ChatID: -55, Text: "one"})
	r.next()
	r.fake.Must(r.fake.Migrate(-55, -100055))
	r.says(telegramfake.Incoming{ChatID: -100055, Text: "two"})
	r.next()
	r.mu.Lock()
	moves := slices.Clone(r.moves)
	r.mu.Unlock()
	if !slices.Equal(moves, []string{"-55 to -100055"}) {
		t.Errorf("moves %v", moves)
	}
	r.mustSend(&channels.Outbound{Conversation: at(-55, ""), Text: "late"})
	if c := r.fake.Wait("sendMessage"); c.String("chat_id") != "-100055" {
		t.Errorf("sent to %s", c.String("chat_id"))
	}
}

// TestUpdatesAreConfirmedWhenStored: what the program could not store comes again, in order, and blocks no other chat.
func TestUpdatesAreConfirmedWhenStored(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var failures atomic.Int32
	r.failing(func(in *channels.Inbound) error {
		if in.Text == "one" && failures.Add(1) <= 3 {
			return errors.New("the database is down")
		}
		return nil
	})
	for _, text := range []string{"one", "two"} {
		r.says(telegramfake.Incoming{ChatID: ann, Text: text})
	}
	r.says(telegramfake.Incoming{ChatID: group, Text: "other"})
	r.start(nil)
	for _, want := range []string{"other", "one", "two"} {
		if in := r.next(); in.Text != want {
			t.Errorf("received %q, want %q", in.Text, want)
		}
	}
	r.nothingBefore()
}

// TestHopelessMessages: a message that can't be stored although others can is given up, and its writer is told.
func TestHopelessMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.failing(func(in *channels.Inbound) error {
		if in.Text == "poison" {
			_, _ = r.fake.SendMessage(telegramfake.Incoming{ChatID: group, Text: "fine"})
			return errors.New("value too strange")
		}
		return nil
	})
	r.says(telegramfake.Incoming{ChatID: ann, Text: "poison"})
	r.says(telegramfake.Incoming{ChatID: group, Text: "fine"})
	r.start(nil)
	r.fake.Wait("sendMessage", fakekit.Param("chat_id", fmt.Sprint(ann)))
	for in := r.next(); in.Text == "fine"; in = r.next() {
		r.says(telegramfake.Incoming{ChatID: ann, Text: "after"})
	}
}

func TestStrangeUpdates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, u := range []fakekit.Object{
		{"shipping_query": fakekit.Object{"id": "1"}},
		{"message": fakekit.Object{"message_id": "no number"}},
		{"message": fakekit.Object{"message_id": 5}},
		{"message": 7},
		{"edited_message": fakekit.Object{"message_id": 5, "chat": fakekit.Object{"id": 1, "type": "private"}, "date": 1}},
		{"message": fakekit.Object{"message_id": 5, "chat": fakekit.Object{"id": ann, "type": "private"}, "date": 1,
			"text": "x", "from": fakekit.Object{"id": ann, "is_bot": false, "first_name": "A"}, "reply_to_message": fakekit.Object{"message_id": 4}}},
	} {
		if _, err := r.fake.Send(u); err != nil {
			t.Fatal(err)
		}
	}
	r.start(nil)
	if in := r.next(); in.Text != "x" || in.ReplyTo == nil {
		t.Errorf("received %+v", in)
	}
	r.nothingBefore()
	if n := r.fake.Pending(); n > 1 { // the marker may not be confirmed yet
		t.Errorf("%d updates are not confirmed", n)
	}
}

func TestTextsAreLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	for _, text := range []string{":) hello", ":memory:", ", and?", "a @bob, b"} {
		r.says(telegramfake.Incoming{ChatID: ann, Text: text})
		if in := r.next(); in.Text != text {
			t.Errorf("received %q of %q", in.Text, text)
		}
	}
}

func TestRepliesFromElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.says(telegramfake.Incoming{ChatID: group, Text: "and this?", Extra: fakekit.Object{
		"external_reply": fakekit.Object{"message_id": 3, "origin": fakekit.Object{"type": "user", "date": 1, "sender_user": r.fake.Bot}},
		"quote":          fakekit.Object{"text": "my words", "position": 0},
	}})
	if in := r.next(); !in.Mentioned || in.ReplyTo == nil || in.ReplyTo.Text != "my words" || !in.ReplyTo.Mine {
		t.Errorf("received %+v", in)
	}
}

func TestKindsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	r.says(telegramfake.Incoming{ChatID: ann, Extra: fakekit.Object{"story": fakekit.Object{"id": 1, "chat": fakekit.Object{"id": ann, "type": "private"}}}})
	if in := r.next(); in.Text != "(a message of a kind that can't be read here)" {
		t.Errorf("received %+v", in)
	}
}

// TestPressesOnOldMessages: of a message that can't be looked at any more nobody knows the topic.
func TestPressesOnOldMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	if _, err := r.fake.Send(fakekit.Object{"callback_query": fakekit.Object{
		"id": "77", "from": telegramfake.User(ann, "Ann", "ann"), "chat_instance": "x", "data": "l1:stop",
		"message": fakekit.Object{"message_id": 3, "date": 0, "chat": fakekit.Object{"id": forum, "type": "supergroup", "is_forum": true, "title": "Ops"}},
	}}); err != nil {
		t.Fatal(err)
	}
	if c := r.fake.Wait("answerCallbackQuery"); c.String("text") == "" {
		t.Error("nobody was told that the button does not work")
	}
	r.nothingBefore()
}

// TestManyBehindAHopelessMessage: although the server gives nothing new before it is confirmed, it is given up.
func TestManyBehindAHopelessMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.failing(func(in *channels.Inbound) error {
		if in.Text == "poison" {
			return errors.New("value too strange")
		}
		return nil
	})
	r.says(telegramfake.Incoming{ChatID: ann, Text: "poison"})
	for i := range 120 {
		r.says(telegramfake.Incoming{ChatID: group, Text: fmt.Sprint(i)})
	}
	r.start(nil)
	for in := r.next(); in.Text != "119"; in = r.next() {
	}
}

// TestAddedToAGroup: only coming in is told, and where people see it.
func TestAddedToAGroup(t *testing.T) {
	t.Parallel()
	r := newRig(t).start(nil)
	change := func(chat fakekit.Object, from, to string) {
		t.Helper()
		member := func(status string) fakekit.Object {
			return fakekit.Object{"status": status, "user": telegramfake.User(999, "Ops", "opsbot")}
		}
		_, err := r.fake.Send(fakekit.Object{"my_chat_member": fakekit.Object{
			"chat": chat, "from": telegramfake.User(ann, "Ann", "ann"), "date": 1, "old_chat_member": member(from),
			"new_chat_member": member(to),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	forumChat := fakekit.Object{"id": int64(forum), "type": "supergroup", "title": "Forum", "is_forum": true}
	change(fakekit.Object{"id": int64(group), "type": "supergroup", "title": "Group"}, "left", "member")
	change(forumChat, "kicked", "administrator")
	change(forumChat, "member", "administrator")
	change(forumChat, "administrator", "left")
	change(fakekit.Object{"id": int64(ann), "type": "private", "first_name": "Ann"}, "kicked", "member")
	for _, chat := range []int64{ann, group, forum} { // each chat is in order
		r.says(telegramfake.Incoming{ChatID: chat, Text: "marker"})
	}
	for range 3 {
		r.next()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.added)
	if want := []string{at(forum, "general").String() + " by Ann @ann", at(group, "").String() + " by Ann @ann"}; !cmp.Equal(r.added, want) {
		t.Errorf("told %q, want %q", r.added, want)
	}
}
