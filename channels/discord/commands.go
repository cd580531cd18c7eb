package discord

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

const (
	commandName    = "lead"        // what all subcommands stand behind
	makeTask       = "Make a task" // in the menu of a message
	askCommand     = "ask"
	textOption     = "text"
	maxDescription = 100 // characters
	maxCommands    = 25  // subcommands
)

// Types of commands and options.
const (
	typedCommand   = 1
	messageCommand = 3
	subcommand     = 1
	textValue      = 3
)

type slashCommand struct {
	Type        int           `json:"type"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Options     []slashOption `json:"options,omitempty"`
}

type slashOption struct {
	Type        int           `json:"type"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Required    bool          `json:"required,omitempty"`
	Suggests    bool          `json:"autocomplete,omitempty"`
	Options     []slashOption `json:"options,omitempty"`
}

var commandForm = regexp.MustCompile(`^[-_\p{L}\p{N}]{1,32}$`)

// slashCommands is the menu of the bot: /lead with what the program can be told, and /lead ask for everything else. The
// menu of a message has an entry too.
func (c *Channel) slashCommands() []slashCommand {
	sub := func(name, help, what string, required bool) slashOption {
		return slashOption{
			Type: subcommand, Name: name, Description: cut(cmp.Or(help, name), maxDescription),
			Options: []slashOption{{Type: textValue, Name: textOption, Description: what, Required: required}},
		}
	}
	options := []slashOption{sub(askCommand, "ask something, or say what to do", "what you want", true)}
	for _, info := range c.env.Commands {
		if info.Name == askCommand { // which is there
			continue
		}
		fits := commandForm.MatchString(info.Name) && strings.ToLower(info.Name) == info.Name
		if !fits || len(options) == maxCommands {
			c.env.Log.Warn("a command can't be shown in the menu", "command", info.Name)
			continue
		}
		more := sub(info.Name, info.Help, "more about it, if it needs more", false)
		more.Options[0].Suggests = c.env.Complete != nil
		options = append(options, more)
	}
	return []slashCommand{
		{Type: messageCommand, Name: makeTask},
		{Type: typedCommand, Name: commandName, Description: "talk to the team's lead", Options: options},
	}
}

// registerCommands shows the program's commands in the menu of the bot. Only a change is written: Discord takes 200 a
// day.
func (c *Channel) registerCommands(ctx context.Context, application string) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	url := discordgo.EndpointApplicationGlobalCommands(application)
	if c.conf.Guild != "" {
		url = discordgo.EndpointApplicationGuildCommands(application, c.conf.Guild)
	}
	want := c.slashCommands()
	var have []slashCommand
	err := c.api.call(ctx, request{op: "read commands", verb: http.MethodGet, url: url}, &have)
	slices.SortFunc(have, func(a, b slashCommand) int { return cmp.Compare(a.Name, b.Name) })
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
