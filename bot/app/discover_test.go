package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/app"
)

// vendor is an OpenAI-compatible server with one key.
type vendor struct {
	key     string   // "" accepts every request
	models  []string // nil: it does not tell
	noTools string   // "refuse": 400 when tools are offered; "ignore": it answers in words
	broken  bool     // answers 500 to everything
	calls   atomic.Int32
	asked   atomic.Pointer[string] // the model of the last request
}

func (v *vendor) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case v.broken:
		http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusInternalServerError)
	case v.key != "" && r.Header.Get("Authorization") != "Bearer "+v.key:
		http.Error(w, `{"error":{"message":"wrong key `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	case r.URL.Path == "/v1/models" && v.models != nil:
		list := []map[string]string{}
		for _, m := range v.models {
			list = append(list, map[string]string{"id": m})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list})
	case r.URL.Path == "/v1/chat/completions":
		v.complete(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (v *vendor) complete(w http.ResponseWriter, r *http.Request) {
	v.calls.Add(1)
	var req struct {
		Model string
		Tools []any
	}
	_ = json.NewDecoder(r.Body).Decode(&req)
	v.asked.Store(&req.Model)
	if len(req.Tools) > 0 && v.noTools == "refuse" {
		http.Error(w, `{"error":{"message":"this model does not support tools"}}`, http.StatusBadRequest)
		return
	}
	delta, finish := `{"content":"ready"}`, "stop"
	if len(req.Tools) > 0 && v.noTools == "" {
		delta = `{"tool_calls":[{"index":0,"id":"c1","type":"function",` +
			`"function":{"name":"confirm_setup","arguments":"{\"word\":\"ready\"}"}}]}`
		finish = "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, `data: {"id":"1","choices":[{"index":0,"delta":%s}]}`+"\n\n"+
		`data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`+"\n\ndata: [DONE]\n\n", delta, finish)
}

// typist answers questions with prepared lines and leaves after the last.
type typist struct {
	lines  []string
	screen io.Writer
}

func (p *typist) Line(ctx context.Context, question string) (string, error) {
	_, _ = io.WriteString(p.screen, question)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if len(p.lines) == 0 {
		return "", io.EOF
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line, nil
}

func (p *typist) Secret(ctx context.Context, question string) (string, error) {
	return p.Line(ctx, question)
}

// setUp runs the finder for a person who types lines, and returns what the screen shows.
func setUp(t *testing.T, cfg *app.Config, env app.Environ, locals []string, lines ...string) (string, error) {
	t.Helper()
	var screen strings.Builder
	f := app.Finder{Env: env, Tell: &screen, Ask: &typist{lines, &screen}, Locals: locals}
	err := f.Find(t.Context(), cfg)
	if strings.Contains(screen.String(), canary) {
		t.Errorf("the screen shows the key:\n%s", screen.String())
	}
	return screen.String(), err
}

func load(t *testing.T, data string, env app.Environ) *app.Config {
	t.Helper()
	cfg, err := app.Load(t.Context(), app.Flags{Data: data}, env)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func TestAPersonChoosesAModelWhichIsSaved(t *testing.T) {
	t.Parallel()
	v := &vendor{key: canary, models: []string{"text-embedding-3", "big", "small"}}
	url, data := v.start(t), t.TempDir()
	screen, err := setUp(t, load(t, data, app.Environ{}), app.Environ{}, nil, url, canary, "2")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "leadhand.yaml")
	contains(t, screen, "   1  big", "   2  small", "1 more",
		"Testing small … it answers and calls tools.", "Saved in "+path)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the saved file: %v, %v", info, err)
	}

	// The next chat reads it, asks nothing, and only tests.
	again := load(t, data, app.Environ{})
	screen, err = setUp(t, again, app.Environ{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, screen, "Testing small … it answers and calls tools.")
	p, err := app.LeadModel(again, app.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(t.Context(), p, &llm.Request{Messages: []llm.Message{llm.UserText("hi")}}, nil); err != nil {
		t.Error(err)
	}
	if got := *v.asked.Load(); got != "small" || p.Name() != "openai:small" {
		t.Errorf("%s asked for %q", p.Name(), got)
	}
}

func TestSetUpForgivesAndAsksAgain(t *testing.T) {
	t.Parallel()
	v := &vendor{key: canary, models: []string{"big"}}
	url := v.start(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"wrong key": {[]string{url, "sk-wrong", "", canary, ""},
			[]string{"The server refuses the key: it answered 401"}},
		"key with a blank":    {[]string{url, "two words", "", canary, ""}, []string{"without blanks"}},
		"no server":           {[]string{closed.URL, "", url, canary, ""}, []string{"nothing listens there"}},
		"no such host":        {[]string{"http://nowhere.invalid/v1", "", url, canary, ""}, []string{"cannot be reached"}},
		"no URL":              {[]string{"http://", url, canary, ""}, []string{"That is no URL such as"}},
		"without the version": {[]string{strings.TrimSuffix(url, "/v1"), canary, ""}, []string{"1  big"}},
		"without the scheme":  {[]string{strings.TrimPrefix(url, "http://"), canary, ""}, []string{"1  big"}},
		"copied too much":     {[]string{url + "/chat/completions", canary, ""}, []string{"1  big"}},
		"misspelt model":      {[]string{url, canary, "bgi", "big"}, []string{`Unknown model "bgi": did you mean "big"?`}},
		"number too high":     {[]string{url, canary, "7", "1"}, []string{`Unknown model "7"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := load(t, t.TempDir(), app.Environ{})
			screen, err := setUp(t, cfg, app.Environ{}, nil, tt.lines...)
			if err != nil || len(cfg.Models) != 1 {
				t.Fatalf("%v, models %v, screen:\n%s", err, cfg.Models, screen)
			}
			contains(t, screen, append(tt.want, "it answers and calls tools", "Saved in ")...)
		})
	}
}

func TestNothingIsSavedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	v := &vendor{broken: true}
	url, data := v.start(t), t.TempDir()
	silent := &vendor{key: canary}
	for name, lines := range map[string][]string{
		"left at once":        nil,
		"left at the key":     {url},
		"a broken server":     {url, ""},
		"a key refused later": {silent.start(t), "wrong", "some-model"},
	} {
		screen, err := setUp(t, load(t, data, app.Environ{}), app.Environ{}, nil, lines...)
		if err == nil || !strings.Contains(err.Error(), "no model was chosen") {
			t.Errorf("%s: %v\n%s", name, err, screen)
		}
		if _, err := os.Stat(filepath.Join(data, "leadhand.yaml")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something is saved", name)
		}
	}
}

func TestAModelWithoutToolsIsForChatOnly(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"refuse", "ignore"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := &vendor{models: []string{"old"}, noTools: how}
			url, data := v.start(t), t.TempDir()
			screen, err := setUp(t, load(t, data, app.Environ{}), app.Environ{}, nil, url, "", "")
			if err != nil {
				t.Fatal(err)
			}
			contains(t, screen, "it answers but does not call tools, so it is for chat only")
			cfg := load(t, data, app.Environ{})
			p, err := app.LeadModel(cfg, app.Environ{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := llm.Collect(t.Context(), p, withTools(), nil)
			if err != nil || a.Message.Text() != "ready" {
				t.Errorf("%v, %v", a, err)
			}
		})
	}
}

// withTools is a request that offers a tool and has an old call of it.
func withTools() *llm.Request {
	return &llm.Request{
		Tools: []llm.Tool{{Name: "time", Input: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			llm.UserText("hi"),
			{Role: llm.Assistant, Parts: []llm.Part{{Call: &llm.Call{ID: "1", Name: "time", Args: "{}"}}}},
			{Role: llm.ToolRole, Parts: []llm.Part{{Result: &llm.Result{CallID: "1", Name: "time", Text: "noon"}}}},
			llm.UserText("and?"),
		},
	}
}

func TestLocalServersAreFound(t *testing.T) {
	t.Parallel()
	empty, good := &vendor{models: []string{}}, &vendor{models: []string{"nomic-embed", "llama"}}
	second := &vendor{models: []string{"other"}}
	locals := []string{empty.start(t), good.start(t), second.start(t)}
	data := t.TempDir()
	var told strings.Builder
	f := app.Finder{Tell: &told, Locals: locals} // nobody to ask
	cfg := load(t, data, app.Environ{})
	if err := f.Find(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	contains(t, told.String(), "has no model that chats", "Testing llama at "+locals[1], "calls tools", "Saved in ")
	if second.calls.Load() != 0 || *good.asked.Load() != "llama" {
		t.Error("another model was tested")
	}
}

func TestASlowLocalServerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	start := time.Now()
	err := app.Finder{Tell: io.Discard, Locals: []string{s.URL, s.URL}}.Find(t.Context(), load(t, t.TempDir(), nil))
	if !errors.Is(err, app.ErrNoModel) || time.Since(start) > 2*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
}

func TestABrokenLocalServerLeadsToTheNextOne(t *testing.T) {
	t.Parallel()
	stuck := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = io.WriteString(w, `{"data":[{"id":"stuck"}]}`)
			return
		}
		http.Error(w, `{"error":"no memory"}`, http.StatusInternalServerError)
	}))
	defer stuck.Close()
	good := &vendor{models: []string{"llama"}}
	var told strings.Builder
	f := app.Finder{Tell: &told, Locals: []string{stuck.URL, good.start(t)}}
	if err := f.Find(t.Context(), load(t, t.TempDir(), nil)); err != nil {
		t.Fatal(err)
	}
	contains(t, told.String(), "Testing stuck", "no memory", "Testing llama")
}

func TestAConfiguredModelThatFailsStillLetsTheChatStart(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	broken := &vendor{broken: true}
	wrong := &vendor{key: canary}
	for name, tt := range map[string]struct{ url, want string }{
		"unreachable": {closed.URL, "it cannot be reached"},
		"broken":      {broken.start(t), "out of order"},
		"wrong key":   {wrong.start(t), "the server refuses the key"},
	} {
		env := app.Environ{"OPENAI_BASE_URL": tt.url, "OPENAI_API_KEY": "k", "LEADHAND_MODEL": "openai:m"}
		data := t.TempDir()
		screen, err := setUp(t, load(t, data, env), env, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		contains(t, screen, "Testing m … ", tt.want, "The chat starts all the same", "To try: ")
		if files, _ := os.ReadDir(data); len(files) > 0 {
			t.Errorf("%s: something is saved", name)
		}
	}
}

func TestAPipeTestsNothing(t *testing.T) {
	t.Parallel()
	v := &vendor{models: []string{"m"}}
	env := app.Environ{"OPENAI_BASE_URL": v.start(t)}
	var told strings.Builder
	if err := (app.Finder{Env: env, Tell: &told}).Find(t.Context(), load(t, t.TempDir(), env)); err != nil {
		t.Fatal(err)
	}
	if v.calls.Load() != 0 || told.Len() > 0 {
		t.Errorf("%d calls, told %q", v.calls.Load(), told.String())
	}
}

func TestTheDemoModelIsNotTested(t *testing.T) {
	t.Parallel()
	env := app.Environ{"LEADHAND_MODEL": "demo"}
	cfg := load(t, t.TempDir(), env)
	if screen, err := setUp(t, cfg, env, nil); err != nil || screen != "" || cfg.Models != nil {
		t.Errorf("%v, models %v, screen %q", err, cfg.Models, screen)
	}
}

func TestChecksEndWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := &vendor{models: []string{"m"}}
	env := app.Environ{"OPENAI_BASE_URL": v.start(t), "LEADHAND_MODEL": "openai:m"}
	var screen strings.Builder
	ask := &typist{nil, &screen}
	err := app.Finder{Env: env, Tell: &screen, Ask: ask}.Find(ctx, load(t, t.TempDir(), env))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the test of a configured model: %v", err)
	}
	err = app.Finder{Tell: &screen, Ask: ask}.Find(ctx, load(t, t.TempDir(), nil))
	if err == nil || !strings.Contains(err.Error(), "nothing is saved") {
		t.Errorf("the questions: %v", err)
	}
}

func TestSavingKeepsWhatTheFileHas(t *testing.T) {
	t.Parallel()
	path := write(t, "leadhand.yaml", "# ours\nlog: warn # loud\nmodels:\nsteering: ${HOW}\n")
	env := app.Environ{"HOW": "queue"}
	v := &vendor{models: []string{"m"}}
	if _, err := setUp(t, load(t, filepath.Dir(path), env), env, nil, v.start(t), "", ""); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(raw), "# ours", "# loud", "steering: ${HOW}", "model: m")
	if cfg := load(t, filepath.Dir(path), env); cfg.Log != "warn" || len(cfg.Models) != 1 {
		t.Errorf("read again: %+v", cfg)
	}
}

func TestAChosenFileIsNotChanged(t *testing.T) {
	t.Parallel()
	path, data := write(t, "mine.yaml", "log: warn\n"), t.TempDir()
	cfg, err := app.Load(t.Context(), app.Flags{Config: path, Data: data}, app.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	v := &vendor{models: []string{"m"}}
	screen, err := setUp(t, cfg, app.Environ{}, nil, v.start(t), "", "")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, screen, "It is not saved, since "+path)
	if raw, _ := os.ReadFile(path); string(raw) != "log: warn\n" {
		t.Errorf("the file is changed: %s", raw)
	}
	if files, _ := os.ReadDir(data); len(files) > 0 {
		t.Error("something is saved")
	}
}

func TestAKeyThatLooksLikeAReferenceIsNotSaved(t *testing.T) {
	t.Parallel()
	v := &vendor{key: "${HOME}", models: []string{"m"}}
	data := t.TempDir()
	screen, err := setUp(t, load(t, data, nil), nil, nil, v.start(t), "${HOME}", "")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, screen, "It cannot be saved")
}
