package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/leadhand/leadhand/bot/app"
	"github.com/leadhand/leadhand/channels"
)

type doctorCmd struct {
	place
	JSON bool `help:"Print a JSON array."`
}

// Help is shown by `leadhand doctor --help`.
func (*doctorCmd) Help() string {
	return `Checks the configuration, the database, the models, the messengers, and who may talk to the bot. Each line is
OK, WARN or FAIL with what to do about it. It changes nothing, and works while the bot runs.

The exit code is 0 when all is well, 1 with a WARN, 2 with a FAIL.`
}

// exitCode ends the program without a word: what is to be said was printed.
type exitCode int

func (e exitCode) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// finding is one finding in JSON.
type finding struct {
	Level channels.Level `json:"level"`
	What  string         `json:"what"`
	Fix   string         `json:"fix,omitempty"`
}

// Run checks.
func (c *doctorCmd) Run(ctx context.Context) error {
	found := app.Doctor(ctx, app.Flags{Config: c.Config, Data: c.Data}, app.OSEnviron())
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.JSON {
		all := make([]finding, len(found))
		for i, f := range found {
			all[i] = finding(f)
		}
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(all); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Println(app.Line(f))
		}
	}
	switch app.Worst(found) {
	case channels.Fail:
		return exitCode(exitFound)
	case channels.Warn:
		return exitCode(exitDoubt)
	}
	return nil
}
