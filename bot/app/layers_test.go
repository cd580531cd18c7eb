package app_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/leadhand/leadhand/"

// layers is the dependency rule: a package imports packages of lower layers, and those in its own folder. The first
// pattern that matches counts; "/..." also matches everything below, "*" one name.
var layers = []struct {
	pattern string
	layer   int
}{
	{"cmd/*", 9},
	{"bot/app/strict", 3}, {"bot/app/...", 8},
	{"bot/store/storetest", 8}, {"bot/store", 7}, {"bot/web/...", 7}, {"bot/command", 7},
	{"channels/channeltest/fakekit", 1}, {"channels/channeltest/specs", 1}, {"channels/channeltest/cmd/*", 9},
	{"channels/channeltest/*fake", 2}, {"channels/channeltest", 8},
	{"channels/render", 2}, {"channels/*", 7},
	{"agent/llm/llmtest/conformance", 8}, {"agent/llm/llmtest", 2}, {"agent/llm/*", 7}, {"media/*", 7},
	{"bot", 6},
	{"bot/lane", 1},
	{"bot/inbox", 5}, {"bot/outbox", 5}, {"bot/job", 5}, {"bot/schedule", 5}, {"bot/approval", 5}, {"bot/access", 5},
	{"bot/place", 5}, {"bot/secret", 5}, {"bot/audit", 5}, {"teams", 5},
	{"agent/session", 3}, {"agent/llm", 1}, {"agent", 4}, {"agent/*", 5},
	{"tools/nearest", 1}, {"tools/workspace/workspacetest", 2}, {"tools/workspace", 1}, {"tools/fallback", 1},
	{"tools/netguard", 1}, {"tools/*/...", 3}, {"media", 3}, {"tools", 2},
	{"channels", 1}, {"migrations", 1},
}

// onlyIn names the packages that may import a library.
var onlyIn = map[string][]string{
	"gorm.io/":                               {"bot/store"},
	"github.com/riverqueue/":                 {"bot/job"},
	"charm.land/":                            {"channels/terminal"},
	"github.com/openai/openai-go":            {"agent/llm/openai"},
	"github.com/anthropics/anthropic-sdk-go": {"agent/llm/anthropic"},
	"google.golang.org/genai":                {"agent/llm/gemini"},
	"github.com/alecthomas/kong":             {"cmd/leadhand"},
	"github.com/go-telegram-bot-api/":        {"channels/telegram"},
	"github.com/slack-go/":                   {"channels/slack"},
	"github.com/bwmarrin/":                   {"channels/discord"},
}

func layerOf(pkg string) int {
	for _, l := range layers {
		if matches(l.pattern, pkg) {
			return l.layer
		}
	}
	return 0
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		for p := pkg; p != "."; p = path.Dir(p) {
			if ok, _ := path.Match(base, p); ok {
				return true
			}
		}
		return false
	}
	ok, _ := path.Match(pattern, pkg)
	return ok
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	t.Parallel()
	for pkg, imports := range packages(t, "../..") {
		layer := layerOf(pkg)
		if layer == 0 {
			t.Errorf("%s is in no layer", pkg)
		}
		for _, imp := range imports {
			own, ok := strings.CutPrefix(imp, module)
			switch {
			case !ok:
				checkLibrary(t, pkg, imp)
			case strings.HasPrefix(own, pkg+"/"): // its own folder
			case layerOf(own) >= layer:
				t.Errorf("%s (layer %d) imports %s (layer %d)", pkg, layer, own, layerOf(own))
			}
		}
	}
}

func checkLibrary(t *testing.T, pkg, imp string) {
	t.Helper()
	for prefix, allowed := range onlyIn {
		if strings.HasPrefix(imp, prefix) && !slices.Contains(allowed, pkg) {
			t.Errorf("%s imports %s, which belongs to %v", pkg, imp, allowed)
		}
	}
}

// packages gives the imports of every package below root, without those of tests.
func packages(t *testing.T, root string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != "." {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, p), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(p)
		if _, seen := out[pkg]; !seen {
			out[pkg] = nil
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[pkg] = append(out[pkg], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTopLevelFoldersAreFixed keeps the root small.
func TestTopLevelFoldersAreFixed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"bot", "channels", "agent", "tools", "teams", "media", "migrations", "cmd"}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("unexpected top-level folder %s", e.Name())
		}
	}
}
