package tools

import "time"

// Exception lifts a gate's verdicts about some tools for a time, for the person the gate is about.
type Exception struct {
	Selectors []string
	Until     time.Time // in the time zone that people are told; the zero value is over
	By        string    // who made it, as people are told: "@a"
}

// Except makes a gate whose hiding verdicts are lifted where an exception holds at now; the words say so. It is for
// gates of places and roles only. A policy has no exceptions: what an agent or the whole bot may not do, nobody can
// allow from inside a chat.
func Except(gate Gate, lifts []Exception, now time.Time) Gate {
	type lift struct {
		selectors []string
		words     string
	}
	var holding []lift
	for _, e := range lifts {
		if now.Before(e.Until) {
			holding = append(holding, lift{e.Selectors, e.words(now)})
		}
	}
	return func(d *Descriptor) []Verdict {
		said := gate(d)
		for _, l := range holding {
			if matchesAny(l.selectors, d) {
				return lifted(said, l.words)
			}
		}
		return said
	}
}

func (e Exception) words(now time.Time) string {
	until := e.Until.Format("15:04")
	if e.Until.Format(time.DateOnly) != now.In(e.Until.Location()).Format(time.DateOnly) {
		until = e.Until.Format("2 Jan 15:04")
	}
	words := "lifted for you until " + until
	if e.By != "" {
		words += " by " + e.By
	}
	return words
}

// lifted is a copy: the gate may give the same verdicts again.
func lifted(said []Verdict, why string) []Verdict {
	all := make([]Verdict, len(said))
	for i, v := range said {
		all[i] = v.lift(why)
	}
	return all
}
