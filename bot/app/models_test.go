package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/app"
)

func TestTheEnvironmentNamesAModel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		env       app.Environ
		name, err string
	}{
		"nothing":       {app.Environ{}, "", "no model is configured: set OPENAI_API_KEY"},
		"a key":         {app.Environ{"OPENAI_API_KEY": "k"}, "openai:gpt-5-mini", ""},
		"another key":   {app.Environ{"ANTHROPIC_API_KEY": "k"}, "anthropic:claude-sonnet-4-5", ""},
		"key and model": {app.Environ{"GEMINI_API_KEY": "k", "LEADHAND_MODEL": "gemini:pro"}, "gemini:pro", ""},
		"two keys, a choice": {app.Environ{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "LEADHAND_MODEL": "anthropic"},
			"anthropic:claude-sonnet-4-5", ""},
		"colons in the name": {app.Environ{"OPENAI_BASE_URL": "http://h/v1", "LEADHAND_MODEL": "openai:llama3:8b"},
			"openai:llama3:8b", ""},
		"demo":               {app.Environ{"LEADHAND_MODEL": "demo"}, "script:demo", ""},
		"misspelt kind":      {app.Environ{"LEADHAND_MODEL": "opnai:gpt"}, "", `did you mean "openai"?`},
		"no kind":            {app.Environ{"OPENAI_API_KEY": "k", "LEADHAND_MODEL": "gpt-5"}, "", "write kind:model"},
		"a key as the model": {app.Environ{"LEADHAND_MODEL": canary + canary}, "", "unknown kind"},
		"no key":             {app.Environ{"LEADHAND_MODEL": "anthropic:x"}, "", "ANTHROPIC_API_KEY is not set"},
		"no URL":             {app.Environ{"OPENAI_BASE_URL": canary}, "", "OPENAI_BASE_URL: it must be a URL"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := app.Load(t.Context(), app.Flags{Data: t.TempDir()}, tt.env)
			if err != nil {
				t.Fatal(err)
			}
			p, err := app.LeadModel(cfg, tt.env)
			switch {
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v does not contain %q", err, tt.err)
			case tt.err == "" && (err != nil || p.Name() != tt.name):
				t.Errorf("%v, %v", p, err)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the error holds the secret: %v", err)
			}
		})
	}
}

func TestAServerIsAskedForItsModels(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		models []string
		want   string
	}{
		"the first that chats":   {[]string{"text-embedding-x", "whisper-1", "qwen", "llama"}, "qwen"},
		"the default if it's in": {[]string{"gpt-4", "gpt-5-mini"}, "gpt-5-mini"},
		"none that chats":        {[]string{"bge-small"}, "gpt-5-mini"},
		"it does not tell":       {nil, "gpt-5-mini"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &vendor{models: tt.models}
			p := modelAt(t, v.start(t))
			for range 2 {
				if a, err := llm.Collect(t.Context(), p, hi(), nil); err != nil || a.Message.Text() != "ready" {
					t.Fatalf("%v, %v", a, err)
				}
			}
			if got := *v.asked.Load(); got != tt.want || p.Name() != "openai:"+tt.want {
				t.Errorf("%s asked for %q, want %q", p.Name(), got, tt.want)
			}
		})
	}
}

func TestAServerThatStartsLaterIsAskedAgain(t *testing.T) {
	t.Parallel()
	v := &vendor{models: []string{"llama"}}
	up := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up {
			http.NotFound(w, r)
			return
		}
		v.ServeHTTP(w, r)
	}))
	defer s.Close()
	p := modelAt(t, s.URL+"/v1")
	if _, err := llm.Collect(t.Context(), p, hi(), nil); llm.ReasonOf(err) != llm.Rejected {
		t.Fatal(err)
	}
	up = true
	if _, err := llm.Collect(t.Context(), p, hi(), nil); err != nil || *v.asked.Load() != "llama" {
		t.Fatal(err)
	}
}

func modelAt(t *testing.T, url string) llm.Provider {
	t.Helper()
	env := app.Environ{"OPENAI_BASE_URL": url}
	p, err := app.LeadModel(load(t, t.TempDir(), env), env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hi() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.UserText("hi")}} }

func TestTheEnvironmentsKeyGoesOnlyToItsServer(t *testing.T) {
	t.Parallel()
	v := &vendor{key: "the right one"}
	url := v.start(t)
	path := write(t, "c.yaml", "models: {m: {kind: openai, settings: {model: m, base_url: '"+url+"'}}}")
	env := app.Environ{"OPENAI_API_KEY": "the right one"}
	cfg, err := app.Load(t.Context(), app.Flags{Config: path, Data: t.TempDir()}, env)
	if err != nil {
		t.Fatal(err)
	}
	p, err := app.LeadModel(cfg, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(t.Context(), p, hi(), nil); llm.ReasonOf(err) != llm.Auth {
		t.Errorf("the key of the environment went to the file's server: %v", err)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"api.openai.com/v1":                   "https://api.openai.com/v1",
		"localhost:11434":                     "http://localhost:11434",
		"192.168.1.5:1234/v1/":                "http://192.168.1.5:1234/v1",
		"[::1]:8080/v1":                       "http://[::1]:8080/v1",
		"https://h/v1/chat/completions":       "https://h/v1",
		"https://h/v1/models#x":               "https://h/v1",
		"HTTP://H/v1":                         "http://H/v1",
		"https://h/v1?key=x":                  "",
		"ftp://h":                             "",
		"http://":                             "",
		"not a url":                           "",
		"https://generativelanguage.x/openai": "https://generativelanguage.x/openai",
	} {
		got, err := app.BaseURL(typed)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	if got := app.Choose([]string{"Nomic-EMBED", "tts-1", "phi"}, "gpt"); got != "phi" {
		t.Errorf("got %q", got)
	}
	if got := app.Choose(nil, "gpt"); got != "" {
		t.Errorf("got %q of none", got)
	}
}
