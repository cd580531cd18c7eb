package discord_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

const applicationOp = "GET /applications/@me"

// application lets the fake tell this of the bot's application.
func application(fields fakekit.Object) func(*rig) {
	return func(r *rig) {
		app := fakekit.Object{
			"id": r.fake.AppID(), "name": "Lead", "icon": nil, "description": "", "type": nil, "bot": r.fake.Bot, "summary": "",
			"bot_public": false, "bot_require_code_grant": false, "verify_key": strings.Repeat("0", 64), "flags": 1 << 19,
		}
		for k, v := range fields {
			app[k] = v
		}
		r.fake.HandleFunc(applicationOp, func(fakekit.Call) (any, error) { return app, nil })
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	fault := func(f fakekit.Fault) func(*rig) {
		return func(r *rig) { r.fake.Inject(f) }
	}
	tests := map[string]struct {
		set    func(r *rig)
		served bool // the channel ran before
		levels string
		what   []string
		fix    string
	}{
		"all is well":      {nil, true, "OK OK OK", []string{"bot token: fakebot (application ", "Message Content is on", "/lead is registered"}, ""},
		"limited intents":  {application(nil), true, "OK OK OK", nil, ""},
		"no intent":        {application(fakekit.Object{"flags": 0}), true, "OK FAIL OK", []string{"Message Content is off"}, "/1080000000000000001/bot, Privileged"},
		"in some servers":  {application(fakekit.Object{"approximate_guild_count": 2}), true, "OK OK OK OK", []string{"in 2"}, ""},
		"in no server":     {application(fakekit.Object{"approximate_guild_count": 0}), true, "OK OK WARN OK", []string{"in none"}, "permissions=309237763136"},
		"an endpoint":      {application(fakekit.Object{"interactions_endpoint_url": "https://x.example.org/CANARY"}), true, "OK OK WARN OK", []string{"go to x.example.org,"}, "Interactions Endpoint URL"},
		"no commands yet":  {nil, false, "OK OK WARN", []string{"not registered yet"}, "leadhand serve"},
		"no word of those": {fault(fakekit.Fault{Method: "GET /applications/{application_id}/commands", Status: http.StatusForbidden}), false, "OK OK WARN", []string{"does not tell them"}, "applications.commands"},
		"to wait":          {fault(fakekit.Fault{Method: applicationOp, RetryAfter: fakekit.Duration(time.Second)}), false, "FAIL", []string{"asked to wait"}, "a minute"},
		"no answer":        {fault(fakekit.Fault{Method: applicationOp, Drop: true}), false, "FAIL", []string{"can't be asked"}, "network"},
		"no Discord":       {fault(fakekit.Fault{Method: applicationOp, Status: http.StatusNotFound}), false, "FAIL", []string{"is not Discord"}, "api_url"},
		"wrong token":      {func(r *rig) { r.make(settings{"bot_token": "MTA5.CANARY.no"}) }, false, "FAIL", []string{"does not know it"}, "Reset Token"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if tt.served {
				r.start(nil)
				r.fake.Wait("PUT /applications/{application_id}/commands")
			} else {
				r.make(nil)
			}
			if tt.set != nil {
				tt.set(r)
			}
			found := r.ch.(channels.Prober).Probe(t.Context())
			var levels []string
			for _, f := range found {
				levels = append(levels, string(f.Level))
				if (f.Fix == "") != (f.Level == channels.OK) || strings.Contains(f.What+f.Fix, "\n") || strings.Contains(f.What+f.Fix, "CANARY") {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(levels, " "); got != tt.levels {
				t.Errorf("%s, want %s: %+v", got, tt.levels, found)
			}
			text := fmt.Sprintf("%+v", found)
			for _, want := range append(tt.what, tt.fix) {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
		})
	}
}

func TestProbeOfOtherCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	r.fake.HandleFunc("GET /applications/{application_id}/commands", func(fakekit.Call) (any, error) {
		return []any{fakekit.Object{
			"id": "1", "application_id": r.fake.AppID(), "version": "1", "type": 1, "name": "lead", "description": "old",
			"default_member_permissions": nil,
		}}, nil
	})
	found := r.ch.(channels.Prober).Probe(t.Context())
	if last := found[len(found)-1]; last.Level != channels.Warn || !strings.Contains(last.What, "another version") {
		t.Errorf("%+v", found)
	}
}

func TestInvite(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(nil)
	lines, err := r.ch.(interface {
		Invite(ctx context.Context, code string) ([]string, error)
	}).Invite(t.Context(), "K7QF-29XM")
	want := "https://discord.com/oauth2/authorize?client_id=" + r.fake.AppID() + "&scope=bot+applications.commands&permissions=309237763136"
	if err != nil || !strings.HasSuffix(lines[0], want) {
		t.Errorf("%q, %v", lines, err)
	}
}
