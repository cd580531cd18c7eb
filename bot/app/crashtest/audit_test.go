package crashtest_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/bot/lane"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools/workspace"
)

// audit compares what happened with what should have. It is made when no worker lives any more.
type audit struct {
	*feed
	t      *testing.T
	db     *store.DB
	events []event
	thawed map[int]time.Time // when workers that were frozen went on, by pid

	repeats     int // sends that were made twice
	interrupted int // changes of which the model was told that they may have happened
	happened    int // those of them that had happened
}

func newAudit(p *feed) *audit {
	return &audit{feed: p, t: p.t, db: storetest.Open(p.t, p.url), events: p.logged(), thawed: map[int]time.Time{}}
}

func (a *audit) run() {
	a.t.Helper()
	a.checkRequests()
	a.checkSends()
	a.checkQueues()
	for id, chat := range a.sessions() {
		a.checkSession(id, chat)
	}
}

// checkRequests looks for requests that a strict provider would have refused.
func (a *audit) checkRequests() {
	for _, e := range a.events {
		if e.Kind == "invalid" || e.Kind == "nack" && !a.mayFail(e.Pid) {
			a.t.Errorf("%s by %s: %s", e.Kind, e.Worker, e.Text)
		}
	}
}

// mayFail tells whether a worker was in trouble that the test made.
func (a *audit) mayFail(pid int) bool {
	for _, w := range a.workers {
		if w.cmd.Process.Pid == pid {
			return w.killed || w.leaving || !a.thawed[pid].IsZero()
		}
	}
	return false
}

// checkSends: every message is answered, in order, in its own conversation, and once, unless a worker was killed or
// frozen while it sent. Then the same message is sent once more by another, marked as a repeat.
func (a *audit) checkSends() {
	answered := map[string][]string{} // names by conversation, in order
	latest := map[string]event{}      // by conversation
	sent := map[string]event{}        // by key
	for _, e := range a.events {
		if e.Kind != "send" {
			continue
		}
		first, again := sent[e.Key]
		if thaw, ok := a.thawed[e.Pid]; ok && again && e.At.After(thaw) && e.At.Before(thaw.Add(time.Second)) {
			a.repeats++ // it was in flight when the worker was frozen
			continue
		}
		if again {
			a.repeats++
			a.checkRepeat(first, latest[e.Conversation], e)
			continue
		}
		sent[e.Key], latest[e.Conversation] = e, e
		answered[e.Conversation] = append(answered[e.Conversation], e.Names...)
		if n := len(e.Names); n == 0 || !slices.Contains(e.Names, strings.TrimPrefix(e.ReplyTo, "id-")) {
			a.t.Errorf("an answer to %q says %q", e.ReplyTo, e.Text)
		}
	}
	want := map[string][]string{}
	for _, name := range a.names() {
		c := conversation(chatOf(name)).String()
		want[c] = append(want[c], name)
	}
	if diff := cmp.Diff(want, answered); diff != "" {
		a.t.Errorf("messages written (-) and messages answered (+), in order, by conversation:\n%s", diff)
	}
}

func (a *audit) checkRepeat(first, latest, e event) {
	ended := slices.ContainsFunc(a.workers, func(w *worker) bool { return w.cmd.Process.Pid == first.Pid && w.killed })
	_, frozen := a.thawed[first.Pid]
	if first.Pid == e.Pid || !ended && !frozen || latest.Key != e.Key || !e.Repeat || first.Text != e.Text {
		a.t.Errorf("%s was sent by %s (killed: %v) and again by %s, marked as a repeat: %v, after %s",
			e.Key, first.Worker, ended, e.Worker, e.Repeat, latest.Key)
	}
}

// checkQueues: every message was stored once and is done, everything to say was sent, and nobody owns anything.
func (a *audit) checkQueues() {
	messages := 0
	for _, r := range a.rows(`SELECT event_key, session, seq, done_at > 0, outcome FROM inbox ORDER BY session, seq`) {
		messages++
		if r[3] != "1" && r[3] != "true" || r[4] != "answered" {
			a.t.Errorf("message %v is not done", r)
		}
	}
	if want := len(a.names()); messages != want {
		a.t.Errorf("%d messages are stored, want %d", messages, want)
	}
	for _, r := range a.rows(`SELECT conversation, seq, key, status FROM outbox WHERE status <> 2`) {
		a.t.Errorf("not sent: %v", r)
	}
	for _, r := range a.rows(`SELECT kind, id, last_seq, done_seq, lease_owner, attempts FROM lanes
		WHERE last_seq <> done_seq OR lease_owner <> '' OR attempts <> 0`) {
		a.t.Errorf("the lane is not at rest: %v", r)
	}
	for _, table := range []string{"inbox", "history"} {
		query := fmt.Sprintf(`SELECT session, count(*), min(seq), max(seq) FROM %s GROUP BY session`, table)
		for _, r := range a.rows(query) {
			if r[2] != "1" || r[1] != r[3] {
				a.t.Errorf("%s of a session has gaps: %v", table, r)
			}
		}
	}
}

// rows runs a query and gives all values as text.
func (a *audit) rows(query string) [][]string {
	a.t.Helper()
	rows, err := a.db.SQL().QueryContext(a.t.Context(), query)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	cols, err := rows.Columns()
	if err != nil {
		a.t.Fatal(err)
	}
	var all [][]string
	for rows.Next() {
		row := make([]string, len(cols))
		into := make([]any, len(cols))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			a.t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		a.t.Fatal(err)
	}
	return all
}

// sessions gives the chat of every session.
func (a *audit) sessions() map[string]string {
	chats := map[string]string{}
	for _, r := range a.rows(`SELECT id, chat FROM sessions`) {
		chats[r[0]] = r[1]
	}
	return chats
}

// checkSession: every message of the chat is in the history once, every call has its result, and every change was made
// exactly once, or at most once where the model was told that nobody knows.
func (a *audit) checkSession(id, chat string) {
	log, err := store.NewInbox(a.db).Log(lane.Lease{ID: id}).Load(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	sources := map[int64]int{}
	for i := range log {
		if s := log[i].Source; s != 0 {
			sources[s]++
		}
	}
	for seq, n := range sources {
		if n != 1 {
			a.t.Errorf("chat %s: message %d is in the history %d times", chat, seq, n)
		}
	}
	summarised := slices.ContainsFunc(log, func(e session.Entry) bool { return e.Kind == session.KindSummary })
	if want := a.nextName[chat]; len(sources) != want && !summarised {
		a.t.Errorf("chat %s: %d messages are in the history, want %d", chat, len(sources), want)
	}
	again := append(session.History(log), llm.UserText("x"))
	if err := llmtest.Check(&llm.Request{Messages: again}); err != nil {
		a.t.Errorf("chat %s: the history is invalid: %v", chat, err)
	}
	a.checkChanges(chat, log, summarised)
}

func (a *audit) checkChanges(chat string, log []session.Entry, summarised bool) {
	made := a.effects(chat)
	called := map[string]int{}
	for _, pair := range session.Pairs(log) {
		if pair.Result == nil {
			a.t.Errorf("chat %s: call %s has no result", chat, pair.Call.Args)
			continue
		}
		for _, name := range namesIn(pair.Call.Args) {
			for _, key := range changes(name) {
				if !strings.Contains(pair.Call.Args, key) {
					continue
				}
				called[key]++
				unknown := pair.Result.Text == session.Interrupted
				if unknown {
					a.interrupted++
					a.happened += made[key]
				}
				if made[key] != 1 && !unknown || pair.Result.IsError != unknown {
					a.t.Errorf("change %s was made %d times, the result is %q", key, made[key], pair.Result.Text)
				}
			}
		}
	}
	for key, n := range made {
		if n != 1 || called[key] != 1 && !summarised {
			a.t.Errorf("change %s was made %d times and called %d times", key, n, called[key])
		}
	}
	for name, text := range a.texts {
		for _, key := range changes(name) {
			if chatOf(name) == chat && wantsTools(text) && called[key] != 1 && !summarised {
				a.t.Errorf("change %s was called %d times", key, called[key])
			}
		}
	}
}

// effects counts how often each change was made.
func (a *audit) effects(chat string) map[string]int {
	_, content, err := store.NewWorkspaces(a.db, store.DefaultWorkspaceLimits).Read(a.t.Context(), owner(chat), effects)
	if err != nil {
		a.t.Fatal(err)
	}
	made := map[string]int{}
	for _, line := range strings.Fields(string(content)) {
		if line != effectsEnd {
			made[line]++
		}
	}
	return made
}

// owner is whose workspace the turns of a chat work in.
func owner(chat string) workspace.Owner {
	return workspace.Owner{Tenant: "default", Agent: "lead", User: conversation(chat).Channel + ":" + chat}
}

// open uses the database for a moment; on SQLite no worker can at that time.
func open(t *testing.T, url string, use func(db *store.DB)) {
	t.Helper()
	db, err := store.Open(t.Context(), url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	use(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// prepare gives every chat an empty list of effects.
func prepare(t *testing.T, url string, chats []string) {
	t.Helper()
	open(t, url, func(db *store.DB) {
		files := store.NewWorkspaces(db, store.DefaultWorkspaceLimits)
		for _, chat := range chats {
			_, err := files.Write(t.Context(), owner(chat), effects, []byte(effectsEnd+"\n"), workspace.AnyVersion)
			if err != nil {
				t.Error(err)
			}
		}
	})
}
