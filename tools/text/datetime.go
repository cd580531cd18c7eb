package text

import (
	"context"
	"fmt"
	"time"

	"github.com/leadhand/leadhand/tools"
)

type clock struct {
	zone *time.Location
	now  func() time.Time
}

type datetimeParams struct {
	Zone string `json:"zone,omitempty" jsonschema:"time zone such as Europe/Berlin, or an offset such as +02:00"`
}

func (c clock) datetime() tools.Tool {
	return tools.New(tools.Descriptor{
		Name:        "datetime",
		Label:       "looking at the clock",
		Description: "Tell the current date and time, the weekday and the time zone.",
		Group:       group,
		Effect:      tools.ReadOnly,
	}, c.tell)
}

func (c clock) tell(_ context.Context, _ *tools.Call, in datetimeParams) (*tools.Result, error) {
	zone := c.zone
	if in.Zone != "" {
		var err error
		if zone, err = findZone(in.Zone); err != nil {
			return nil, err
		}
	}
	t := c.now().In(zone)
	year, week := t.ISOWeek()
	return tools.Text(fmt.Sprintf("%s\n%s (week %d of %d)\nzone %s, UTC%s", t.Format(time.RFC3339),
		t.Format("Monday, 2 January 2006, 15:04"), week, year, zone, t.Format("-07:00"))), nil
}
