package place

import "strings"

// Who is who may talk to the bot in a place.
type Who string

// Who may talk. Owners and admins always may, so that nobody locks themselves out.
const (
	Members  Who = "members"  // people who were let in
	Everyone Who = "everyone" // whoever can write there; strangers are guests
	Listed   Who = "list"     // those people alone
)

// List is the value of KeyWho that lets only these people talk, by id.
func List(ids []string) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = listEscape.Replace(id)
	}
	return string(Listed) + " " + strings.Join(words, " ")
}

// An id of a platform may hold anything.
var (
	listEscape   = strings.NewReplacer("%", "%25", " ", "%20")
	listUnescape = strings.NewReplacer("%25", "%", "%20", " ")
)

// Who is who may talk.
func (e *Effective) Who() Who {
	word, _, _ := strings.Cut(e.value(KeyWho, string(Members)), " ")
	return Who(word)
}

// People are the ids of those who may talk where only listed people may.
func (e *Effective) People() []string {
	s := e.Get(KeyWho)
	if s == nil {
		return nil
	}
	return s.People()
}

// People are the ids that the setting lists.
func (s *Setting) People() []string {
	word, rest, _ := strings.Cut(s.Value, " ")
	if Who(word) != Listed {
		return nil
	}
	ids := strings.Fields(rest)
	for i := range ids {
		ids[i] = listUnescape.Replace(ids[i])
	}
	return ids
}
