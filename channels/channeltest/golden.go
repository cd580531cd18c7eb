package channeltest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/channels"
)

// Cards are messages with forms as they look in use; every adapter shows them.
func Cards(to channels.Conversation) []*channels.Outbound {
	return []*channels.Outbound{
		{
			Key: "task", Conversation: to,
			Card: &channels.Card{
				Title: "#42 Fix login", Tone: channels.Busy, Body: "The form loses its *session* after `POST /login`.",
				Fields: []channels.Field{{Name: "Owner", Value: "writer"}, {Name: "Due", Value: "today"}},
			},
			Buttons: [][]channels.Button{
				{
					{
						Text: "Approve", Style: channels.Primary, Token: Token(1),
						Command: channels.Command{Name: "approve", Args: "42"},
					},
					{
						Text: "Send back", Style: channels.Danger, Token: Token(2),
						Command: channels.Command{Name: "reject", Args: "42"}, Ask: "Why?",
					},
				},
				{{
					Text: "Assign", Token: Token(3), Command: channels.Command{Name: "assign", Args: "42"},
					Options: []channels.Option{{Text: "Ann", Value: "u1"}, {Text: "Bob", Value: "u2"}},
				}},
			},
		},
		{
			Key: "failed", Conversation: to,
			Card: &channels.Card{Title: "Build <main> & tests", Tone: channels.Bad, Body: "```\nexit 1: a < b\n```"},
		},
		{Key: "bare", Conversation: to, Card: &channels.Card{Title: "Nothing waits for you", Tone: channels.Good}},
	}
}

// Token is the token of a button that was kept as number n, a digit.
func Token(n int) string {
	return "TOKEN" + strings.Repeat("0", channels.TokenLength-len("TOKEN")-1) + strconv.Itoa(n)
}

// UpdateEnv is the variable that makes Golden write its files anew.
const UpdateEnv = "LEADHAND_TEST_UPDATE"

// Golden compares what was shown, as JSON, with a file in the package's testdata folder.
func Golden(t *testing.T, name string, shown any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(shown); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if os.Getenv(UpdateEnv) != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; %s=1 writes it", err, UpdateEnv)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s is no more what is shown; %s=1 writes it anew:\n%s", path, UpdateEnv, &b)
	}
}
