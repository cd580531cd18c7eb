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

// registerCommands shows the program's commands in the menu of the bot: all of them to those who run a chat, the rest
// to everybody. Only a change is written.
func (c *Channel) registerCommands(ctx context.Context) {
	var everybody, admins []menuEntry
	for _, info := range c.env.Commands {
		e := menuEntry{info.Name, cut(info.Help, maxDescription)}
		admins = append(admins, e)
		if !info.Admins {
			everybody = append(everybody, e)
		}
	}
	c.registerMenu(ctx, `{"type":"default"}`, everybody)
	if len(admins) > len(everybody) {
		c.registerMenu(ctx, `{"type":"all_chat_administrators"}`, admins)
	}
}

func (c *Channel) registerMenu(ctx context.Context, scope string, want []menuEntry) {
	var have []menuEntry
	if err := c.brief(ctx, "getMyCommands", params{"scope": scope}, &have); err == nil && slices.Equal(have, want) {
		return
	}
	list, err := json.Marshal(append([]menuEntry{}, want...)) // no commands are an empty list
	if err == nil {
		err = c.brief(ctx, "setMyCommands", params{"commands": string(list), "scope": scope}, nil)
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
