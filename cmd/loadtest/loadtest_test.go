package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// build builds the bot.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leadhand")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "../leadhand").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// load runs the program and gives what it found. That it found nothing wrong is checked.
func load(t *testing.T, binary, url string, args ...string) *report {
	t.Helper()
	var out bytes.Buffer
	args = append([]string{"-binary", binary, "-database", url, "-json"}, args...)
	if err := run(t.Context(), args, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	r := &report{}
	if err := json.Unmarshal(out.Bytes(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoad writes on Telegram, with and without kills at random moments. LEADHAND_TEST_KILLS sets how many.
func TestLoad(t *testing.T) {
	binary := build(t)
	kills := 3
	if n, err := strconv.Atoi(os.Getenv("LEADHAND_TEST_KILLS")); err == nil {
		kills = n
	}
	storetest.Each(t, func(t *testing.T, url string) {
		r := load(t, binary, url, "-chats", "20", "-messages", "5", "-send-latency", "20ms", "-model-latency", "10ms")
		if r.Messages != 100 || r.Doubled != 0 || r.Kills != 0 || r.PeakMemory == 0 || r.PerSecond == 0 || r.OwnP50 <= 0 {
			t.Errorf("%+v", r)
		}
		r = load(t, binary, url, "-chats", "12", "-messages", strconv.Itoa(5*kills), "-kills", strconv.Itoa(kills))
		if r.Messages != 12*5*kills || r.Kills == 0 {
			t.Errorf("%+v", r)
		}
		t.Logf("%d messages, %d kills: %d doubled", r.Messages, r.Kills, r.Doubled)
	})
}

// TestMessengers writes on every messenger.
func TestMessengers(t *testing.T) {
	binary := build(t)
	for name := range messengers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := load(t, binary, "sqlite:"+filepath.Join(t.TempDir(), "leadhand.db"), "-messenger", name, "-chats", "12", "-messages", "5")
			if r.Messages != 60 || r.Doubled != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestWrongUse(t *testing.T) {
	for name, args := range map[string][]string{
		"no chats": {"-chats", "0"}, "an argument": {"x"}, "an unknown flag": {"-x"}, "no bot": {"-binary", "/nowhere/leadhand", "-chats", "1"},
	} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
