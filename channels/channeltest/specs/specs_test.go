package specs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

type description struct {
	Version string `json:"version"`
}

// write puts a Telegram description into a specs directory.
func write(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(specs.Telegram))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFoundAboveTheWorkingDirectory(t *testing.T) {
	for _, sub := range []string{"specs", "shared/specs"} {
		t.Run(sub, func(t *testing.T) {
			t.Setenv(specs.EnvDir, "")
			root := t.TempDir()
			write(t, filepath.Join(root, filepath.FromSlash(sub)), `{"version":"1"}`)
			inner := filepath.Join(root, "a", "b")
			if err := os.MkdirAll(inner, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Chdir(inner)
			d, err := specs.Load[description](specs.Telegram)
			if err != nil || d.Version != "1" {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
}

func TestNothingFound(t *testing.T) {
	t.Setenv(specs.EnvDir, "")
	t.Chdir("/") // temporary directories may have descriptions above them
	if _, err := specs.Load[description](specs.Telegram); !errors.Is(err, specs.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestNamedDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(specs.EnvDir, dir)
	// Another directory is not searched instead.
	other := t.TempDir()
	write(t, filepath.Join(other, "specs"), `{"version":"other"}`)
	t.Chdir(other)
	_, err := specs.Load[description](specs.Telegram)
	if err == nil || errors.Is(err, specs.ErrNotFound) || !strings.Contains(err.Error(), specs.EnvDir) {
		t.Errorf("missing file: got %v, want an error that names %s", err, specs.EnvDir)
	}
	write(t, dir, `{"version":"named"}`)
	if d, err := specs.Load[description](specs.Telegram); err != nil || d.Version != "named" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestBrokenDescription(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(specs.EnvDir, dir)
	write(t, dir, `{`)
	if _, err := specs.Load[description](specs.Telegram); err == nil {
		t.Error("a file that does not decode was taken")
	}
}
