package slack

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
	slackgo "github.com/slack-go/slack"
)

// account is who the bot is.
type account struct {
	user, bot, team, name string
}

// neededScopes are what the bot token must be allowed to do.
var neededScopes = []string{
	"app_mentions:read", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history",
	"im:history", "mpim:history", "reactions:write", "users:read",
}

const retryMax = 30 * time.Second

// introduce asks who the bot is until Slack tells.
func (c *Channel) introduce(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; failures++ {
		var me *slackgo.AuthTestResponse
		err := c.api.call(ctx, "auth.test", "", func(ctx context.Context) (err error) {
			me, err = c.api.AuthTestContext(ctx)
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				channels.Sleep(ctx, c.complain(ctx, err, failures))
			}
			continue
		}
		c.me.Store(&account{user: me.UserID, bot: me.BotID, team: me.TeamID, name: me.User})
		c.env.Log.Info("connected to Slack", "bot", "@"+me.User, "team", me.Team)
		c.compareScopes(ctx, me.Header)
		return
	}
}

// compareScopes names what the app is not allowed to do. A server that tells nothing of scopes is believed.
func (c *Channel) compareScopes(ctx context.Context, header http.Header) {
	told := header.Get("X-OAuth-Scopes")
	if told == "" {
		return
	}
	have := strings.FieldsFunc(told, func(r rune) bool { return r == ',' || r == ' ' })
	var missing []string
	for _, scope := range neededScopes {
		if !slices.Contains(have, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) == 0 {
		return
	}
	text := "the Slack app lacks scopes: add " + strings.Join(missing, ", ") +
		" under OAuth & Permissions and reinstall the app"
	c.env.Log.Warn(text)
	c.notice(ctx, text)
}

// complain logs why Slack can't be talked to and returns how long to wait.
func (c *Channel) complain(ctx context.Context, err error, failures int) time.Duration {
	wait := channels.Backoff(failures, c.pace.retry, retryMax)
	f, ok := err.(*failure) //nolint:errorlint // calls return nothing else
	if !ok {
		f = &failure{method: "connect", text: c.api.hide(err.Error())}
	}
	wait = max(wait, f.retryAfter)
	words, fix := "Slack can't be reached", ""
	app := f.method == openMethod
	switch {
	case f.retryAfter > 0:
		words = "Slack asked to wait"
	case f.is("missing_scope") && app:
		fix = "app_token lacks the scope connections:write: make a new app-level token under Basic Information"
	case f.is(linkDisabled), f.is("forbidden_team") && app:
		fix = "Socket Mode is switched off for the app: switch it on under Socket Mode in the app's settings"
	case f.badToken() && app:
		fix = "Slack does not take app_token: make an app-level token with connections:write under Basic Information"
	case f.badToken():
		fix = "Slack does not take bot_token: reinstall the app and copy the Bot User OAuth Token " +
			"from OAuth & Permissions"
	case f.status == http.StatusNotFound, f.status == http.StatusOK && f.code == "":
		words = "what answers is not Slack: see to api_url"
	}
	if fix != "" {
		words, wait = fix, min(max(wait, c.pace.fault), retryMax)
		c.notice(ctx, fix)
	}
	c.env.Log.Error(words, "again_in", wait, "err", f)
	return wait
}
