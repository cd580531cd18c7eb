package main_test

import (
	"bufio"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestChatOverAPipe(t *testing.T) {
	t.Parallel()
	const notice = "leadhand: this is a demo with a scripted model, offline; it is no AI.\n"
	tests := map[string]struct {
		in   string
		want []string // nil: no output at all
	}{
		"answers in order": {"write one to a.md\nread a.md\nwrite two to a.md\nread a.md\n",
			[]string{"one", "one", "two", "two"}},
		"last line without its end": {"hello\nwhat time is it?", []string{"Hello!", "datetime"}},
		"empty input":               {"", nil},
		"only blank lines":          {"\n \n\t\n", nil},
		"a line of one megabyte":    {"hello " + strings.Repeat("x", 1<<20) + "\nhello\n", []string{"Hello!"}},
		"NUL and broken UTF-8":      {"a\x00b \xff\xfe \xe2\x82\nhello\n", []string{"Hello!"}},
		"escape sequences":          {"write \x1b[31mred\x1b]0;title\x07 to a.md\n", []string{"red"}},
		"line ends of Windows":      {"hello\r\nhello\r\n", []string{"Hello!", "Hello!"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := install(t).run(tt.in, "chat", "--demo")
			if r.code != 0 || r.err != notice {
				t.Errorf("exit code %d, stderr:\n%s", r.code, r.err)
			}
			contains(t, "stdout", r.out, tt.want...)
			if tt.want == nil && r.out != "" || strings.Contains(r.out, "\x1b") {
				t.Errorf("stdout: %q", r.out)
			}
		})
	}
}

func TestChatWithAReaderThatLeaves(t *testing.T) {
	t.Parallel()
	p := install(t)
	cmd := p.command("chat", "--demo")
	cmd.Stdin = strings.NewReader(strings.Repeat("hello\n", 20))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := newTail()
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReaderSize(out, 16).ReadString('\n'); err != nil || !strings.HasPrefix(line, "Hello!") {
		t.Errorf("first line %q, %v", line, err)
	}
	_ = out.Close()
	_ = cmd.Wait() // by SIGPIPE or with an error, but it ends
	if strings.Contains(errs.String(), "goroutine") {
		t.Errorf("stderr:\n%s", errs)
	}
	if r := p.run("", "chat", "--demo"); r.code != 0 {
		t.Errorf("the next chat: %+v", r)
	}
}

func TestChatWithAModelServer(t *testing.T) {
	t.Parallel()
	v := newVendor(t,
		calls("write_file", map[string]any{"path": "notes.md", "content": "from the model"}),
		says("I wrote ", "it down."),
		calls("read_file", map[string]any{"path": "notes.md"}),
		func(w http.ResponseWriter, r *http.Request, req *request) { says("It says: "+req.last())(w, r, req) },
	)
	r := install(t, "OPENAI_BASE_URL="+v.url).run("write\nread\n", "chat")
	if r.code != 0 || r.err != "" {
		t.Errorf("exit code %d, stderr:\n%s", r.code, r.err)
	}
	contains(t, "stdout", r.out, "I wrote it down.\n", "It says: ", "from the model")
	seen := v.requests()
	if len(seen) != 4 || seen[0].Model != "fake-model" || len(seen[0].Tools) == 0 {
		t.Errorf("%d requests, the first for %q with %d tools", len(seen), seen[0].Model, len(seen[0].Tools))
	}
}

func TestChatTriesAgainAfterAFailureThatPasses(t *testing.T) {
	t.Parallel()
	v := newVendor(t, fails(http.StatusInternalServerError, "a hiccup"), says("Here I am."))
	r := install(t, "OPENAI_BASE_URL="+v.url, "LEADHAND_MODEL=openai:m").run("hi\n", "chat")
	if r.code != 0 || strings.TrimSpace(r.out) != "Here I am." || len(v.requests()) != 2 {
		t.Errorf("%d requests, %+v", len(v.requests()), r)
	}
}

func TestChatSaysThatTheModelCannotBeReached(t *testing.T) {
	t.Parallel()
	r := install(t, "OPENAI_BASE_URL=http://127.0.0.1:1/v1").run("hi\n", "chat")
	if r.code != 0 || r.err != "" {
		t.Errorf("exit code %d, stderr:\n%s", r.code, r.err)
	}
	contains(t, "stdout", r.out, "I can't reach the model right now", "(reference ")
}

func TestChatAnswersAfterItWasKilled(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	v := newVendor(t, hangs(began), says("The whole answer."))
	p := install(t, "OPENAI_BASE_URL="+v.url, "LEADHAND_MODEL=openai:m")
	cmd := p.command("chat")
	cmd.Stdin = strings.NewReader("a question\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-began
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	r := p.run("", "chat")
	if r.code != 0 || strings.TrimSpace(r.out) != "The whole answer." {
		t.Errorf("%+v", r)
	}
	if seen := v.requests(); len(seen) != 2 || !strings.Contains(seen[1].last(), "a question") {
		t.Errorf("%d requests", len(seen))
	}
	if r := p.run("", "chat"); r.code != 0 || r.out != "" {
		t.Errorf("answered once more: %+v", r)
	}
}

func TestChatEndsWithASignalWhileTheModelIsSilent(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	v := newVendor(t, hangs(began), says("Later."))
	p := install(t, "OPENAI_BASE_URL="+v.url, "LEADHAND_MODEL=openai:m")
	cmd, errs := p.command("chat"), newTail()
	cmd.Stdin, cmd.Stderr = holding(t, "a question\n"), errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-began
	if code, took := terminate(t, cmd); code != 0 || took > 5*time.Second || errs.String() != "" {
		t.Errorf("exit code %d after %s, stderr:\n%s", code, took, errs)
	}
	if r := p.run("", "chat"); strings.TrimSpace(r.out) != "Later." {
		t.Errorf("%+v", r)
	}
}

// holding is an input with text that does not end before the test does.
func holding(t *testing.T, text string) io.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAKeyIsNowhere(t *testing.T) {
	t.Parallel()
	const canary = "sk-CANARY-0123456789abcdef"
	v := newVendor(t, func(w http.ResponseWriter, r *http.Request, req *request) {
		if r.Header.Get("Authorization") != "Bearer "+canary {
			t.Errorf("the server got %q", r.Header.Get("Authorization"))
		}
		fails(http.StatusUnauthorized, "Incorrect API key provided: "+canary)(w, r, req)
	})
	p := install(t, "OPENAI_BASE_URL="+v.url, "OPENAI_API_KEY="+canary, "LEADHAND_LOG=debug")
	r := p.run("hi\n", "chat")
	if r.code != 0 || strings.Contains(r.out+r.err, canary) {
		t.Errorf("%+v", r)
	}
	contains(t, "stdout", r.out, "refused my credentials", "(reference ")
	files := 0
	err := filepath.WalkDir(p.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), canary) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("%d files, %v", files, err)
	}
	log, err := os.ReadFile(filepath.Join(p.data, "chat.log"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "chat.log", string(log), `"msg":"turn failed"`, "401")
}
