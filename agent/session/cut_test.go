package session_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/session"
)

func step(seq, turn int64) []session.Entry {
	return []session.Entry{
		{Seq: seq, Turn: turn, Kind: session.KindMessage, Message: calls(call("a"))},
		{Seq: seq + 1, Turn: turn, Kind: session.KindMessage, Message: results(result("a", "1"))},
	}
}

// one counts every entry as one token.
func one(*llm.Message) int { return 1 }

func TestCut(t *testing.T) {
	t.Parallel()
	turns := []session.Entry{
		said(1, 1, "a"), answered(2, 1, "b"), said(3, 3, "c"), answered(4, 3, "d"), said(5, 5, "e"), answered(6, 5, "f"),
		said(7, 7, "g"),
	}
	long := append([]session.Entry{said(1, 1, "a"), answered(2, 1, "b"), said(3, 3, "do it")}, step(4, 3)...)
	long = append(append(long, step(6, 3)...), step(8, 3)...)
	summary := session.Entry{Seq: 9, Turn: 7, Kind: session.KindSummary, Covers: 2, Message: llm.UserText("s")}
	summarised := append([]session.Entry{summary}, turns[2:]...)
	justSummarised := []session.Entry{summary, turns[6]}
	unanswered := append(turns[:2:2], said(3, 3, "c"))
	tests := map[string]struct {
		live []session.Entry
		turn int64
		cut  session.Cut
		want int
	}{
		"the newest turns that fit stay":               {turns, 7, session.Cut{Keep: 4, Whole: 10}, 4},
		"everything but the current turn goes":         {turns, 7, session.Cut{Keep: 0, Whole: 10}, 6},
		"an earlier summary goes with the oldest":      {summarised, 7, session.Cut{Keep: 3, Whole: 10}, 3},
		"a summary and the turn: no gain":              {justSummarised, 7, session.Cut{Keep: 1, Whole: 10}, 0},
		"one turn that fits: no gain":                  {turns[:2], 1, session.Cut{Keep: 1, Whole: 10}, 0},
		"a current turn that fits stays whole":         {long, 3, session.Cut{Keep: 2, Whole: 7}, 2},
		"a larger one is cut before an answer":         {long, 3, session.Cut{Keep: 5, Whole: 6}, 5},
		"the newest step stays even if it is too much": {long, 3, session.Cut{Keep: 1, Whole: 6}, 7},
		"a large turn without an answer stays":         {unanswered, 3, session.Cut{Keep: 0, Whole: 0}, 2},
		"nothing":                                      {nil, 1, session.Cut{}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.cut.Size = one
			if got := tt.cut.Find(tt.live, tt.turn); got != tt.want {
				t.Errorf("cut at %d, want %d", got, tt.want)
			}
		})
	}
}

func TestCutNeverPartsAPair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var live []session.Entry
		var turn, seq int64
		for range rapid.IntRange(1, 5).Draw(t, "turns") {
			seq++
			turn = seq
			live = append(live, said(seq, turn, "do it"))
			for range rapid.IntRange(0, 4).Draw(t, "steps") {
				live = append(live, step(seq+1, turn)...)
				seq += 2
			}
		}
		tokens := rapid.IntRange(0, 20)
		cut := session.Cut{Keep: tokens.Draw(t, "keep"), Whole: tokens.Draw(t, "whole"), Size: one}
		n := cut.Find(live, turn)
		for _, e := range session.Repair(messagesOf(live[n:])) {
			if strings.Contains(mustJSON(t, e), "interrupted") {
				t.Fatalf("cut at %d parts a call from its result", n)
			}
		}
		if n < len(live) && live[n].Message.Role == llm.ToolRole {
			t.Fatalf("cut at %d begins with a result", n)
		}
	})
}

func messagesOf(entries []session.Entry) []llm.Message {
	var ms []llm.Message
	for _, e := range entries {
		ms = append(ms, e.Message)
	}
	return ms
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	entries := []session.Entry{
		{Kind: session.KindSummary, Message: llm.UserText("earlier: the port is 8080")},
		said(1, 1, "read it"),
		{Kind: session.KindStrip, Covers: 1},
	}
	entries = append(entries, step(2, 1)...)
	entries = append(entries, answered(4, 1, "it says 1"))
	got := session.Transcript(entries, 100_000)
	want := "\nUSER: earlier: the port is 8080\n\nUSER: read it\n\nTOOL CALL read_file {}\n" +
		"\nRESULT OF read_file: 1\n\nASSISTANT: it says 1\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTranscriptKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	entries := []session.Entry{{Kind: session.KindSummary, Message: llm.UserText("the port is 8080")}}
	for i := range int64(200) {
		entries = append(entries, said(i+1, i+1, strings.Repeat("много слов ", 500)))
	}
	entries = append(entries, said(500, 500, "the newest"))
	got := session.Transcript(entries, 20_000)
	if len(got) > 20_500 {
		t.Errorf("%d bytes", len(got))
	}
	for _, part := range []string{"the port is 8080", "the newest", "older pieces are left out"} {
		if !strings.Contains(got, part) {
			t.Errorf("lacks %q", part)
		}
	}
	if !utf8.ValidString(got) {
		t.Error("broken characters")
	}
}

func TestClipKeepsBothEndsAndWholeCharacters(t *testing.T) {
	t.Parallel()
	if got := session.Clip("short", 5); got != "short" {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		got := session.Clip(s, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("broken characters in %q", got)
		}
		if len(got) > limit+40 {
			t.Fatalf("%d bytes for %d", len(got), limit)
		}
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	if got := session.Clean("a\x00b\xffc\u00e9"); got != "ab\uFFFDcé" {
		t.Errorf("got %q", got)
	}
}
