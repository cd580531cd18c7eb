package tools

import (
	"fmt"
	"strings"

	"github.com/leadhand/leadhand/tools/nearest"
)

// Names of the profiles.
const (
	ProfileFull      = "full"      // every tool; also when no profile is named
	ProfileCoding    = "coding"    // work on files, with commands
	ProfileMessaging = "messaging" // talk to people and read
	ProfileMinimal   = "minimal"   // say how the session stands
)

// Profiles are the names of all profiles, from the widest to the narrowest.
func Profiles() []string {
	return []string{ProfileFull, ProfileCoding, ProfileMessaging, ProfileMinimal}
}

// ProfileSelectors are what a profile allows; ok is false for a profile that is not known. They may name tools that do
// not exist yet.
func ProfileSelectors(profile string) (selectors []string, ok bool) {
	switch profile {
	case ProfileFull:
		return []string{everything}, true
	case ProfileCoding:
		return []string{
			"group:fs", "group:runtime", "group:sessions", "group:memory", "group:web",
			"read_image", "create_image", "skill_search", "use_skill",
		}, true
	case ProfileMessaging:
		return []string{ // of the sessions only what reads
			"group:messaging", "group:web", "sessions_list", "sessions_history", "session_status",
			"read_image", "skill_search", "use_skill",
		}, true
	case ProfileMinimal:
		return []string{"session_status"}, true
	}
	return nil, false
}

func checkProfile(profile string) error {
	if _, ok := ProfileSelectors(profile); ok || profile == "" {
		return nil
	}
	known := Profiles()
	if near := nearest.Nearest(profile, known, 1); len(near) > 0 {
		return fmt.Errorf("there is no profile %q; the nearest is %s", abridge(profile), near[0])
	}
	return fmt.Errorf("there is no profile %q; there is only %s", abridge(profile), strings.Join(known, ", "))
}
