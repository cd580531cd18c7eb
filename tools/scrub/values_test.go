package scrub_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/tools/scrub"
)

// TestRegisteredValues are hidden wherever they stand and however they are written.
func TestRegisteredValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"blue-horse-7", "größer & \"mehr\"", "aaaaaaaaaaaa", "a\\b/c?d=e f"} {
		var s scrub.Scrubber
		if !s.Register(value, "password of Ann") || !s.Register(value, "again") {
			t.Fatal("not taken")
		}
		quoted, _ := json.Marshal(value)
		texts := map[string]string{
			"prose":     "he said " + value + ", then left",
			"alone":     value,
			"twice":     value + value,
			"JSON":      `{"x":` + string(quoted) + `}`,
			"a query":   "https://x.example/?q=" + url.QueryEscape(value) + "&r=1",
			"a path":    "https://x.example/" + url.PathEscape(value) + "/y",
			"hex":       "0x" + hex.EncodeToString([]byte(value)),
			"HEX":       strings.ToUpper(hex.EncodeToString([]byte(value))),
			"invisible": strings.Join(strings.Split(value, ""), "\u200b"),
			"coloured":  "\x1b[31m" + value[:3] + "\x1b[0m" + value[3:] + "\x1b[0m",
		}
		for before := range 4 {
			for name, e := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64 for URLs": base64.RawURLEncoding} {
				texts[fmt.Sprintf("%s after %d", name, before)] = e.EncodeToString([]byte("user"[:before] + value + ":x"))
			}
		}
		for name, text := range texts {
			got := s.Text(text)
			if !strings.Contains(got, "[secret: password of Ann]") || strings.Contains(got, value) {
				t.Errorf("%s of %q: %q is shown as %q", name, value, text, got)
			}
			if again := s.Text(got); again != got {
				t.Errorf("%s: %q is scrubbed to %q", name, got, again)
			}
		}
	}
}

func TestShortValuesAreNotTaken(t *testing.T) {
	t.Parallel()
	var s scrub.Scrubber
	if s.Register(" five5 ", "x") || s.Register("", "x") {
		t.Error("taken")
	}
	if got := s.Text("five5 words"); got != "five5 words" {
		t.Errorf("shown as %q", got)
	}
}

// TestInvisibleCharacters in a key do not hide it; those around it stay.
func TestInvisibleCharacters(t *testing.T) {
	t.Parallel()
	var s scrub.Scrubber
	key := "ghp" + "_" + strings.Repeat("aB3dE", 7) + "x"
	for _, sign := range []string{"\u200b", "\u00ad", "\ufeff", "\x1b[1m", "\x1b[0m", "\u2060"} {
		text := "see " + sign + key[:9] + sign + key[9:] + sign + " there"
		if got := s.Text(text); got != "see "+sign+"[secret: GitHub token]"+sign+" there" {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestConcurrentUse: values are added while texts are scrubbed.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var s scrub.Scrubber
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			value := fmt.Sprintf("value-number-%d", i)
			s.Register(value, "a value")
			for range 50 {
				if got := s.Text("see " + value + "!"); got != "see [secret: a value]!" {
					t.Errorf("shown as %q", got)
				}
			}
		})
	}
	all.Wait()
}

// FuzzScrub: nothing breaks, what is found lies in the text, nothing is left on a second look, and no part of a text that
// grows shows what the whole hides.
func FuzzScrub(f *testing.F) {
	for _, l := range readLabelled(f) {
		f.Add(l.text)
	}
	f.Add("blue-horse-7 \x1b[31m blue-\u200bhorse-7 " + base64.StdEncoding.EncodeToString([]byte("xblue-horse-7")))
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		var s scrub.Scrubber
		s.Register("blue-horse-7", "value")
		end := 0
		for _, found := range s.Find(text) {
			if found.Start < end || found.End <= found.Start || found.End > len(text) || found.Kind == "" {
				t.Fatalf("found %+v after %d in %q", found, end, text)
			}
			end = found.End
		}
		once := s.Text(text)
		if strings.Contains(once, "blue-horse-7") {
			t.Errorf("%q is shown as %q", text, once)
		}
		for i := range len(text) {
			if strings.Contains(s.Partial(text[:i]), "blue-horse-7") {
				t.Fatalf("%q shows a value", text[:i])
			}
		}
	})
}

// TestGrowingTexts: at no moment is a part of a secret shown.
func TestGrowingTexts(t *testing.T) {
	t.Parallel()
	var s scrub.Scrubber
	s.Register("correct horse battery", "passphrase")
	for _, l := range append(readLabelled(t), labelled{text: "it is correct horse battery, yes", secrets: []string{"correct horse battery"}}) {
		for i := range len(l.text) + 1 {
			got := s.Partial(l.text[:i])
			for _, secret := range l.secrets {
				if n := min(len(secret), 12); len(secret) >= 8 && strings.Contains(got, secret[:n]) && !strings.Contains(s.Text(l.text), secret[:n]) {
					t.Errorf("%q shows %q", l.text[:i], got)
				}
			}
		}
		if whole := l.text + " \n"; s.Partial(whole) != s.Text(whole) {
			t.Errorf("%q at its end: %q, want %q", whole, s.Partial(whole), s.Text(whole))
		}
	}
}

// BenchmarkText scrubs 1 MB of code, logs and JSON with 200 registered values.
func BenchmarkText(b *testing.B) {
	var s scrub.Scrubber
	for i := range 200 {
		s.Register(fmt.Sprintf("registered-%d-value-%d", i*7919, i), "a value")
	}
	var text strings.Builder
	all := readLabelled(b)
	for text.Len() < 1<<20 {
		for i, l := range all {
			if len(l.secrets) == 0 || i%10 == 0 {
				fmt.Fprintf(&text, "2026-11-30T14:05:%02dZ INFO worker=%d %s\n\tif err := run(ctx, cfg.Name); err != nil { return err }\n", i%60, i, l.text)
			}
		}
	}
	in := text.String()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		s.Text(in)
	}
}
