package text_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/text"
)

// tell calls datetime at noon UTC of 1 January 2027 with Tokyo as the default zone.
func tell(t *testing.T, zone string) *tools.Result {
	t.Helper()
	now := func() time.Time { return time.Date(2027, 1, 1, 12, 0, 5, 0, time.UTC) }
	plan, err := tools.BuildPlan(text.Tools(time.FixedZone("Asia/Tokyo", 9*60*60), now), tools.Signals{})
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{}
	if zone != "" {
		in["zone"] = zone
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var result *tools.Result
	call := &tools.Call{Name: "datetime", Args: raw}
	err = new(tools.Pipeline).Run(t.Context(), plan, []*tools.Call{call}, func(_ int, r *tools.Result) error {
		result = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestDatetime(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"": "2027-01-01T21:00:05+09:00\nFriday, 1 January 2027, 21:00 (week 53 of 2026)\nzone Asia/Tokyo, UTC+09:00",
		"Europe/Berlin": "2027-01-01T13:00:05+01:00\nFriday, 1 January 2027, 13:00 (week 53 of 2026)\n" +
			"zone Europe/Berlin, UTC+01:00",
		"europe/berlin":    "zone Europe/Berlin, UTC+01:00",
		"Berlin":           "zone Europe/Berlin, UTC+01:00",
		"New York":         "zone America/New_York, UTC-05:00",
		"UTC":              "2027-01-01T12:00:05Z",
		"utc":              "zone UTC, UTC+00:00",
		"+02:00":           "2027-01-01T14:00:05+02:00",
		"UTC-0930":         "zone UTC-09:30, UTC-09:30",
		"gmt+5":            "zone UTC+05:00, UTC+05:00",
		"+14":              "Saturday, 2 January 2027",
		"Pacific/Chatham":  "zone Pacific/Chatham, UTC+13:45",
		" Asia/Kolkata ":   "zone Asia/Kolkata, UTC+05:30",
		"America/St_Johns": "UTC-03:30",
	} {
		if r := tell(t, zone); r.IsError || !strings.Contains(r.ForModel, want) {
			t.Errorf("%q gives %q, want %q", zone, r.ForModel, want)
		}
	}
}

func TestDatetimeTellsHowToWriteAZone(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"Europe/Brelin":            "Europe/Berlin",
		"Berlinn":                  "Europe/Berlin",
		"Mars/Olympus":             "write one as Europe/Berlin or as +02:00",
		"Local":                    "there is no time zone",
		"../../etc/passwd":         "there is no time zone",
		"/etc/localtime":           "there is no time zone",
		"+15":                      "14 hours",
		"+99:99":                   "there is no time zone",
		strings.Repeat("x", 10000): "there is no time zone",
	} {
		r := tell(t, zone)
		if !r.IsError || !strings.Contains(r.ForModel, want) || len(r.ForModel) > 250 {
			t.Errorf("%.30q gives %q, want an error with %q", zone, r.ForModel, want)
		}
	}
}

func TestEveryListedZoneCanBeShown(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Africa/Abidjan", "Zulu", "EST5EDT", "Etc/GMT+12", "W-SU"} {
		if r := tell(t, zone); r.IsError {
			t.Errorf("%s: %s", zone, r.ForModel)
		}
	}
}
