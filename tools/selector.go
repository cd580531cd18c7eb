package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadhand/leadhand/tools/nearest"
)

// Forms of selectors besides the name of a tool.
const (
	everything    = "*"
	groupPrefix   = "group:"
	mcpPrefix     = "mcp:"
	mcpGroup      = "mcp"      // all tools of all MCP servers
	leadhandGroup = "leadhand" // all built-in tools
)

// knownGroups are the groups that may be named though no tool of theirs is there today.
func knownGroups() []string {
	return []string{
		"automation", "database", "fs", leadhandGroup, mcpGroup, "media", "memory", "messaging", "runtime", "sessions",
		"team", "web",
	}
}

// Matches tells whether a selector names the tool. A selector is the exact name of a tool, group:<name>, mcp:<server>
// or * for all. group:mcp are the tools of all MCP servers, group:leadhand all built-in ones. What matches nothing is
// not an error here: [CheckSelectors] finds it when a list is written.
func Matches(selector string, d *Descriptor) bool {
	if selector == everything {
		return true
	}
	if group, ok := strings.CutPrefix(selector, groupPrefix); ok {
		switch group {
		case mcpGroup:
			return strings.HasPrefix(d.Source, mcpPrefix)
		case leadhandGroup:
			return d.Source == BuiltIn
		}
		return group != "" && d.Group == group
	}
	if strings.HasPrefix(selector, mcpPrefix) {
		return d.Source == selector
	}
	return d.Name == selector
}

func matchesAny(selectors []string, d *Descriptor) bool {
	for _, s := range selectors {
		if Matches(s, d) {
			return true
		}
	}
	return false
}

// tidySelectors is a copy in order and without repetitions, so that equal lists look equal.
func tidySelectors(selectors []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(selectors)))
}

// Descriptors are the descriptors of tools.
func Descriptors(ts []Tool) []Descriptor {
	ds := make([]Descriptor, len(ts))
	for i, t := range ts {
		ds[i] = t.Descriptor
	}
	return ds
}

// CheckSelectors tells about every selector that names no tool, group or MCP server, with the nearest ones that are
// known. A known group without tools today is fine: its tools may come with a feature that is switched on later.
func CheckSelectors(selectors []string, ds []Descriptor) error {
	known := newCatalog(ds)
	var unknown []string
	for _, s := range selectors {
		if complaint := known.complaint(s); complaint != "" && !slices.Contains(unknown, complaint) {
			unknown = append(unknown, complaint)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return errors.New(strings.Join(unknown, "; "))
}

// catalog is all that a selector can name.
type catalog struct {
	names, groups, servers []string
}

func newCatalog(ds []Descriptor) *catalog {
	c := &catalog{groups: knownGroups()}
	for i := range ds {
		d := &ds[i]
		c.names = append(c.names, d.Name)
		if d.Group != "" {
			c.groups = append(c.groups, d.Group)
		}
		if server, ok := strings.CutPrefix(d.Source, mcpPrefix); ok {
			c.servers = append(c.servers, server)
		}
	}
	c.groups, c.servers = tidySelectors(c.groups), tidySelectors(c.servers)
	return c
}

// complaint is empty for a selector that names something.
func (c *catalog) complaint(selector string) string {
	if selector == everything {
		return ""
	}
	if group, ok := strings.CutPrefix(selector, groupPrefix); ok {
		return missing("group", group, groupPrefix, c.groups)
	}
	if server, ok := strings.CutPrefix(selector, mcpPrefix); ok {
		return missing("MCP server", server, mcpPrefix, c.servers)
	}
	if slices.Contains(c.names, selector) {
		return ""
	}
	return unknownTool(selector, c.selectors(), "no other tool has a name like it").Error()
}

// selectors are all that name something: who writes "web" may have meant group:web.
func (c *catalog) selectors() []string {
	all := slices.Clone(c.names)
	for _, group := range c.groups {
		all = append(all, groupPrefix+group)
	}
	for _, server := range c.servers {
		all = append(all, mcpPrefix+server)
	}
	return all
}

func missing(kind, name, prefix string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	near := nearest.Nearest(name, known, 3)
	switch {
	case len(near) > 0:
		for i := range near {
			near[i] = prefix + near[i]
		}
		return fmt.Sprintf("there is no %s %q; the nearest are: %s", kind, abridge(name), strings.Join(near, ", "))
	case len(known) > 0:
		return fmt.Sprintf("there is no %s %q; there is only %s", kind, abridge(name), strings.Join(known, ", "))
	}
	return fmt.Sprintf("there is no %s %q, and no other", kind, abridge(name))
}
