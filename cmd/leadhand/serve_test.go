package main_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve starts the bot and waits until it is ready. It returns where its HTTP server listens, and its log.
func (p *program) serve(args ...string) (cmd *exec.Cmd, addr string, log *tail) {
	p.t.Helper()
	cmd = p.command(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	log = newTail()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	log.await(p.t, `"msg":"ready"`)
	for _, line := range logLines(p.t, log.String()) {
		if line["msg"] == "ready" {
			addr, _ = line["listen"].(string)
		}
	}
	return cmd, addr, log
}

// logLines checks that a log is JSON lines, complete ones, and decodes them.
func logLines(t *testing.T, log string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		var decoded map[string]any
		if err := json.Unmarshal([]byte(line), &decoded); err != nil || decoded["time"] == nil || decoded["level"] == nil {
			t.Errorf("no structured line: %q", line)
		}
		lines = append(lines, decoded)
	}
	return lines
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestServeAnswersAndStops(t *testing.T) {
	t.Parallel()
	cmd, addr, log := install(t, "LEADHAND_MODEL=demo", "LEADHAND_ACCESS=open").serve()
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": `"database":"ok"`, "/metrics": "leadhand_turns_running 0",
	} {
		if code, body := get(t, "http://"+addr+path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, _ := get(t, "http://"+addr+"/nope"); code != http.StatusNotFound {
		t.Errorf("/nope: %d", code)
	}
	if code, took := terminate(t, cmd); code != 0 || took > 5*time.Second {
		t.Errorf("exit code %d after %s", code, took)
	}
	logLines(t, log.String())
	contains(t, "log", log.String(), `"level":"WARN","msg":"access is open`, `"msg":"ready"`, `"msg":"stopped"`)
}

func TestServeDoesNotWaitForTheModelServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	start := time.Now()
	cmd, _, _ := install(t, "OPENAI_BASE_URL=http://"+l.Addr().String()).serve()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("ready after %s", took)
	}
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestServeUsesTheSavedConfiguration(t *testing.T) {
	t.Parallel()
	p := install(t)
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(p.data, "leadhand.yaml")
	if err := os.WriteFile(saved, []byte("models: {default: {kind: demo}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := p.serve()
	p.run("", "migrate").oneLine(t, 1, "in use by another leadhand process", p.data, "--data")
	p.run("hello\n", "chat").oneLine(t, 1, "in use by another leadhand process", p.data, "--data")
	if code, _ := terminate(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if r := p.run("", "migrate"); r.code != 0 || !strings.Contains(r.out, "migrations applied now: 0") {
		t.Errorf("%+v", r)
	}
}

func TestServeNamesATakenAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := install(t, "LEADHAND_MODEL=demo", "LEADHAND_LOG=error").run("", "serve", "--listen", l.Addr().String())
	r.oneLine(t, 1, l.Addr().String(), "--listen")
}

func TestServeWaitsForTheDatabaseAndCanBeStopped(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close() // nothing listens there
	p := install(t, "LEADHAND_MODEL=demo", "LEADHAND_DATABASE_URL=postgres://u:sekret@"+l.Addr().String()+"/x")
	cmd, log := p.command("serve", "--listen", "127.0.0.1:0"), newTail()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log.await(t, `"again_in":"2s"`)
	code, took := terminate(t, cmd)
	if code != 0 || took > 5*time.Second {
		t.Errorf("exit code %d after %s", code, took)
	}
	contains(t, "log", log.String(), "the database cannot be reached", l.Addr().String())
	if strings.Contains(log.String(), "sekret") || strings.Contains(log.String(), "leadhand: ") {
		t.Errorf("log:\n%s", log)
	}
	logLines(t, log.String())
}
