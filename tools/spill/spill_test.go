package spill_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/spill"
)

// memory is a spill.Store in memory.
type memory struct {
	kept map[string]*spill.Output
	err  error
}

func (m *memory) Put(_ context.Context, o spill.Owner, out *spill.Output) error {
	if m.err == nil {
		m.kept[o.Session+"/"+out.Ref] = out
	}
	return m.err
}

func (m *memory) Get(_ context.Context, o spill.Owner, ref string) (*spill.Output, error) {
	if out, ok := m.kept[o.Session+"/"+ref]; ok {
		return out, nil
	}
	return nil, spill.ErrGone
}

// bench is a model that calls tools in a session.
type bench struct {
	*testing.T
	store *memory
	plan  *tools.Plan
}

func newBench(t *testing.T, gates ...tools.Gate) *bench {
	t.Helper()
	b := &bench{T: t, store: &memory{kept: map[string]*spill.Output{}}}
	dump := tools.New(tools.Descriptor{Name: "dump"}, func(context.Context, *tools.Call, struct{}) (*tools.Result, error) { return nil, nil })
	plan, err := tools.BuildPlan([]tools.Tool{dump, spill.Tool(b.store)}, tools.Signals{}, gates...)
	if err != nil {
		t.Fatal(err)
	}
	b.plan = plan
	return b
}

// shown is what the model reads of a result.
func (b *bench) shown(text string) string {
	s := &spill.Spiller{Store: b.store, Log: slog.New(slog.DiscardHandler)}
	r := tools.Text(text)
	s.After()(b.Context(), &tools.Call{Name: "dump", Scope: tools.Scope{Tenant: "t", Session: "s"}, Plan: b.plan}, r)
	return r.ForModel
}

// keeps shows a large text and returns its ref.
func (b *bench) keeps(text string) (ref, preview string) {
	b.Helper()
	preview = b.shown(text)
	_, rest, ok := strings.Cut(preview, "as ref ")
	if !ok {
		b.Fatalf("not kept: %s", preview)
	}
	ref, _, _ = strings.Cut(rest, ":")
	return ref, preview
}

func (b *bench) read(session string, args map[string]any) string {
	b.Helper()
	tool, err := b.plan.Lookup("read_output")
	if err != nil {
		b.Fatal(err)
	}
	raw, _ := json.Marshal(args)
	r, err := tool.Execute(b.Context(), &tools.Call{Args: raw, Scope: tools.Scope{Tenant: "t", Session: session}})
	if err != nil {
		return "error: " + err.Error()
	}
	return r.ForModel
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the log\n", i+1)
	}
	return b.String()
}

func items(n int) string {
	var list []map[string]any
	for i := range n {
		list = append(list, map[string]any{"id": i, "name": fmt.Sprintf("item %d", i), "tags": []string{"a", "b"}, "a key": true})
	}
	raw, _ := json.Marshal(map[string]any{"items": list, "total": n, "next": nil})
	return string(raw)
}

// TestPreviews: a large text of each kind is told what it is, and stays short.
func TestPreviews(t *testing.T) {
	t.Parallel()
	page := "<!DOCTYPE html><html><head><title>The News</title><style>x{}</style></head><body><h1>Today</h1>" +
		strings.Repeat("<p>Some <a href=x>words</a> here.</p>", 500) + "<script>var x</script></body></html>"
	for name, c := range map[string]struct {
		text string
		want []string
		not  string
	}{
		"json":  {items(500), []string{"large: json,", "object of 3 keys", "items: list of 500", `[0]: {"a key":true,"id":0`, "… 497 more", "total: 500", "path"}, ""},
		"jsonl": {strings.Repeat(`{"level":"info","msg":"ok"}`+"\n", 900), []string{"large: jsonl,", "900 values, one on each line", `[0]: {"level":"info"`}, ""},
		"csv":   {"id;name\n" + strings.Repeat("1;Ann\n", 3000), []string{"large: csv,", "table of 3000 rows below its first, 2 columns", "id;name"}, ""},
		"html":  {page, []string{"large: html,", "title: The News", "headings: Today", "Some\nwords\nhere."}, "var x"},
		"xml":   {"<?xml version='1.0'?><feed>" + strings.Repeat("<entry><id>1</id></entry>", 900) + "</feed>", []string{"large: xml,", "feed: 1", "feed/entry: 900", "feed/entry/id: 900"}, ""},
		"text":  {numbered(900), []string{"large: text,", "900 lines", "line 1 of", "[…]", "line 900 of"}, "line 450 of"},
		"one":   {strings.Repeat("ж", 20000), []string{"large: text, 20000 characters, 1 line.", "жж"}, ""},
	} {
		_, got := newBench(t).keeps(c.text)
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", name, part, got)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q in\n%s", name, c.not, got)
		}
		if n := utf8.RuneCountInString(got); n > 4400 {
			t.Errorf("%s: %d characters", name, n)
		}
	}
}

func TestSmallResultsStay(t *testing.T) {
	t.Parallel()
	if text := strings.Repeat("x", tools.DefaultLimit); newBench(t).shown(text) != text {
		t.Error("changed")
	}
}

// TestWhatCannotBeKeptIsCut, and so is what the model could not read.
func TestWhatCannotBeKeptIsCut(t *testing.T) {
	t.Parallel()
	broken := newBench(t)
	broken.store.err = errors.New("no database")
	hidden := newBench(t, tools.ListGate("here", "", tools.Allowlist{Denied: []string{"read_output"}}))
	for _, b := range []*bench{broken, hidden} {
		if got := b.shown(numbered(900)); !strings.Contains(got, "are cut off here") || strings.Contains(got, "ref") {
			t.Errorf("shown %s", got[len(got)-300:])
		}
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	log, _ := b.keeps(numbered(900))
	list, _ := b.keeps(items(500))
	rows, _ := b.keeps(strings.Repeat(`{"level":"info","n":1}`+"\n", 900))
	for name, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"lines":        {map[string]any{"ref": log, "offset": 450, "limit": 2}, "lines 450-451 of 900\nline 450 of the log\nline 451 of the log"},
		"tail":         {map[string]any{"ref": log, "tail": 2}, "line 899 of the log\nline 900 of the log"},
		"search":       {map[string]any{"ref": log, "search": "line 45[01]"}, "450: line 450 of the log\n451: line 451 of the log"},
		"words":        {map[string]any{"ref": log, "search": "(of the"}, "none of its 900 lines matches"},
		"past the end": {map[string]any{"ref": log, "offset": 1000}, "error: output " + log + " has 900 lines"},
		"both":         {map[string]any{"ref": log, "search": "x", "tail": 1}, "error: search and tail"},
		"no path":      {map[string]any{"ref": log, "path": "a"}, "error: path: the output is text"},
		"a path":       {map[string]any{"ref": list, "path": "items[7].name"}, "item 7"},
		"from the end": {map[string]any{"ref": list, "path": "$.items[-1].id"}, "499"},
		"a quoted key": {map[string]any{"ref": list, "path": `items[0]["a key"]`}, "true"},
		"a wrong key":  {map[string]any{"ref": list, "path": "items[0].nam"}, `error: path: at $.items[0]: there is no key "nam"; there is name`},
		"no number":    {map[string]any{"ref": list, "path": "items.name"}, "it is a list of 500: take one by its number"},
		"too far":      {map[string]any{"ref": list, "path": "items[500]"}, "it is a list of 500"},
		"too deep":     {map[string]any{"ref": list, "path": "total.x"}, "it is 500 and has no parts"},
		"an odd path":  {map[string]any{"ref": list, "path": "items[x"}, "brackets hold a number"},
		"a line":       {map[string]any{"ref": rows, "path": "[3].level"}, "info"},
		"unknown":      {map[string]any{"ref": "NOTHING"}, "error: there is no such output any more"},
	} {
		if got := b.read("s", c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := b.read("another", map[string]any{"ref": log}); !strings.Contains(got, "no such output") {
		t.Errorf("another session reads %q", got)
	}
}

// FuzzReading: whatever an output holds and however it is read, nothing breaks and what is shown is short.
func FuzzReading(f *testing.F) {
	f.Add(items(20), "items[0].name", "item", 1, 2)
	f.Add("<a><b/></a>", "$", "(", 0, 0)
	f.Add("a,b\n1,2\n3,4\n5,6\n", "[0]", "", -1, 100000)
	f.Add("<html><title>x", "", "x*", 3, 1)
	f.Fuzz(func(t *testing.T, text, path, search string, offset, tail int) {
		b := newBench(t)
		ref, preview := b.keeps(strings.ToValidUTF8(text, "?") + strings.Repeat("\nfiller", 2000))
		whole := strings.ToValidUTF8(text, "?")
		for _, shown := range []string{
			preview, b.read("s", map[string]any{"ref": ref, "search": search, "offset": offset}),
			b.read("s", map[string]any{"ref": ref, "tail": tail}), b.read("s", map[string]any{"ref": ref, "path": path}),
		} {
			if utf8.RuneCountInString(shown) > tools.DefaultLimit+len(path)+len(search) {
				t.Errorf("%d characters of %q", utf8.RuneCountInString(shown), whole)
			}
		}
	})
}
