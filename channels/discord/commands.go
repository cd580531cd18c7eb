package discord

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/bwmarrin/discordgo"
)

const (
	commandName    = "lead" // what all subcommands stand behind
	askCommand     = "ask"
	textOption     = "text"
	maxDescription = 100 // characters
	maxCommands    = 25  // subcommands
)

// Types of commands and options.
const (
	typedCommand = 1
	subcommand   = 1
	textValue    = 3
)

type slashCommand struct {
	Type        int           `json:"type"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Options     []slashOption `json:"options,omitempty"`
}

type slashOption struct {
	Type        int           `json:"type"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Required    bool          `json:"required,omitempty"`
	Options     []slashOption `json:"options,omitempty"`
}

var commandForm = regexp.MustCompile(`^[-_\p{L}\p{N}]{1,32}$`)

// slashCommands is the menu of the bot: /lead with what the program can be told, and /lead ask for everything else.
func (c *Channel) slashCommands() []slashCommand {
	sub := func(name, help, what string, required bool) slashOption {
		return slashOption{
			Type: subcommand, Name: name, Description: cut(cmp.Or(help, name), maxDescription),
			Options: []slashOption{{Type: textValue, Name: textOption, Description: what, Required: required}},
		}
	}
	options := []slashOption{sub(askCommand, "ask something, or say what to do", "what you want", true)}
	for _, info := range c.env.Commands {
		fits := commandForm.MatchString(info.Name) && strings.ToLower(info.Name) == info.Name && info.Name != askCommand
		if !fits || len(options) == maxCommands {
			c.env.Log.Warn("a command can't be shown in the menu", "command", info.Name)
			continue
		}
		options = append(options, sub(info.Name, info.Help, "more about it, if it needs more", false))
	}
	return []slashCommand{{
		Type: typedCommand, Name: commandName, Description: "talk to the team's lead", Options: options,
	}}
}

// registerCommands shows the program's commands in the menu of the bot. Only a change is written: Discord takes 200 a
// day.
func (c *Channel) registerCommands(ctx context.Context, application string) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	url := discordgo.EndpointApplicationGlobalCommands(application)
	if c.guild != "" {
		url = discordgo.EndpointApplicationGuildCommands(application, c.guild)
	}
	want := c.slashCommands()
	var have []slashCommand
	err := c.api.call(ctx, request{op: "read commands", verb: http.MethodGet, url: url}, &have)
	if err == nil && reflect.DeepEqual(have, want) {
		return
	}
	if err == nil {
		err = c.api.call(ctx, request{op: "register commands", verb: http.MethodPut, url: url, body: want}, nil)
	}
	if err != nil && ctx.Err() == nil {
		c.env.Log.Warn("the menu of commands could not be set", "err", err)
	}
}
