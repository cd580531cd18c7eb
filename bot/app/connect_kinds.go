package app

import (
	"encoding/json"
	"net/url"
	"strings"
)

// connector is what a person has to do, and to give, for one kind of messenger.
type connector struct {
	title   string
	steps   func(minimal bool) string
	secrets []wanted
	next    string // what is left to do at the end
}

// wanted is one secret of a channel.
type wanted struct {
	setting, question string
	unless            string // a setting that makes this one needless
	quiet             bool   // it is never asked for
}

// connectors are the messengers that people can connect, by kind.
func connectors() map[string]connector {
	return map[string]connector{
		"telegram": {
			title: "Telegram", steps: telegramSteps,
			secrets: []wanted{{setting: "bot_token", question: "Bot token of @BotFather (hidden): "}},
		},
		"slack": {
			title: "Slack", steps: slackSteps,
			secrets: []wanted{
				{setting: "bot_token", question: "Bot User OAuth Token, xoxb-… (hidden): "},
				{setting: "signing_secret", quiet: true},
				{setting: "app_token", question: "App-level token, xapp-… (hidden): ", unless: "signing_secret"},
			},
			next: "In Slack: open the app under Apps and write to it; in a channel, /invite it and mention it.",
		},
		"discord": {
			title: "Discord", steps: discordSteps,
			secrets: []wanted{{setting: "bot_token", question: "Bot token (hidden): "}},
		},
	}
}

func telegramSteps(bool) string {
	return `1. Open https://t.me/BotFather and send /newbot. It asks for a name and a username, then shows a token.
2. Give the token here.
`
}

func discordSteps(bool) string {
	return `1. Open https://discord.com/developers/applications and press New Application.
2. Under Bot, switch on Message Content Intent, then press Reset Token and copy the token.
3. Give the token here; the link that invites the bot is shown then.
`
}

func slackSteps(minimal bool) string {
	return "1. Open this link, choose the workspace, and press Create:\n\n   " + slackLink(minimal) + `

2. Under Install App press Install, and copy the Bot User OAuth Token (xoxb-…).
3. Under Basic Information, App-Level Tokens, make a token with the scope connections:write (xapp-…).
4. Give both here.
`
}

// slackLink makes a Slack app of the manifest.
func slackLink(minimal bool) string {
	raw, err := json.Marshal(slackManifest(minimal))
	if err != nil { // texts and lists always can be
		return "https://api.slack.com/apps?new_app=1"
	}
	manifest := strings.ReplaceAll(url.QueryEscape(string(raw)), "+", "%20")
	return "https://api.slack.com/apps?new_app=1&manifest_json=" + manifest
}

type object = map[string]any

// slackManifest describes the Slack app: what the adapter uses, and no more. The minimal one does without files and
// group direct messages.
func slackManifest(minimal bool) object {
	scopes := []string{
		"app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "commands",
		"groups:history", "groups:read", "im:history", "im:read", "im:write", "reactions:write", "users:read",
	}
	events := []string{
		"agent_session_stopped", "app_home_opened", "app_mention", "member_joined_channel", "message.channels",
		"message.groups", "message.im",
	}
	if !minimal {
		scopes = append(scopes, "files:read", "files:write", "mpim:history")
		events = append(events, "message.mpim")
	}
	return object{
		"display_information": object{"name": "Lead", "description": "Team lead agent: tasks, approvals, answers"},
		"features": object{
			"bot_user": object{"display_name": "Lead", "always_online": true},
			"app_home": object{
				"home_tab_enabled": true, "messages_tab_enabled": true, "messages_tab_read_only_enabled": false,
			},
			"agent_view": object{
				"agent_description": "Plans work, answers, asks before risky steps.",
				"suggested_prompts": []object{
					{"title": "Plan some work", "message": "Help me plan "}, {"title": "What can you use here?", "message": "tools"},
				},
			},
			"shortcuts": []object{{
				"name": "Make a task", "type": "message", "callback_id": "lead_make_task",
				"description": "Turn this message into a task",
			}},
			"slash_commands": []object{{
				"command": "/lead", "description": "Talk to the team's lead", "usage_hint": "help", "should_escape": true,
			}},
		},
		"oauth_config": object{"scopes": object{"bot": scopes}},
		"settings": object{
			"socket_mode_enabled": true, "interactivity": object{"is_enabled": true},
			"event_subscriptions": object{"bot_events": events},
		},
	}
}
