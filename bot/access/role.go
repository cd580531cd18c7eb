package access

import "slices"

// Role is what a person may do. The order of rights is owner, admin, lead, member, guest.
type Role string

// Roles of people.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Lead   Role = "lead"
	Member Role = "member"
	Guest  Role = "guest"
)

// Roles lists all roles, the one with the most rights first.
func Roles() []Role { return []Role{Owner, Admin, Lead, Member, Guest} }

// rank is how far from all rights a role is. What is no role has none.
func (r Role) rank() int {
	if i := slices.Index(Roles(), r); i >= 0 {
		return i
	}
	return len(Roles())
}

// AtLeast tells whether r has the rights of least.
func (r Role) AtLeast(least Role) bool { return r.Known() && r.rank() <= least.rank() }

// Known tells whether r is a role.
func (r Role) Known() bool { return slices.Contains(Roles(), r) }

// MayGive tells whether somebody of role r may give role other to people, or take it from them. Admins do that up to
// lead; owners and admins are the owners' affair.
func (r Role) MayGive(other Role) bool {
	switch r {
	case Owner:
		return other.Known()
	case Admin:
		return other.Known() && !other.AtLeast(Admin)
	}
	return false
}
