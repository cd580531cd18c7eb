package secret_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/secret"
)

// newVault keeps its key in a file of its own.
func newVault(t *testing.T) (*secret.Vault, *memory) {
	t.Helper()
	m := newMemory()
	return &secret.Vault{
		Store: m, Tenant: "acme", Keys: secret.Keys{Path: filepath.Join(t.TempDir(), "data", "secret.key"), Mine: true},
	}, m
}

func set(t *testing.T, v *secret.Vault, name, value string) {
	t.Helper()
	if err := v.Set(t.Context(), name, value, "ann"); err != nil {
		t.Fatal(err)
	}
}

func opens(t *testing.T, v *secret.Vault, name, want string) {
	t.Helper()
	if got, err := v.Get(t.Context(), name); err != nil || got != want {
		t.Errorf("%s: %q, %v; want %q", name, got, err, want)
	}
}

func TestTheFirstSecretMakesTheKey(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	if _, err := v.Get(t.Context(), "token"); !errors.Is(err, secret.ErrUnknown) {
		t.Errorf("before: %v", err)
	}
	if _, err := os.Stat(v.Keys.Path); err == nil {
		t.Error("reading makes a key")
	}
	set(t, v, "token", "hunter2")
	set(t, v, "token2", "a\nb\x00ü")
	opens(t, v, "token", "hunter2")
	opens(t, v, "token2", "a\nb\x00ü")
	info, err := os.Stat(v.Keys.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	_, err = v.Get(t.Context(), "tokn")
	if !errors.Is(err, secret.ErrUnknown) || !strings.Contains(err.Error(), "did you mean token?") {
		t.Errorf("a wrong name: %v", err)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	for name, bad := range map[string][2]string{
		"no name": {"", "x"}, "a path": {"../CANARY", "x"}, "a long name": {strings.Repeat("a", 65), "x"},
		"white space": {"CANARY b", "x"}, "no value": {"a", ""}, "a long value": {"a", strings.Repeat("x", secret.MaxValue+1)},
	} {
		err := v.Set(t.Context(), bad[0], bad[1], "ann")
		if err == nil || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(m.rows) != 0 {
		t.Errorf("kept %v", m.rows)
	}
}

func TestASecondSetOfKeysIsNeverBegun(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	set(t, v, "old", "1")
	lost, err := os.ReadFile(v.Keys.Path)
	if err != nil || os.Remove(v.Keys.Path) != nil {
		t.Fatal(err)
	}
	if err := v.Set(t.Context(), "new", "2", "ann"); !errors.Is(err, secret.ErrNoKeys) || len(m.rows) != 1 {
		t.Errorf("without the key: %v, %d rows", err, len(m.rows))
	}
	if _, err := v.Get(t.Context(), "old"); !errors.Is(err, secret.ErrNoKeys) {
		t.Errorf("get without the key: %v", err)
	}
	if _, _, err := v.Rotate(t.Context()); !errors.Is(err, secret.ErrNoKeys) {
		t.Errorf("rotate without the key: %v", err)
	}
	v.Keys = secret.Keys{Text: strings.Repeat("ab", 32)}
	if err := v.Set(t.Context(), "new", "2", "ann"); !errors.Is(err, secret.ErrKey) || !strings.Contains(err.Error(), "secret remove old") {
		t.Errorf("under a foreign key: %v", err)
	}
	if _, broken, err := v.Check(t.Context()); err != nil || !errors.Is(broken["old"], secret.ErrKey) {
		t.Errorf("check: %v, %v", broken, err)
	}
	set(t, v, "old", "3") // what is replaced need not open
	opens(t, v, "old", "3")
	v.Keys.Text = string(lost)
	if _, err := v.Get(t.Context(), "old"); !errors.Is(err, secret.ErrKey) {
		t.Errorf("under the old key: %v", err)
	}
}

func TestTwoSourcesOfTheKeyAreRefused(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	set(t, v, "token", "hunter2")
	v.Keys = secret.Keys{Text: strings.Repeat("ab", 32), Path: v.Keys.Path}
	if _, err := v.Get(t.Context(), "token"); err == nil || !strings.Contains(err.Error(), "take one of them") {
		t.Errorf("%v", err)
	}
}

func TestAMovedRowDoesNotOpen(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	set(t, v, "mine", "1")
	set(t, v, "yours", "2")
	m.rows[secret.Row{Tenant: "acme", Name: "mine"}] = m.rows[secret.Row{Tenant: "acme", Name: "yours"}]
	if _, err := v.Get(t.Context(), "mine"); !errors.Is(err, secret.ErrDamaged) {
		t.Errorf("%v", err)
	}
	opens(t, v, "yours", "2")
}

func TestRotate(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	set(t, v, "a", "1")
	set(t, v, "b", "2")
	m.rows[secret.Row{Tenant: "other", Name: "a"}] = m.rows[secret.Row{Tenant: "acme", Name: "a"}]
	before, err := os.ReadFile(v.Keys.Path)
	if err != nil {
		t.Fatal(err)
	}
	n, key, err := v.Rotate(t.Context())
	if err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	opens(t, v, "a", "1")
	opens(t, v, "b", "2")
	after, err := os.ReadFile(v.Keys.Path)
	if err != nil || string(after) == string(before) || strings.Count(string(after), "\n") != 1 {
		t.Errorf("the file of the key is not another one of one key, %v", err)
	}
	all, broken, err := v.Check(t.Context())
	if err != nil || len(broken) != 0 || all[0].Key != key || all[1].Key != key {
		t.Errorf("%v, %v, %v", all, broken, err)
	}
}

// TestRotateInTwo: a process ended when the values were sealed anew, or before; all opens, and rotating again ends it.
func TestRotateInTwo(t *testing.T) {
	t.Parallel()
	for name, done := range map[string]bool{"before the values": false, "after the values": true} {
		v, m := newVault(t)
		set(t, v, "a", "1")
		old, err := os.ReadFile(v.Keys.Path)
		if err != nil {
			t.Fatal(err)
		}
		was := m.rows[secret.Row{Tenant: "acme", Name: "a"}]
		if _, _, err := v.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(v.Keys.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(v.Keys.Path, append(now, old...), 0o600); err != nil {
			t.Fatal(err)
		}
		if !done {
			m.rows[secret.Row{Tenant: "acme", Name: "a"}] = was
		}
		opens(t, v, "a", "1")
		if n, _, err := v.Rotate(t.Context()); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		opens(t, v, "a", "1")
		if ended, err := os.ReadFile(v.Keys.Path); err != nil || strings.Count(string(ended), "\n") != 1 {
			t.Errorf("%s: more than one key is left, %v", name, err)
		}
	}
}

func TestRotateChangesNothingWhenOneDoesNotOpen(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	set(t, v, "a", "1")
	set(t, v, "b", "2")
	b := secret.Row{Tenant: "acme", Name: "b"}
	good := m.rows[b]
	m.rows[b] = secret.Sealed{Key: good.Key, Text: good.Text[1:]}
	if _, _, err := v.Rotate(t.Context()); !errors.Is(err, secret.ErrDamaged) || !strings.Contains(err.Error(), "b: ") {
		t.Errorf("%v", err)
	}
	opens(t, v, "a", "1")
	m.rows[b] = good
	opens(t, v, "b", "2")
}

// TestSetWhileTheKeyChanges: the value is sealed under the new key in the end.
func TestSetWhileTheKeyChanges(t *testing.T) {
	t.Parallel()
	v, m := newVault(t)
	set(t, v, "a", "1")
	var key string
	m.before = func() {
		var err error
		if _, key, err = v.Rotate(t.Context()); err != nil {
			t.Error(err)
		}
	}
	set(t, v, "b", "2")
	opens(t, v, "b", "2")
	if got := m.rows[secret.Row{Tenant: "acme", Name: "b"}].Key; got != key {
		t.Errorf("sealed under %s, not %s", got, key)
	}
}

func TestSomebodysOwnKeysAreNotChanged(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	path := filepath.Join(t.TempDir(), "key")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]*secret.Vault{
		"a text": {Store: newMemory(), Tenant: "acme", Keys: secret.Keys{Text: one}},
		"a file": {Store: newMemory(), Tenant: "acme", Keys: secret.Keys{Path: path}},
	} {
		if v.Keys.Text == "" {
			if err := v.Set(t.Context(), "a", "1", "ann"); !errors.Is(err, secret.ErrNoKeys) {
				t.Errorf("a file that is missing: %v", err)
			}
			write(one)
		}
		set(t, v, "a", "1")
		if _, _, err := v.Rotate(t.Context()); !errors.Is(err, secret.ErrOneKey) {
			t.Errorf("%s, one key: %v", name, err)
		}
		if v.Keys.Text == "" {
			_ = os.Remove(path)
			write(two + "," + one)
		} else {
			v.Keys.Text = two + ", " + one
		}
		opens(t, v, "a", "1")
		if n, _, err := v.Rotate(t.Context()); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if v.Keys.Text != "" {
			v.Keys.Text = two
		} else if text, err := os.ReadFile(path); err != nil || string(text) != two+","+one {
			t.Errorf("the file was changed, %v", err)
		}
		opens(t, v, "a", "1")
	}
}
