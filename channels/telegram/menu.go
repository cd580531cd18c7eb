package telegram

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// maxDescription is in characters how long the description of a command may be.
const maxDescription = 256

type menuEntry struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// registerCommands shows the program's commands in the menu of the bot. Only a change is written.
func (c *Channel) registerCommands(ctx context.Context) {
	want := make([]menuEntry, 0, len(c.env.Commands))
	for _, info := range c.env.Commands {
		want = append(want, menuEntry{info.Name, cut(info.Help, maxDescription)})
	}
	var have []menuEntry
	if err := c.brief(ctx, "getMyCommands", nil, &have); err == nil && slices.Equal(have, want) {
		return
	}
	list, err := json.Marshal(want)
	if err == nil {
		err = c.brief(ctx, "setMyCommands", params{"commands": string(list)}, nil)
	}
	if err != nil && ctx.Err() == nil {
		c.env.Log.Warn("the menu of commands could not be set", "err", err)
	}
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
