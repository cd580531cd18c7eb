package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/secret"
)

// raw is 32 bytes of which base64 has the letters that differ between its alphabets.
var raw = []byte(strings.Repeat("\xfb\xef\xff\x00", 8))

func TestAKeyIsReadInAnyUsualForm(t *testing.T) {
	t.Parallel()
	var ids []string
	for name, text := range map[string]string{
		"hexadecimal": hex.EncodeToString(raw), "in capitals": strings.ToUpper(hex.EncodeToString(raw)),
		"base64": base64.StdEncoding.EncodeToString(raw), "without padding": base64.RawStdEncoding.EncodeToString(raw),
		"for URLs": base64.RawURLEncoding.EncodeToString(raw), "with a line end": base64.StdEncoding.EncodeToString(raw) + "\r\n",
	} {
		ring, err := secret.ParseRing(text)
		if err != nil || len(ring) != 1 {
			t.Errorf("%s: %d keys, %v", name, len(ring), err)
			continue
		}
		if ids = append(ids, ring[0].ID()); ids[0] != ids[len(ids)-1] {
			t.Errorf("%s is another key", name)
		}
	}
}

func TestWhatIsNoKeyIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	good := hex.EncodeToString(raw)
	for name, text := range map[string]string{
		"nothing": "", "white space": " \n,", "a password": "CANARY-hunter2", "too short": good[:62],
		"too long": good + "00", "one of two": good + ",CANARY",
	} {
		ring, err := secret.ParseRing(text)
		if err == nil || len(ring) > 0 || !strings.Contains(err.Error(), "openssl rand -base64 32") {
			t.Errorf("%s: %d keys, %v", name, len(ring), err)
		} else if strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: the error repeats it: %v", name, err)
		}
	}
}

func TestAKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	ring, err := secret.ParseRing(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(form, ring)
		if !strings.Contains(text, ring[0].ID()) || strings.Contains(text, "251") || strings.Contains(text, "fbef") {
			t.Errorf("%s prints %s", form, text)
		}
	}
}

func TestASealedValueOpensOnlyInItsRow(t *testing.T) {
	t.Parallel()
	ring := fresh(t, 2)
	row := secret.Row{Tenant: "acme", Name: "token"}
	sealed := ring.Seal(row, "hunter2")
	if strings.Contains(string(sealed.Text), "hunter2") || string(ring.Seal(row, "hunter2").Text) == string(sealed.Text) {
		t.Error("it can be read, or compared")
	}
	turned := secret.Ring{ring[1], ring[0]}
	if v, err := turned.Open(row, sealed); err != nil || v != "hunter2" {
		t.Errorf("in a turned ring: %q, %v", v, err)
	}
	for name, at := range map[string]secret.Row{
		"another tenant": {Tenant: "other", Name: "token"}, "another name": {Tenant: "acme", Name: "token2"},
		"a shifted border": {Tenant: "acmet", Name: "oken"},
	} {
		if v, err := ring.Open(at, sealed); err == nil || v != "" {
			t.Errorf("%s: %q, %v", name, v, err)
		}
	}
	for i := range sealed.Text {
		bad := secret.Sealed{Key: sealed.Key, Text: []byte(string(sealed.Text))}
		bad.Text[i] ^= 1
		if _, err := ring.Open(row, bad); err == nil {
			t.Fatalf("with byte %d changed it opens", i)
		}
	}
	for n := range len(sealed.Text) {
		if _, err := ring.Open(row, secret.Sealed{Key: sealed.Key, Text: sealed.Text[:n]}); err == nil {
			t.Fatalf("its first %d bytes open", n)
		}
	}
	if _, err := ring.Open(row, secret.Sealed{Key: ring[1].ID(), Text: sealed.Text}); err == nil {
		t.Error("under the name of another key it opens")
	}
}

// fresh is a ring of n new keys.
func fresh(t *testing.T, n int) (ring secret.Ring) {
	t.Helper()
	for range n {
		k, err := secret.Generate()
		if err != nil {
			t.Fatal(err)
		}
		ring = append(ring, k)
	}
	return ring
}
