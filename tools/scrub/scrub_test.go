package scrub_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/tools/scrub"
)

// labelled is one text of testdata/labelled.txt.
type labelled struct {
	line    string
	text    string
	secrets []string
}

func readLabelled(tb testing.TB) (all []labelled) {
	tb.Helper()
	f, err := os.Open("testdata/labelled.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || len(line) < 2 {
			continue
		}
		l := labelled{line: line}
		text := strings.NewReplacer(`\n`, "\n", "·", "").Replace(line[2:])
		for {
			before, rest, ok := strings.Cut(text, "«")
			l.text += before
			if !ok {
				break
			}
			secret, after, _ := strings.Cut(rest, "»")
			l.text += secret
			l.secrets = append(l.secrets, secret)
			text = after
		}
		if (line[0] == '+') != (len(l.secrets) > 0) {
			tb.Fatalf("labelled wrong: %s", line)
		}
		all = append(all, l)
	}
	return all
}

// TestLabelled measures recall and precision on the labelled texts.
func TestLabelled(t *testing.T) {
	t.Parallel()
	const leastRecall, leastPrecision = 0.97, 0.97
	var s scrub.Scrubber
	secrets, hidden, alarms := 0, 0, 0
	for _, l := range readLabelled(t) {
		got := s.Text(l.text)
		found := len(s.Find(l.text))
		for _, secret := range l.secrets {
			secrets++
			if strings.Contains(got, secret) {
				t.Logf("missed: %s\n     as %s", l.line, got)
				continue
			}
			hidden++
		}
		if extra := found - len(l.secrets); extra > 0 {
			alarms += extra
			t.Logf("false alarm: %s\n          as %s", l.line, got)
		}
	}
	recall, precision := float64(hidden)/float64(secrets), float64(hidden)/float64(hidden+alarms)
	t.Logf("%d secrets, %d hidden, %d false alarms: recall %.3f, precision %.3f", secrets, hidden, alarms, recall, precision)
	if recall < leastRecall || precision < leastPrecision {
		t.Errorf("recall %.3f, precision %.3f", recall, precision)
	}
}
