package tools

import "strings"

// layer is one list with a name: tools that match it are kept and all others hidden, or the other way round.
type layer struct {
	name      string
	rule      string
	selectors []string
	drops     bool
	replaced  string // says why the layer does not count, if so
	lifts     string // says that the layer lifts what others hide, if so
}

func (l *layer) matches(d *Descriptor) bool { return matchesAny(l.selectors, d) }

func (l *layer) verdict(d *Descriptor) Verdict {
	return Verdict{Layer: l.name, Rule: l.rule, Hides: l.matches(d) == l.drops}
}

// onlyWords says what a list of selectors that keeps tools keeps.
func onlyWords(selectors []string) string {
	if len(selectors) == 0 {
		return "no tools"
	}
	return "only " + listed(selectors)
}

// noWords says what a list of selectors that drops tools drops.
func noWords(selectors []string) string { return "no " + listed(selectors) }

func listed(selectors []string) string { return strings.Join(tidySelectors(selectors), ", ") }
