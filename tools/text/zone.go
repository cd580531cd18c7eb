package text

import (
	_ "embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // small containers have no zone files of their own

	"github.com/leadhand/leadhand/tools/nearest"
)

// zoneNames are the names in Go's own copy of the IANA database (lib/time/zoneinfo.zip), one a line; the time package
// can load them but not list them.
//
//go:embed zones.txt
var zoneNames string

var offset = regexp.MustCompile(`^(?i:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$`)

// maxOffset is the largest distance from UTC in seconds that is in use anywhere, 14 hours.
const maxOffset = 14 * 60 * 60

// findZone accepts a name in any case, a city that only one zone is named for, and an offset. The error tells how to
// write a zone.
func findZone(written string) (*time.Location, error) {
	written = strings.TrimSpace(written)
	if m := offset.FindStringSubmatch(written); m != nil {
		return fixed(m[1], m[2], m[3])
	}
	wanted := strings.ReplaceAll(written, " ", "_")
	names := strings.Fields(zoneNames)
	var cities []string
	for _, name := range names {
		if strings.EqualFold(name, wanted) {
			return time.LoadLocation(name)
		}
		if strings.EqualFold(path.Base(name), wanted) {
			cities = append(cities, name)
		}
	}
	if len(cities) == 1 {
		return time.LoadLocation(cities[0])
	}
	if len(cities) == 0 {
		cities = similar(wanted, names)
	}
	if len(cities) > 0 {
		return nil, fmt.Errorf("there is no time zone %.60q; did you mean %s?", written, strings.Join(cities, ", "))
	}
	return nil, fmt.Errorf("there is no time zone %.60q; write one as Europe/Berlin or as +02:00", written)
}

// similar finds zones by the whole name and by the city alone.
func similar(wanted string, names []string) []string {
	if near := nearest.Nearest(wanted, names, 3); len(near) > 0 {
		return near
	}
	city := path.Base(wanted)
	var found []string
	for _, name := range names {
		if len(nearest.Nearest(city, []string{path.Base(name)}, 1)) > 0 && len(found) < 3 {
			found = append(found, name)
		}
	}
	return found
}

func fixed(sign, hours, minutes string) (*time.Location, error) {
	h, err := strconv.Atoi(hours)
	if err != nil {
		return nil, fmt.Errorf("read the offset: %w", err)
	}
	seconds := h * 60 * 60
	if minutes != "" {
		m, err := strconv.Atoi(minutes)
		if err != nil {
			return nil, fmt.Errorf("read the offset: %w", err)
		}
		seconds += m * 60
	}
	if seconds > maxOffset {
		return nil, errors.New("no time zone is further than 14 hours from UTC")
	}
	if sign == "-" {
		seconds = -seconds
	}
	return time.FixedZone(time.Time{}.In(time.FixedZone("", seconds)).Format("UTC-07:00"), seconds), nil
}
