package text

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/nearest"
)

// utilities are what text_utils can do with a text.
var utilities = map[string]func(string) (string, error){
	"count": func(s string) (string, error) {
		return fmt.Sprintf("%d characters, %d words, %d lines, %d bytes", utf8.RuneCountInString(s), len(strings.Fields(s)),
			len(linesOf(s)), len(s)), nil
	},
	"upper": plain(strings.ToUpper), "lower": plain(strings.ToLower), "trim": plain(strings.TrimSpace),
	"sort_lines":    lined(func(l []string) []string { slices.Sort(l); return l }),
	"unique_lines":  lined(unique),
	"reverse_lines": lined(func(l []string) []string { slices.Reverse(l); return l }),
	"number_lines": lined(func(l []string) []string {
		for i := range l {
			l[i] = fmt.Sprintf("%d: %s", i+1, l[i])
		}
		return l
	}),
	"reverse": plain(func(s string) string {
		r := []rune(s)
		slices.Reverse(r)
		return string(r)
	}),
	"base64_encode": plain(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
	"base64_decode": func(s string) (string, error) {
		s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(s), "=")
		raw, err := base64.RawStdEncoding.DecodeString(s)
		return textual(raw, err)
	},
	"hex_encode": plain(func(s string) string { return hex.EncodeToString([]byte(s)) }),
	"hex_decode": func(s string) (string, error) {
		raw, err := hex.DecodeString(strings.TrimSpace(s))
		return textual(raw, err)
	},
	"url_encode": plain(url.QueryEscape),
	"url_decode": url.QueryUnescape,
	"json_quote": func(s string) (string, error) {
		raw, err := json.Marshal(s)
		return string(raw), err
	},
	"sha256": plain(func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}),
}

func plain(f func(string) string) func(string) (string, error) {
	return func(s string) (string, error) { return f(s), nil }
}

func lined(f func([]string) []string) func(string) (string, error) {
	return func(s string) (string, error) { return strings.Join(f(linesOf(s)), "\n"), nil }
}

// linesOf are the lines of a text; an empty text has none.
func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func unique(lines []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(lines, func(l string) bool {
		again := seen[l]
		seen[l] = true
		return again
	})
}

// textual is what was decoded, if a model can read that.
func textual(raw []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) || slices.Contains(raw, 0) {
		return "", errors.New("what it stands for is no text")
	}
	return string(raw), nil
}

type utilsParams struct {
	Do   string `json:"do" jsonschema:"what to do; see the description"`
	Text string `json:"text" jsonschema:"the text"`
}

func textUtils() tools.Tool {
	can := slices.Sorted(maps.Keys(utilities))
	return tools.New(tools.Descriptor{
		Name: "text_utils", Label: "working on a text", Group: group, Effect: tools.ReadOnly,
		Description: "Do exactly one thing with a text: " + strings.Join(can, ", ") + ".",
	}, func(_ context.Context, _ *tools.Call, in utilsParams) (*tools.Result, error) {
		if len(in.Text) > longestText {
			return nil, fmt.Errorf("the text has more than %d bytes", longestText)
		}
		do, ok := utilities[in.Do]
		if !ok {
			near := nearest.Nearest(in.Do, can, 3)
			if len(near) == 0 {
				near = can
			}
			return nil, fmt.Errorf("it can't do %q; it can %s", in.Do, strings.Join(near, ", "))
		}
		out, err := do(in.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Do, err)
		}
		return tools.Text(out), nil
	})
}
