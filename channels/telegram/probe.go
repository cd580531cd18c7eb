package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

var _ channels.Prober = (*Channel)(nil)

// probed is what Telegram tells a bot about itself.
type probed struct {
	Username string `json:"username"`
	CanJoin  bool   `json:"can_join_groups"`
	ReadsAll bool   `json:"can_read_all_group_messages"`
}

// webhookInfo is what Telegram tells of its deliveries.
type webhookInfo struct {
	URL     string `json:"url"`
	Waiting int    `json:"pending_update_count"`
	FailAt  int64  `json:"last_error_date"` // Unix seconds
	Failure string `json:"last_error_message"`
}

// recentFailure is how long a failed delivery counts while nothing waits.
const recentFailure = 10 * time.Minute

// Probe implements channels.Prober. Whether another program polls with the same token is not asked: the question
// itself would take updates away from it.
func (c *Channel) Probe(ctx context.Context) []channels.Finding { return c.ProbeFor(ctx, false) }

// ProbeFor is Probe for a bot that is to answer always in some group, or in none.
func (c *Channel) ProbeFor(ctx context.Context, always bool) []channels.Finding {
	var me probed
	if err := c.brief(ctx, "getMe", nil, &me); err != nil {
		return []channels.Finding{c.unknown(err)}
	}
	found := []channels.Finding{{Level: channels.OK, What: "bot token: @" + me.Username}}
	if me.CanJoin {
		found = append(found, channels.Finding{Level: channels.OK, What: "groups: it can be added to them"})
	} else {
		found = append(found, channels.Finding{
			Level: channels.Warn, What: "groups: it can't be added to any",
			Fix: fmt.Sprintf("send @BotFather /setjoingroups, choose @%s, then Enable", me.Username),
		})
	}
	return append(found, privacy(me, always), c.probeHook(ctx))
}

// unknown is the finding that Telegram does not say who the bot is.
func (c *Channel) unknown(err error) channels.Finding {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{text: c.api.hide(err.Error())}
	}
	switch f.code {
	case http.StatusUnauthorized, http.StatusNotFound:
		return channels.Finding{
			Level: channels.Fail, What: "bot token: Telegram does not know it",
			Fix: "copy it again from @BotFather: /mybots, the bot, API Token",
		}
	case http.StatusTooManyRequests:
		return channels.Finding{Level: channels.Fail, What: "bot token: Telegram asked to wait", Fix: "try again in a minute"}
	}
	return channels.Finding{
		Level: channels.Fail, What: "bot token: Telegram can't be asked: " + channels.OneLine(f.Error()),
		Fix: "check the network of this machine, and api_url if it is set",
	}
}

// privacy tells what the bot sees in groups.
func privacy(me probed, always bool) channels.Finding {
	switch {
	case me.ReadsAll:
		return channels.Finding{Level: channels.OK, What: "privacy mode is off: it sees all messages in groups"}
	case !always:
		return channels.Finding{
			Level: channels.OK,
			What:  "privacy mode is on: in groups it sees mentions, replies to it and commands, which is enough to answer those",
		}
	}
	return channels.Finding{
		Level: channels.Warn, What: "privacy mode is on, so it can't answer always where it is told to: it sees only " +
			"mentions, replies to it and commands",
		Fix: fmt.Sprintf("send @BotFather /setprivacy, choose @%s, then Disable; then remove the bot from each group and "+
			"add it again", me.Username),
	}
}

// probeHook compares how updates are to come with how Telegram sends them.
func (c *Channel) probeHook(ctx context.Context) channels.Finding {
	var info webhookInfo
	if err := c.brief(ctx, "getWebhookInfo", nil, &info); err != nil {
		return channels.Finding{
			Level: channels.Warn, What: "updates: Telegram does not tell about a webhook: " + channels.OneLine(err.Error()),
			Fix: "try again in a minute",
		}
	}
	if c.hook == nil {
		return c.probePolling(info)
	}
	failing := info.Failure != "" && (info.Waiting > 0 || time.Since(time.Unix(info.FailAt, 0)) < recentFailure)
	switch {
	case info.URL == "":
		return channels.Finding{
			Level: channels.Warn, What: "updates: the webhook is not set yet", Fix: "start `leadhand serve`, which sets it",
		}
	case info.URL != c.hook.url:
		return channels.Finding{
			Level: channels.Warn, What: "updates: they go to another webhook, at " + hostOf(info.URL),
			Fix: "stop the program that set it, then start `leadhand serve` again",
		}
	case failing:
		return channels.Finding{
			Level: channels.Fail,
			What: fmt.Sprintf("updates: %d wait, because the webhook fails: %s", info.Waiting,
				channels.OneLine(c.api.hide(info.Failure))),
			Fix: "let " + hostOf(info.URL) + " lead to where `leadhand serve` listens, over HTTPS",
		}
	}
	return channels.Finding{Level: channels.OK, What: "updates: they are delivered to the webhook"}
}

// probePolling looks for a webhook that keeps updates from being polled.
func (c *Channel) probePolling(info webhookInfo) channels.Finding {
	switch {
	case info.URL == "":
		return channels.Finding{Level: channels.OK, What: "updates: they are polled, and no webhook is in the way"}
	case strings.HasSuffix(info.URL, hookPath(c.name)):
		return channels.Finding{
			Level: channels.Warn, What: "updates: a webhook of an earlier configuration is set",
			Fix: "start `leadhand serve`, which removes it",
		}
	}
	server := PublicAPI
	if c.api.base != PublicAPI {
		server = "https://" + hostOf(c.api.base)
	}
	return channels.Finding{
		Level: channels.Fail, What: "updates: they can't be polled, because a webhook is set, at " + hostOf(info.URL),
		Fix: "stop the program that set it, then open " + server + "/bot<TOKEN>/deleteWebhook with the bot's token in the " +
			"place of <TOKEN>",
	}
}

// hostOf is the host of a URL. The rest may hold a secret.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "another place"
	}
	return u.Host
}

// Invite is how people get to the bot: with a code, the first link claims it.
func (c *Channel) Invite(ctx context.Context, code string) ([]string, error) {
	var me probed
	if err := c.brief(ctx, "getMe", nil, &me); err != nil {
		return nil, err
	}
	direct := "https://t.me/" + me.Username
	if code != "" {
		direct += "?start=" + code
	}
	return []string{
		"Talk to it: " + direct,
		"Add it to a group: https://t.me/" + me.Username + "?startgroup=",
	}, nil
}
