package access

import "github.com/leadhand/leadhand/tools"

// RoleRules are the tools that people of a role may not have used for them, as selectors.
type RoleRules map[Role][]string

// DefaultRoleRules keep what runs commands on the machine to leads and above.
func DefaultRoleRules() RoleRules {
	return RoleRules{Member: {"group:runtime"}, Guest: {"group:runtime"}}
}

// Gate is the rule for a run on behalf of a person of a role. A role that is none may use no tools.
func (r RoleRules) Gate(role Role) tools.Gate {
	layer := "you (" + string(role) + ")"
	if !role.Known() {
		return tools.ListGate("you (nobody known)", "", tools.Allowlist{Limited: true})
	}
	return tools.ListGate(layer, "", tools.Allowlist{Denied: r[role]})
}
