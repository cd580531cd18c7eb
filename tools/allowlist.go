package tools

import "slices"

// Allowlist limits which tools a place may use, by selectors (see [Matches]). The zero value allows all.
type Allowlist struct {
	// Limited tells "only Names" (none, when Names is empty) from "no limit here".
	Limited bool     `json:"limited,omitempty"`
	Names   []string `json:"names,omitempty"`
	// Within are further lists; a tool has to be in each of them too. Narrow writes them, because what two lists of
	// groups have in common can't be written as one list.
	Within [][]string `json:"within,omitempty"`
	// Denied beats Names, and holds without a limit too.
	Denied []string `json:"denied,omitempty"`
}

// Allows tells whether the tool may be used.
func (a Allowlist) Allows(d *Descriptor) bool {
	if matchesAny(a.Denied, d) || a.Limited && !matchesAny(a.Names, d) {
		return false
	}
	for _, list := range a.Within {
		if !matchesAny(list, d) {
			return false
		}
	}
	return true
}

// Narrow allows exactly what both lists allow. Neither of them is changed or shared.
func (a Allowlist) Narrow(by Allowlist) Allowlist {
	narrow := Allowlist{Denied: tidySelectors(slices.Concat(a.Denied, by.Denied))}
	var lists [][]string
	for _, list := range slices.Concat(a.lists(), by.lists()) {
		list = tidySelectors(list)
		if len(list) == 0 { // nothing is left, so the others don't matter
			return Allowlist{Limited: true, Denied: narrow.Denied}
		}
		same := func(other []string) bool { return slices.Equal(other, list) }
		if !slices.ContainsFunc(lists, same) {
			lists = append(lists, list)
		}
	}
	if len(lists) > 0 {
		narrow.Limited, narrow.Names = true, lists[0]
	}
	if len(lists) > 1 {
		narrow.Within = lists[1:]
	}
	return narrow
}

// lists are those a tool has to be in.
func (a Allowlist) lists() [][]string {
	var lists [][]string
	if a.Limited {
		lists = append(lists, a.Names)
	}
	return append(lists, a.Within...)
}

// CapGate keeps to the list that a scope carries.
func CapGate(a Allowlist) Gate {
	return a.gate("place", func(rule string) string { return "this place allows " + rule })
}

// ListGate keeps to a list of a layer that has a name: a topic, a role. The note says where the list comes from, "set
// by @c, 3 Nov"; it may be empty.
func ListGate(layer, note string, a Allowlist) Gate {
	return a.gate(layer, func(rule string) string {
		if note == "" {
			return rule
		}
		return rule + " (" + note + ")"
	})
}

func (a Allowlist) gate(name string, words func(rule string) string) Gate {
	var layers []layer
	for _, list := range a.lists() {
		layers = append(layers, layer{name: name, rule: words(onlyWords(list)), selectors: list})
	}
	if len(a.Denied) > 0 {
		layers = append(layers, layer{name: name, rule: words(noWords(a.Denied)), selectors: a.Denied, drops: true})
	}
	return func(d *Descriptor) []Verdict {
		said := make([]Verdict, len(layers))
		for i := range layers {
			said[i] = layers[i].verdict(d)
		}
		return said
	}
}
