package discord

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

var _ channels.Prober = (*Channel)(nil)

// application is what Discord tells a bot about its application.
type application struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Flags int    `json:"flags"`
	Bot   struct {
		Username string `json:"username"`
	} `json:"bot"`
	Servers  *int   `json:"approximate_guild_count"` // nil when it is not told
	Endpoint string `json:"interactions_endpoint_url"`
}

// Flags of an application that may read what people write. The second is that of bots in less than 100 servers.
const (
	readsContent        = 1 << 18
	readsContentLimited = 1 << 19
)

// permissions are the rights that the bot asks for when it is invited.
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages |
	discordgo.PermissionEmbedLinks | discordgo.PermissionAttachFiles | discordgo.PermissionReadMessageHistory |
	discordgo.PermissionAddReactions | discordgo.PermissionCreatePublicThreads |
	discordgo.PermissionSendMessagesInThreads

const portal = "https://discord.com/developers/applications/"

func (c *Channel) application(ctx context.Context) (application, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var app application
	err := c.api.call(ctx, request{
		op: "read the application", verb: http.MethodGet, url: discordgo.EndpointApplications + "/@me",
	}, &app)
	return app, err
}

// Probe implements channels.Prober.
func (c *Channel) Probe(ctx context.Context) []channels.Finding {
	app, err := c.application(ctx)
	if err != nil {
		return []channels.Finding{c.unknown(err)}
	}
	found := []channels.Finding{{
		Level: channels.OK,
		What: "bot token: " + channels.OneLine(cmp.Or(app.Bot.Username, app.Name)) +
			" (application " + channels.OneLine(app.ID) + ")",
	}}
	if app.Flags&(readsContent|readsContentLimited) != 0 {
		found = append(found, channels.Finding{Level: channels.OK, What: "intents: Message Content is on"})
	} else {
		found = append(found, channels.Finding{
			Level: channels.Fail, What: "intents: Message Content is off, so Discord refuses the connection",
			Fix: "switch on Message Content Intent at " + portal + channels.OneLine(app.ID) + "/bot, Privileged Gateway Intents",
		})
	}
	found = append(found, app.servers()...)
	if u, err := url.Parse(app.Endpoint); app.Endpoint != "" {
		host := "another program"
		if err == nil && u.Host != "" {
			host = u.Host
		}
		found = append(found, channels.Finding{
			Level: channels.Warn, What: "interactions: commands and buttons go to " + host + ", and not to this bot",
			Fix: "clear Interactions Endpoint URL at " + portal + channels.OneLine(app.ID) + "/information",
		})
	}
	return append(found, c.probeCommands(ctx, app.ID))
}

// servers tells in how many the bot is, if Discord does.
func (a application) servers() []channels.Finding {
	switch {
	case a.Servers == nil:
		return nil
	case *a.Servers == 0:
		return []channels.Finding{{
			Level: channels.Warn, What: "servers: it is in none", Fix: "invite it: " + a.invite(),
		}}
	}
	return []channels.Finding{{Level: channels.OK, What: fmt.Sprintf("servers: it is in %d", *a.Servers)}}
}

func (a application) invite() string {
	return "https://discord.com/oauth2/authorize?client_id=" + url.QueryEscape(a.ID) +
		"&scope=bot+applications.commands&permissions=" + strconv.FormatInt(permissions, 10)
}

// probeCommands compares the menu of commands with that of this program; when this program's is not known, it only
// looks whether there is one.
func (c *Channel) probeCommands(ctx context.Context, app string) channels.Finding {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	where := discordgo.EndpointApplicationGlobalCommands(app)
	if c.conf.Guild != "" {
		where = discordgo.EndpointApplicationGuildCommands(app, c.conf.Guild)
	}
	var have []slashCommand
	if err := c.api.call(ctx, request{op: "read commands", verb: http.MethodGet, url: where}, &have); err != nil {
		return channels.Finding{
			Level: channels.Warn, What: "commands: Discord does not tell them: " + channels.OneLine(c.api.hide(err.Error())),
			Fix: "invite it anew with the scope applications.commands; with guild set, see that it is in that server",
		}
	}
	slices.SortFunc(have, func(a, b slashCommand) int { return cmp.Compare(a.Name, b.Name) })
	const fix = "start `leadhand serve`, which registers them"
	switch {
	case !slices.ContainsFunc(have, func(s slashCommand) bool { return s.Name == commandName }):
		return channels.Finding{Level: channels.Warn, What: "commands: /" + commandName + " is not registered yet", Fix: fix}
	case len(c.env.Commands) > 0 && !reflect.DeepEqual(have, c.slashCommands()):
		return channels.Finding{Level: channels.Warn, What: "commands: those of another version are registered", Fix: fix}
	}
	return channels.Finding{Level: channels.OK, What: "commands: /" + commandName + " is registered"}
}

// unknown is the finding that Discord does not say who the bot is.
func (c *Channel) unknown(err error) channels.Finding {
	f := asFailure(err)
	fail := func(what, fix string) channels.Finding {
		return channels.Finding{Level: channels.Fail, What: "bot token: " + what, Fix: fix}
	}
	switch f.status {
	case http.StatusUnauthorized:
		return fail("Discord does not know it",
			"press Reset Token at "+strings.TrimSuffix(portal, "/")+", the application, Bot, and take the new one")
	case http.StatusTooManyRequests:
		return fail("Discord asked to wait", "try again in a minute")
	case http.StatusNotFound, http.StatusOK:
		return fail("what answers is not Discord", "see to api_url, and to proxies between this machine and Discord")
	}
	return fail("Discord can't be asked: "+channels.OneLine(c.api.hide(err.Error())),
		"check the network of this machine, and api_url if it is set")
}

// Invite is how people get to the bot. Discord has no link that carries a code.
func (c *Channel) Invite(ctx context.Context, _ string) ([]string, error) {
	app, err := c.application(ctx)
	if err != nil {
		return nil, err
	}
	return []string{
		"Invite it to a server: " + app.invite(),
		"Talk to it: in a server that you share, open its profile and write a message; in a channel, mention it.",
	}, nil
}
