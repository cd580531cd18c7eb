package script

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/leadhand/leadhand/agent/llm"
)

// move is what the demo does next: it says something, or calls a tool, never neither.
type move struct {
	text string
	call *llm.Call
}

func say(format string, args ...any) move { return move{text: fmt.Sprintf(format, args...)} }

// rule answers what pattern matches. Groups are the pattern's submatches, the whole match first.
type rule struct {
	pattern *regexp.Regexp
	act     func(t *turn, groups []string) move
}

// rules are tried together and the earliest match in the text wins: "plan how to write notes.md" is a plan, "write a
// plan to notes.md" is a file. Of two at the same place the first in the list wins.
var rules = []rule{
	{regexp.MustCompile(`(?is)\breplace\s+(.+?)\s+(?:with|by)\s+(.+?)\s+in\s+(?:the\s+)?(?:file\s+)?(\S+)`), replace},
	{regexp.MustCompile(`(?is)\bplan(?:\s+for)?\s+(\S.*)`), plan},
	{regexp.MustCompile("(?is)\\b(?:write|save|put)\\s+(?:me\\s+)?(.+)\\s(?:to|into|in|as)\\s+" +
		"(?:(?:the|a)\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?(\\S*\\.\\w+\\S?)[.!]?\\s*$"), write},
	{regexp.MustCompile(`(?i)\b(?:list|show|see)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|my\s+|our\s+)?files\b` +
		`(?:\s+(?:in|under)\s+(?:the\s+)?(?:folder\s+)?(\S+))?`), list},
	{regexp.MustCompile(`(?i)\b(?:what|which)\s+files\b()`), list},
	{regexp.MustCompile("(?i)\\b(?:read|show|open|cat|print)\\s+(?:me\\s+)?(?:what(?:'s|’s| is) in\\s+)?" +
		"(?:the\\s+)?(?:file\\s+)?[`\"']?([\\w./-]*\\.\\w+)"), read},
	{regexp.MustCompile(`(?i)\bread\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?(\S+)\s*$`), read},
	{regexp.MustCompile(`(?i)\b(?:what(?:'s|’s)?|which|tell|current|today(?:'s|’s)?)\b[^.!?\n]*?\b` +
		`(?:time|date|day|clock)\b(?:[^.!?\n]*?\bin\s+([\p{L}_/+-]+(?:\s+[\p{L}_]+)?))?`), datetime},
	{regexp.MustCompile(`(?i)\b(?:hello|hi|hey|hallo|good (?:morning|afternoon|evening)|help)\b`), hello},
}

// reply picks the rule for what was said and lets it move.
func reply(t *turn) move {
	var best rule
	var groups []string
	at := len(t.said) + 1
	for _, r := range rules {
		m := r.pattern.FindStringSubmatchIndex(t.said)
		if m == nil || m[0] >= at {
			continue
		}
		at, best, groups = m[0], r, r.pattern.FindStringSubmatch(t.said)
	}
	if best.act == nil {
		return lost(t)
	}
	return best.act(t, groups)
}

// use makes the call number n of this turn, or, once it is answered, goes on with then. A tool that is not offered or
// an error ends the turn in words.
func (t *turn) use(n int, tool string, args map[string]any, then func(result string) move) move {
	if len(t.results) > n {
		r := t.results[n]
		if r.IsError {
			return say("That did not work. The `%s` tool says:\n\n%s", tool, fence(r.Text, ""))
		}
		return then(r.Text)
	}
	if !t.offered[tool] {
		return say("I would need the `%s` tool for that, and this conversation does not offer it to me. "+
			"Somebody who may change the tools here can switch it on.", tool)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return say("I can't put that into a call of `%s`.", tool)
	}
	return move{call: &llm.Call{Name: tool, Args: string(raw)}}
}

// clean takes the quotes and the end of a sentence off a word that a person typed.
func clean(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimRight(s, ".!?,;:")
	for _, q := range []string{"`", `"`, "'", "“", "”"} {
		s = strings.TrimSuffix(strings.TrimPrefix(s, q), q)
	}
	return s
}

// unquote takes a pair of quotes off; what stands without quotes stays as it is.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{"`", `"`, "'"} {
		if len(s) > 1 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "“"), "”")
}

// maxShown is how many lines of a file are shown in a chat.
const maxShown = 40

// fence shows text as a code block that nothing in the text can close.
func fence(text, language string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	rest := ""
	if more := len(lines) - maxShown; more > 0 {
		lines = lines[:maxShown]
		rest = fmt.Sprintf("\n\n… and %d more lines.", more)
	}
	return marks + language + "\n" + strings.Join(lines, "\n") + "\n" + marks + rest
}
