package place

import "strings"

// NoSkills is the value of KeySkills that allows none. No skill can be called so.
const NoSkills = "-"

// SkillList is a list of skills as the value of a setting.
func SkillList(names []string) string {
	if len(names) == 0 {
		return NoSkills
	}
	return strings.Join(names, " ")
}

// Skills are those that may be used. limited is false when nothing is set: then all may.
func (e *Effective) Skills() (names []string, limited bool) {
	s := e.Get(KeySkills)
	if s == nil {
		return nil, false
	}
	return s.Skills(), true
}

// Skills are the names in the value of a setting.
func (s *Setting) Skills() []string {
	if s.Value == NoSkills {
		return nil
	}
	return strings.Fields(s.Value)
}
