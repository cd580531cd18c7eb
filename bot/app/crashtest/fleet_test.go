package crashtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fleet is the workers on one database, and what they report while they live.
type fleet struct {
	t   *testing.T
	url string
	log string // the shared log, in the order in which things happened

	mu       sync.Mutex
	rng      *rand.Rand
	workers  []*worker // all that were ever started
	events   []event
	changed  chan struct{}   // closed at the next event
	acked    map[string]bool // by event key
	answered map[string]bool // by message name
	answers  map[string]int  // how many messages were answered, by chat
}

func newFleet(t *testing.T, url string, rng *rand.Rand) *fleet {
	t.Helper()
	f := &fleet{
		t: t, url: url, log: filepath.Join(t.TempDir(), "events.jsonl"), rng: rng, changed: make(chan struct{}),
		acked: map[string]bool{}, answered: map[string]bool{}, answers: map[string]int{},
	}
	t.Cleanup(f.cleanUp)
	return f
}

// worker is one process.
type worker struct {
	name    string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stderr  string // path
	started time.Time
	exited  chan struct{} // closed when it is gone and everything it reported was read
	code    int           // valid once exited is closed

	mu sync.Mutex // held while writing to stdin

	// Under the fleet's lock:
	killed  bool // by the test
	leaving bool // gets no more messages
}

// start starts a worker; it does not wait until it is ready.
func (f *fleet) start(name string) *worker {
	f.t.Helper()
	w := &worker{
		name: name, exited: make(chan struct{}), started: time.Now(),
		stderr: filepath.Join(filepath.Dir(f.log), name+".stderr"),
	}
	errs, err := os.OpenFile(w.stderr, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = errs.Close() }()
	cfg, err := json.Marshal(workerConfig{Name: name, URL: f.url, Log: f.log})
	if err != nil {
		f.t.Fatal(err)
	}
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(os.Environ(), workerEnv+"="+string(cfg),
		"GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0") // its second of sleep is none of the worker's
	w.cmd.Stderr = errs
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		f.t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.mu.Lock()
	f.workers = append(f.workers, w)
	f.mu.Unlock()
	go f.listen(w, out)
	return w
}

// listen takes in what a worker reports, to its end.
func (f *fleet) listen(w *worker, out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			f.t.Errorf("worker %s wrote %q: %v", w.name, lines.Text(), err)
			continue
		}
		f.take(&e)
	}
	_ = w.cmd.Wait()
	w.code = w.cmd.ProcessState.ExitCode()
	f.mu.Lock()
	defer f.mu.Unlock()
	close(w.exited)
	if !w.killed && w.code != 0 {
		f.t.Errorf("worker %s ended by itself with code %d:\n%s", w.name, w.code, tail(w.stderr))
	}
}

func (f *fleet) take(e *event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, *e)
	switch e.Kind {
	case "ack":
		f.acked[e.Key] = true
	case "send":
		for _, name := range e.Names {
			if !f.answered[name] {
				f.answered[name] = true
				f.answers[chatOf(name)]++
			}
		}
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// kill ends a worker with SIGKILL and waits until it is gone.
func (f *fleet) kill(w *worker) {
	f.mu.Lock()
	w.killed = true
	f.mu.Unlock()
	_ = w.cmd.Process.Kill()
	<-w.exited
}

// stop asks a worker to end and returns how long that took.
func (f *fleet) stop(w *worker) time.Duration {
	f.t.Helper()
	asked := time.Now()
	f.mu.Lock()
	w.leaving = true
	f.mu.Unlock()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		f.t.Errorf("stop %s: %v", w.name, err)
	}
	select {
	case <-w.exited:
	case <-time.After(10 * time.Second):
		f.t.Errorf("worker %s did not stop:\n%s", w.name, tail(w.stderr))
		f.kill(w)
	}
	return time.Since(asked)
}

// alarming is what the runtime and the race detector write.
var alarming = regexp.MustCompile(`(?m)^panic: |^fatal error: |"err":"panic: |WARNING: DATA RACE`)

func (f *fleet) cleanUp() {
	f.mu.Lock()
	all := slices.Clone(f.workers)
	f.mu.Unlock()
	for _, w := range all {
		f.kill(w)
		if log, err := os.ReadFile(w.stderr); err != nil || alarming.Match(log) {
			f.t.Errorf("worker %s panicked or has a data race (%v)", w.name, err)
		}
		if f.t.Failed() {
			f.t.Logf("the end of the log of %s:\n%s", w.name, tail(w.stderr))
		}
	}
}

// anyone is a worker that takes messages; nil when none does.
func (f *fleet) anyone() *worker {
	f.mu.Lock()
	defer f.mu.Unlock()
	var able []*worker
	for _, w := range f.workers {
		if !w.killed && !w.leaving {
			able = append(able, w)
		}
	}
	if len(able) == 0 {
		return nil
	}
	return able[f.rng.IntN(len(able))]
}

// find is the first event that is; ok is false when there is none so far.
func (f *fleet) find(is func(*event) bool) (e event, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.events {
		if is(&f.events[i]) {
			return f.events[i], true
		}
	}
	return event{}, false
}

// patience is how long a test waits for one thing.
const patience = 40 * time.Second

// wait waits until cond holds; it is asked again after every event. It tells whether it came to hold in time.
func (f *fleet) wait(ctx context.Context, cond func() bool) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if cond() {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-late.C:
			return false
		}
	}
}

// await is wait for the test's own goroutine.
func (f *fleet) await(what string, cond func() bool) {
	f.t.Helper()
	if !f.wait(f.t.Context(), cond) {
		f.t.Fatalf("waited too long until %s", what)
	}
}

// awaitEvent waits for the first event that is, and returns it.
func (f *fleet) awaitEvent(what string, is func(*event) bool) (e event) {
	f.t.Helper()
	f.await(what, func() (ok bool) {
		e, ok = f.find(is)
		return ok
	})
	return e
}

func by(w *worker, kind, name string) func(*event) bool {
	return func(e *event) bool {
		return e.Pid == w.cmd.Process.Pid && e.Kind == kind && (name == "" || slices.Contains(e.Names, name))
	}
}

// eventStart begins every line of the log.
const eventStart = `{"Worker":`

// logged are all events of all workers in the order in which they happened. A kill may cut a line off in the middle; the
// next worker goes on right behind it. What was not told whole did not happen.
func (f *fleet) logged() []event {
	f.t.Helper()
	raw, err := os.ReadFile(f.log)
	if err != nil {
		f.t.Fatal(err)
	}
	var all []event
	for line := range strings.Lines(string(raw)) {
		whole := line[max(strings.LastIndex(line, eventStart), 0):]
		if !strings.HasSuffix(whole, "}\n") {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(whole), &e); err != nil {
			f.t.Fatalf("line %q of the log: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}
