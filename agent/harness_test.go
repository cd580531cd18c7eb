package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/agent/session"
	"github.com/leadhand/leadhand/tools"
)

var errFenced = errors.New("fenced")

// memoryLog is a session.Log that keeps entries as a database would: as JSON.
type memoryLog struct {
	mu     sync.Mutex
	rows   [][]byte
	seq    int64
	writes int
	// failAt is the number of the Append that fails, from 1; 0 for none. With stores it stores all the same, like a
	// database whose answer was lost.
	failAt int
	stores bool
}

func (l *memoryLog) Load(context.Context) ([]session.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []session.Entry
	var covers int64
	for _, row := range l.rows {
		var e session.Entry
		if err := json.Unmarshal(row, &e); err != nil {
			return nil, err
		}
		if e.Kind == session.KindSummary {
			covers = e.Covers
		}
		all = append(all, e)
	}
	var live []session.Entry
	for _, e := range all {
		if e.Seq > covers {
			live = append(live, e)
		}
	}
	return live, nil
}

func (l *memoryLog) Append(ctx context.Context, entries []session.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.writes++
	failed := l.failAt == l.writes
	if failed && !l.stores {
		return errFenced
	}
	for i := range entries {
		l.seq++
		entries[i].Seq = l.seq
		row, err := json.Marshal(entries[i])
		if err != nil {
			return err
		}
		l.rows = append(l.rows, row)
	}
	if failed {
		return errFenced
	}
	return nil
}

// world is an agent with a scripted model, some tools and a session.
type world struct {
	t      *testing.T
	model  llm.Provider
	log    *memoryLog
	tools  []tools.Tool
	spec   agent.Spec
	events []agent.Event
	next   int64
}

func newWorld(t *testing.T, steps ...llmtest.Step) (*world, *llmtest.Script) {
	t.Helper()
	model := llmtest.New(t, steps...).Strict()
	return &world{t: t, model: model, log: &memoryLog{}}, model
}

func (w *world) runner() *agent.Runner {
	spec := w.spec
	spec.Name, spec.Model = "lead", w.model
	return agent.NewRunner(agent.Config{
		Specs:    func(name string) (*agent.Spec, bool) { return &spec, name == "lead" },
		Sections: []agent.Section{words("You are lead.")},
		Planner:  &tools.Planner{Source: tools.Fixed(w.tools)},
		Pipeline: &tools.Pipeline{},
		Log:      slog.New(slog.DiscardHandler),
	})
}

// message is a person's message as the caller hands it over.
func message(turn, source int64, text string) session.Entry {
	return session.Entry{Turn: turn, Source: source, Kind: session.KindMessage, Message: llm.UserText(text)}
}

func (w *world) request(turn int64, text string) *agent.Request {
	return &agent.Request{
		Scope:   tools.Scope{Tenant: "t", Agent: "lead", Session: "s"},
		Turn:    turn,
		Log:     w.log,
		Input:   []session.Entry{message(turn, turn, text)},
		Observe: func(e agent.Event) { w.events = append(w.events, e) },
	}
}

// say runs a whole turn and stores its end, as the caller does.
func (w *world) say(text string) *agent.Reply {
	w.t.Helper()
	w.next += 10
	return w.sayAs(w.next, text)
}

func (w *world) sayAs(turn int64, text string) *agent.Reply {
	w.t.Helper()
	reply, err := w.runner().Run(w.t.Context(), w.request(turn, text))
	if err != nil {
		w.t.Fatalf("run: %v", err)
	}
	w.end(reply)
	return reply
}

func (w *world) end(reply *agent.Reply) {
	w.t.Helper()
	if err := w.log.Append(w.t.Context(), reply.Pending); err != nil {
		w.t.Fatal(err)
	}
}

// words is a section of fixed words.
type words string

func (s words) Render(context.Context, *agent.Briefing) (string, error) {
	return string(s), nil
}

// counted is a tool that counts its runs and says which it was.
func counted(name string, effect tools.Effect, runs *counter) tools.Tool {
	type input struct {
		N int `json:"n,omitempty"`
	}
	d := tools.Descriptor{Name: name, Label: name + " label", Effect: effect}
	return tools.New(d, func(_ context.Context, _ *tools.Call, in input) (*tools.Result, error) {
		return tools.Text(fmt.Sprintf("%s(%d) run %d", name, in.N, runs.add(fmt.Sprintf("%s(%d)", name, in.N)))), nil
	})
}

type counter struct {
	mu   sync.Mutex
	runs map[string]int
}

func (c *counter) add(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[string]int{}
	}
	c.runs[key]++
	return c.runs[key]
}

func (c *counter) of(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[key]
}

// lines tells messages in short: "user: hi", "call read({})", "result: text", "image: a.png".
func lines(ms []llm.Message) []string {
	var out []string
	for _, m := range ms {
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				out = append(out, fmt.Sprintf("call %s(%s)", p.Call.Name, p.Call.Args))
			case p.Result != nil && p.Result.IsError:
				out = append(out, "error: "+p.Result.Text)
			case p.Result != nil:
				out = append(out, "result: "+p.Result.Text)
			case p.Image != nil:
				out = append(out, "image: "+p.Image.Name)
			default:
				out = append(out, string(m.Role)+": "+p.Text)
			}
		}
	}
	return out
}

// stored is what the session holds now.
func (w *world) stored() []string {
	w.t.Helper()
	entries, err := w.log.Load(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return lines(session.History(entries))
}

func contains(list []string, part string) bool {
	return strings.Contains(strings.Join(list, "\n"), part)
}
