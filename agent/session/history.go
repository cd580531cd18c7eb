package session

import (
	"fmt"

	"github.com/leadhand/leadhand/agent/llm"
)

// Note marks a text as written by the program, not by a person. Texts of people are kept from looking like one.
func Note(text string) string { return "[program] " + text }

// Live leaves out what the newest summary covers, and older summaries. The newest summary comes first.
func Live(entries []Entry) []Entry {
	newest := -1
	for i := range entries {
		if entries[i].Kind == KindSummary {
			newest = i
		}
	}
	live := make([]Entry, 0, len(entries))
	var covers int64
	if newest >= 0 {
		live = append(live, entries[newest])
		covers = entries[newest].Covers
	}
	for i := range entries {
		e := &entries[i]
		if e.Kind == KindSummary || e.Seq != 0 && e.Seq <= covers {
			continue
		}
		live = append(live, *e)
	}
	return live
}

// History is what a request tells a model about a session: the entries as messages, repaired. Entries that are not in
// the log yet (Seq 0) stand at their place in the slice. A person's message that was stored twice is told once.
//
// More entries at the end never change the messages before them, except for a summary or a strip mark.
func History(entries []Entry) []llm.Message {
	live := Live(entries)
	var stripped int64
	for i := range live {
		if live[i].Kind == KindStrip {
			stripped = max(stripped, live[i].Covers)
		}
	}
	told := map[int64]bool{}
	var ms []llm.Message
	for i := range live {
		e := &live[i]
		if e.Kind == KindStrip || e.Source != 0 && told[e.Source] {
			continue
		}
		told[e.Source] = true
		m := e.Message
		if e.Seq != 0 && e.Seq <= stripped {
			m = withoutImages(m)
		}
		ms = append(ms, m)
	}
	return Repair(ms)
}

// HasImages tells whether any of the messages shows a picture.
func HasImages(ms []llm.Message) bool {
	for i := range ms {
		for j := range ms[i].Parts {
			if ms[i].Parts[j].Image != nil {
				return true
			}
		}
	}
	return false
}

func withoutImages(m llm.Message) llm.Message {
	parts := make([]llm.Part, len(m.Parts))
	for i, p := range m.Parts {
		if p.Image != nil {
			p = llm.Part{Text: Note(fmt.Sprintf("The image %q was taken out: the model did not accept it.", p.Image.Name))}
		}
		parts[i] = p
	}
	return llm.Message{Role: m.Role, Parts: parts}
}
