package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

// configure writes the configuration file.
func (p *program) configure(text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.data, "leadhand.yaml"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// TestABotWhoseTokenIsASecret goes from a token in the environment to a bot that reads it from the vault, before and
// after the key is changed.
func TestABotWhoseTokenIsASecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		fake := newTelegram(t)
		p := install(t, "LEADHAND_MODEL=demo", "LEADHAND_DATABASE_URL="+url, "TOKEN="+fake.Token)
		code := claimIn(t, p.run("", "init", "--yes").out)
		r := p.run("", "secret", "set", "telegram", "--env", "TOKEN")
		contains(t, "set", r.out, "telegram is kept", "secret.key", "secret:telegram", "Keep a copy of the key")
		p.configure("models: {default: {kind: demo}}\nchannels:\n  telegram:\n    kind: telegram\n    settings:\n" +
			"      bot_token: secret:telegram\n      api_url: " + fake.URL + "\n")
		key := filepath.Join(p.data, "secret.key")
		contains(t, "doctor", p.run("", "doctor").out, "OK    secrets: 1, and all open with the key in "+key)
		before, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, "rotate", p.run("", "secret", "rotate").out, "Secrets sealed anew: 1", "Backups from before need the key from before")
		if after, err := os.ReadFile(key); err != nil || string(after) == string(before) {
			t.Errorf("the key is the same, %v", err)
		}
		cmd, _, _ := p.serve()
		claim(t, fake, ann, "Ann", code)
		if code, _ := terminate(t, cmd); code != 0 {
			t.Errorf("exit code %d", code)
		}
		p.private("CANARY")
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		p.run("", "serve").oneLine(t, 1, "line 6", "there is no key yet", key)
		if r := p.run("", "doctor"); r.code != 2 || strings.Contains(r.out+r.err, "CANARY") {
			t.Errorf("%+v", r)
		}
		p.run("new", "secret", "set", "other").oneLine(t, 1, "there is no key yet")
	})
}

func TestSecret(t *testing.T) {
	t.Parallel()
	p := install(t, "LEADHAND_MODEL=demo", "VALUE=CANARY-env", "EMPTY=")
	p.run("x", "secret", "set", "a").oneLine(t, 1, "no database file yet", "run `leadhand init`")
	if r := p.run("", "init", "--yes"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	contains(t, "list", p.run("", "secret", "list").out, "There is no secret yet", "leadhand secret set NAME")
	p.run("", "secret", "rotate").oneLine(t, 1, "there is no key yet")
	file := fakeFile(t, "CANARY-file")
	for args, stdin := range map[string]string{"env --env VALUE": "", "file --file " + file: "", "input": "CANARY-input\n"} {
		if r := p.run(stdin, append([]string{"secret", "set"}, strings.Fields(args)...)...); r.code != 0 || r.err != "" {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for name, tt := range map[string]struct {
		stdin, args string
		want        []string
	}{
		"an empty value":         {"\n", "set x", []string{"the value is empty"}},
		"a value as a name":      {"v", "set CANARY/value=", []string{"the name of a secret has"}},
		"an empty variable":      {"", "set x --env EMPTY", []string{"the environment has nothing"}},
		"a value as a variable":  {"", "set x --env CANARY-value", []string{"the environment has nothing"}},
		"a value as a file":      {"", "set x --file CANARY-value", []string{"can't be read: no such file"}},
		"an endless value":       {strings.Repeat("x", 65<<10), "set x", []string{"the value has 65", "up to 65536"}},
		"two sources":            {"", "set x --env VALUE --file /x", []string{"take one of them"}},
		"remove what is not":     {"", "remove fil", []string{"there is no secret of that name: fil; did you mean file?"}},
		"remove what is nothing": {"", "remove zzzzzzzz", []string{"leadhand secret set zzzzzzzz"}},
	} {
		r := p.run(tt.stdin, append([]string{"secret"}, strings.Fields(tt.args)...)...)
		r.oneLine(t, 1, tt.want...)
		if strings.Contains(r.err, "CANARY") {
			t.Errorf("%s: a value is shown: %s", name, r.err)
		}
	}
	var list []struct{ Name, Key, Error string }
	r := p.run("", "secret", "list", "--json")
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) != 3 || list[0].Name != "env" || list[0].Key == "" {
		t.Errorf("%v: %+v", err, r)
	}
	contains(t, "list", p.run("", "secret", "list").out, "env ", "file ", "input ")
	p.private("CANARY")
}

// TestTheConfigurationRefersToSecrets: what a wrong reference is answered with, and what works nevertheless.
func TestTheConfigurationRefersToSecrets(t *testing.T) {
	t.Parallel()
	p := install(t)
	p.run("", "init", "--yes")
	for name, value := range map[string]string{"level": "CANARY-level", "prose": "x"} {
		if r := p.run(value, "secret", "set", name); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	const model = "models: {default: {kind: demo}}\n"
	for name, tt := range map[string]struct {
		config string
		want   []string
	}{
		"an unknown name":      {model + "log: secret:levl", []string{"line 2: there is no secret of that name: levl; did you mean level?"}},
		"two of them":          {model + "log: secret:a1\nlisten: secret:b1", []string{"line 2", "a1", "line 3", "b1"}},
		"a name that is wrong": {model + "log: secret:../CANARY", []string{"line 2: the name of a secret has"}},
		"a value that is bad":  {model + "log: secret:level", []string{"log: ", "…"}},
		"where secrets are":    {model + "data: secret:level", []string{"data and database say where the secrets are"}},
		"the database":         {model + "database: secret:level", []string{"data and database say where the secrets are"}},
	} {
		p.configure(tt.config)
		r := p.run("", "chat")
		if r.code != 1 || strings.Contains(r.err, "CANARY") {
			t.Errorf("%s: %+v", name, r)
		}
		contains(t, name, r.err, tt.want...)
		contains(t, name, p.run("", "doctor").out, append([]string{"FAIL  configuration: "}, tt.want...)...)
	}
	p.configure(model + "agents: {lead: {instructions: 'secret: keep it'}}\nlog: secret:levl\n")
	for _, args := range []string{"migrate", "backup " + filepath.Join(t.TempDir(), "b.db"), "secret list"} {
		if r := p.run("", strings.Fields(args)...); r.code != 0 {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if r := p.run("warn\n", "secret", "set", "levl"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := p.run("hello\n", "chat"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	p.run("", "secret", "remove", "levl").oneLine(t, 1, "leadhand.yaml refers to it in line 3", "--force")
	contains(t, "remove", p.run("", "secret", "remove", "levl", "--force").out, "levl is removed", "A backup may hold it still")
	contains(t, "remove", p.run("", "secret", "remove", "prose").out, "prose is removed")
}

// TestReplicasShareAKey: the key comes from the environment, and a second one before it takes over.
func TestReplicasShareAKey(t *testing.T) {
	t.Parallel()
	p := install(t, "LEADHAND_MODEL=demo")
	p.run("", "init", "--yes")
	with := func(env string) *program {
		other := *p
		other.env = append(append([]string{}, p.env...), strings.Fields(env)...)
		return &other
	}
	one, two := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(two+"\n"+one+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := with("LEADHAND_SECRET_KEY="+one).run("v", "secret", "set", "a"); r.code != 0 ||
		!strings.Contains(r.out, "the key in LEADHAND_SECRET_KEY.") {
		t.Errorf("%+v", r)
	}
	with("LEADHAND_SECRET_KEY="+one).run("", "secret", "rotate").oneLine(t, 1, "put a new one before it")
	r := with("LEADHAND_SECRET_KEY="+two).run("", "secret", "list")
	if r.code != 1 || !strings.Contains(r.out, "sealed under another key") {
		t.Errorf("%+v", r)
	}
	contains(t, "rotate", with("LEADHAND_SECRET_KEY_FILE="+file).run("", "secret", "rotate").out, "Secrets sealed anew: 1", file)
	for i, env := range []string{"LEADHAND_SECRET_KEY=" + two, "LEADHAND_SECRET_KEY_FILE=" + file} {
		if r := with(env).run("", "secret", "list"); r.code != 0 {
			t.Errorf("%d: %+v", i, r)
		}
	}
	for env, want := range map[string]string{
		"LEADHAND_SECRET_KEY=CANARY": "a key is 32 bytes",
		fmt.Sprintf("LEADHAND_SECRET_KEY=%s LEADHAND_SECRET_KEY_FILE=%s", two, file): "take one of them",
		"LEADHAND_SECRET_KEY_FILE=/nope":                                             "there is no key yet: /nope is missing",
	} {
		r := with(env).run("v", "secret", "set", "b")
		r.oneLine(t, 1, want)
		if strings.Contains(r.err, "CANARY") {
			t.Errorf("the key is shown: %s", r.err)
		}
	}
}

// TestServeWaitsForTheDatabaseThatHoldsItsSecrets: also when the address is itself filled in, and so hidden.
func TestServeWaitsForTheDatabaseThatHoldsItsSecrets(t *testing.T) {
	t.Parallel()
	p := install(t, "HOST=localhost:1", "PASSWORD=CANARY-password")
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		t.Fatal(err)
	}
	p.configure("database: 'postgres://u:${PASSWORD}@${HOST}/x'\nmodels: {default: {kind: demo}}\nlog: secret:level\n")
	cmd, log := p.command("serve", "--listen", "127.0.0.1:0"), newTail()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log.await(t, "the database cannot be reached for the secrets")
	log.await(t, "trying again in 1s")
	if code, _ := terminate(t, cmd); code != 1 || strings.Contains(log.String(), "CANARY") {
		t.Errorf("exit code %d:\n%s", code, log)
	}
}
