package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// levels are the levels of findings in their order, as one text.
func levels(found []channels.Finding) string {
	var b strings.Builder
	for _, f := range found {
		b.WriteString(string(f.Level) + " ")
	}
	return strings.TrimSpace(b.String())
}

// checkFindings is what holds for all findings: one line, a fix exactly when something is wrong, no secret.
func checkFindings(t *testing.T, found []channels.Finding) {
	t.Helper()
	for _, f := range found {
		text := fmt.Sprintf("%+v", f)
		if strings.Contains(text, "CANARY") || strings.Contains(text, "\n") || f.What == "" {
			t.Errorf("a finding %q", text)
		}
		if (f.Fix == "") != (f.Level == channels.OK) {
			t.Errorf("fix of %q", text)
		}
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	hook := settings{"webhook": map[string]any{"url": "https://bot.example.org/hooks/tg"}}
	info := func(fields fakekit.Object) func(*rig) {
		return func(r *rig) {
			all := fakekit.Object{"url": "", "has_custom_certificate": false, "pending_update_count": 0}
			for k, v := range fields {
				all[k] = v
			}
			r.fake.HandleFunc("getWebhookInfo", func(fakekit.Call) (any, error) { return all, nil })
		}
	}
	tests := map[string]struct {
		bot    fakekit.Object
		more   settings
		always bool
		fake   func(*rig)
		levels string
		what   []string
		fix    string
	}{
		"all is well": {nil, nil, true, nil, "OK OK OK OK", []string{"@opsbot", "privacy mode is off"}, ""},
		"privacy mode that matters to nobody": {fakekit.Object{"can_read_all_group_messages": false}, nil, false, nil,
			"OK OK OK OK", []string{"privacy mode is on"}, ""},
		"privacy mode where it is to answer always": {fakekit.Object{"can_read_all_group_messages": false}, nil, true, nil,
			"OK OK WARN OK", []string{"can't answer always"}, "/setprivacy, choose @opsbot"},
		"no groups": {fakekit.Object{"can_join_groups": false}, nil, false, nil, "OK WARN OK OK",
			[]string{"can't be added"}, "/setjoingroups, choose @opsbot"},
		"somebody's webhook": {nil, nil, false, info(fakekit.Object{"url": "https://other.example.org/CANARY"}),
			"OK OK OK FAIL", []string{"other.example.org"}, "deleteWebhook"},
		"our own webhook, left": {nil, nil, false, info(fakekit.Object{"url": "https://bot.example.org/hooks/tg"}),
			"OK OK OK WARN", []string{"earlier configuration"}, "leadhand serve"},
		"no webhook yet": {nil, hook, false, nil, "OK OK OK WARN", []string{"not set yet"}, "leadhand serve"},
		"another webhook": {nil, hook, false, info(fakekit.Object{"url": "https://other.example.org/CANARY"}),
			"OK OK OK WARN", []string{"another webhook, at other.example.org"}, "leadhand serve"},
		"a webhook that fails": {nil, hook, false, info(fakekit.Object{
			"url": "https://bot.example.org/hooks/tg", "pending_update_count": 3, "last_error_date": 1,
			"last_error_message": "Wrong response from the webhook:\n502 Bad Gateway"}),
			"OK OK OK FAIL", []string{"3 wait", "502 Bad Gateway"}, "bot.example.org"},
		"a webhook that failed long ago": {nil, hook, false, info(fakekit.Object{
			"url": "https://bot.example.org/hooks/tg", "last_error_date": 1, "last_error_message": "Bad Gateway"}),
			"OK OK OK OK", []string{"delivered to the webhook"}, ""},
		"a webhook that works": {nil, hook, false, info(fakekit.Object{"url": "https://bot.example.org/hooks/tg"}),
			"OK OK OK OK", nil, ""},
		"a wrong token": {nil, nil, false, func(r *rig) {
			r.fake.HandleFunc("getMe", func(fakekit.Call) (any, error) {
				return nil, &telegramfake.Error{Code: http.StatusUnauthorized, Description: "Unauthorized"}
			})
		}, "FAIL", []string{"does not know it"}, "@BotFather"},
		"to be asked later": {nil, nil, false, func(r *rig) {
			r.fake.Inject(fakekit.Fault{Method: "getMe", RetryAfter: fakekit.Duration(time.Second)})
		}, "FAIL", []string{"asked to wait"}, "a minute"},
		"no answer": {nil, nil, false, func(r *rig) {
			r.fake.Inject(fakekit.Fault{Method: "getMe", Drop: true, Times: -1})
		}, "FAIL", []string{"can't be asked"}, "network"},
		"no word of the webhook": {nil, nil, false, func(r *rig) {
			r.fake.HandleFunc("getWebhookInfo", func(fakekit.Call) (any, error) {
				return nil, &telegramfake.Error{Code: http.StatusInternalServerError, Description: "Internal Server Error"}
			})
		}, "OK OK OK WARN", []string{"does not tell about a webhook"}, "again"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, telegramfake.WithBot(botWith(tt.bot)))
			s := settings{"bot_token": r.fake.Token, "api_url": r.fake.URL}
			for k, v := range tt.more {
				s[k] = v
			}
			r.make(s)
			if tt.fake != nil {
				tt.fake(r)
			}
			found := r.ch.(interface {
				ProbeFor(ctx context.Context, always bool) []channels.Finding
			}).ProbeFor(t.Context(), tt.always)
			checkFindings(t, found)
			if got := levels(found); got != tt.levels {
				t.Errorf("%s, want %s: %+v", got, tt.levels, found)
			}
			text := fmt.Sprintf("%+v", found)
			for _, want := range append(tt.what, tt.fix) {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
			if calls := r.fake.Calls("getUpdates"); len(calls) > 0 {
				t.Errorf("%d polls", len(calls))
			}
		})
	}
}

// botWith is the bot's own fields beside those of the rig.
func botWith(fields fakekit.Object) fakekit.Object {
	all := fakekit.Object{"id": int64(999), "username": "opsbot"}
	for k, v := range fields {
		all[k] = v
	}
	return all
}

func TestInvite(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": r.fake.Token, "api_url": r.fake.URL})
	invite := r.ch.(interface {
		Invite(ctx context.Context, code string) ([]string, error)
	}).Invite
	lines, err := invite(t.Context(), "K7QF-29XM")
	if err != nil || !strings.HasSuffix(lines[0], "https://t.me/opsbot?start=K7QF-29XM") ||
		!strings.HasSuffix(lines[1], "https://t.me/opsbot?startgroup=") {
		t.Errorf("%q, %v", lines, err)
	}
	if lines, err := invite(t.Context(), ""); err != nil || !strings.HasSuffix(lines[0], "https://t.me/opsbot") {
		t.Errorf("%q, %v", lines, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := invite(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("with a ctx that is over: %v", err)
	}
}
