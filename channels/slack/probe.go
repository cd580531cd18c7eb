package slack

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

var _ channels.Prober = (*Channel)(nil)

// NeededScopes are what a bot token must be allowed to do for all that the adapter does.
func NeededScopes() []string { return slices.Clone(neededScopes) }

// Probe implements channels.Prober.
func (c *Channel) Probe(ctx context.Context) []channels.Finding {
	var me *slackgo.AuthTestResponse
	err := c.api.call(ctx, "auth.test", "", func(ctx context.Context) (err error) {
		me, err = c.api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return append([]channels.Finding{c.refused("bot token", err)}, c.probeIncoming(ctx, "")...)
	}
	found := []channels.Finding{
		{Level: channels.OK, What: "bot token: @" + channels.OneLine(me.User) + " in " + channels.OneLine(me.Team)},
		scopesOf(me.Header),
	}
	return append(found, c.probeIncoming(ctx, me.BotID)...)
}

// probeIncoming checks how events come. bot is the id of the bot, if it is known.
func (c *Channel) probeIncoming(ctx context.Context, bot string) (found []channels.Finding) {
	if c.sockets {
		socket, app := c.probeSocket(ctx)
		found = append(found, socket)
		if bot != "" && app != "" {
			found = append(found, c.sameApp(ctx, bot, app)...)
		}
	}
	if c.hook != nil {
		found = append(found, channels.Finding{
			Level: channels.OK, What: "signing secret: it is set, for what Slack delivers to /hooks/" + c.name,
		})
	}
	return found
}

// appToken is how an app-level token begins: with the id of its app.
var appToken = regexp.MustCompile(`^Bearer xapp-\d+-(A[0-9A-Z]+)-`)

// probeSocket asks for the address of a socket, and does not use it. It also tells the app of the app-level token,
// which only slack-go's client knows: it is read from the request.
func (c *Channel) probeSocket(ctx context.Context) (found channels.Finding, app string) {
	err := c.api.call(ctx, openMethod, "", func(ctx context.Context) error {
		_, _, err := c.api.StartSocketModeContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaderField: func(key string, values []string) {
				if m := appToken.FindStringSubmatch(strings.Join(values, "")); m != nil && strings.EqualFold(key, "Authorization") {
					app = m[1]
				}
			},
		}))
		return err
	})
	if err != nil {
		return c.refused("app token", err), ""
	}
	return channels.Finding{Level: channels.OK, What: "app token: Slack lets it open sockets"}, app
}

// scopesOf compares what the app is allowed to do with what it needs.
func scopesOf(header http.Header) channels.Finding {
	told := header.Get("X-OAuth-Scopes")
	if told == "" {
		return channels.Finding{Level: channels.OK, What: "scopes: Slack does not tell them"}
	}
	have := strings.FieldsFunc(told, func(r rune) bool { return r == ',' || r == ' ' })
	var missing []string
	for _, scope := range neededScopes {
		if !slices.Contains(have, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) == 0 {
		return channels.Finding{Level: channels.OK, What: "scopes: it has all that it needs"}
	}
	return channels.Finding{
		Level: channels.Warn, What: "scopes: it lacks " + strings.Join(missing, ", "),
		Fix: "add them at https://api.slack.com/apps, the app, OAuth & Permissions, Bot Token Scopes, then press Reinstall " +
			"there; the token stays the same",
	}
}

// sameApp compares the app of the bot with that of the app-level token. When Slack does not tell, nothing is found.
func (c *Channel) sameApp(ctx context.Context, bot, app string) []channels.Finding {
	var info *slackgo.Bot
	err := c.api.call(ctx, "bots.info", "", func(ctx context.Context) (err error) {
		info, err = c.api.GetBotInfoContext(ctx, slackgo.GetBotInfoParameters{Bot: bot})
		return err
	})
	if err != nil || info.AppID == "" {
		return nil
	}
	if info.AppID != app {
		return []channels.Finding{{
			Level: channels.Fail,
			What: "tokens: they belong to two apps, " + channels.OneLine(info.AppID) + " (bot token) and " + app +
				" (app token)",
			Fix: "copy both from the same app at https://api.slack.com/apps",
		}}
	}
	return []channels.Finding{{Level: channels.OK, What: "tokens: both belong to the app " + app}}
}

// refused is the finding that Slack does not take a token, or does not answer.
func (c *Channel) refused(token string, err error) channels.Finding {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{text: c.api.hide(err.Error())}
	}
	app := f.method == openMethod
	fail := func(what, fix string) channels.Finding {
		return channels.Finding{Level: channels.Fail, What: token + ": " + what, Fix: fix}
	}
	switch {
	case f.retryAfter > 0:
		return fail("Slack asked to wait", "try again in a minute")
	case f.is("missing_scope") && app:
		return fail("it lacks the scope connections:write",
			"make a new one under Basic Information, App-Level Tokens, with that scope")
	case app && f.is(linkDisabled, "forbidden_team"):
		return fail("Socket Mode is switched off for the app", "switch it on under Socket Mode in the app's settings")
	case f.badToken() && app:
		return fail("Slack does not take it ("+f.code+")",
			"make a new one with connections:write under Basic Information, App-Level Tokens")
	case f.badToken():
		return fail("Slack does not take it ("+f.code+")",
			"reinstall the app and copy the Bot User OAuth Token (xoxb-) from OAuth & Permissions")
	case f.status == http.StatusNotFound, f.status == http.StatusOK && f.code == "":
		return fail("what answers is not Slack", "see to api_url, and to proxies between this machine and Slack")
	case f.code != "":
		return fail("Slack refuses: "+f.code, "see https://api.slack.com/methods/"+f.method+"#errors")
	}
	return fail("Slack can't be asked: "+channels.OneLine(f.Error()),
		"check the network of this machine, and api_url if it is set")
}
