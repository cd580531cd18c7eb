package access_test

import (
	"errors"
	"testing"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		gate    access.Gate
		channel string
		want    access.Role // empty: refused
	}{
		"nobody without a rule":                   {access.Gate{}, "slack", ""},
		"nobody on a channel without a name":      {access.Gate{}, "", ""},
		"whoever sits at the terminal owns it":    {access.Gate{Local: "terminal"}, "terminal", access.Owner},
		"others do not become owners":             {access.Gate{Local: "terminal"}, "slack", ""},
		"nor does a channel with a similar name":  {access.Gate{Local: "terminal"}, "terminal-2", ""},
		"everybody where it is open":              {access.Gate{Open: true}, "slack", access.Member},
		"the owner stays owner where it is open":  {access.Gate{Open: true, Local: "terminal"}, "terminal", access.Owner},
		"nobody is owner where there is no local": {access.Gate{Open: true}, "", access.Member},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &channels.Inbound{Conversation: channels.Conversation{Channel: tt.channel}}
			in.Sender.Name = "owner" // a name that anybody can take
			role, err := tt.gate.Admit(in)
			if role != tt.want {
				t.Errorf("role %q, want %q", role, tt.want)
			}
			refusal, refused := errors.AsType[*access.Refusal](err)
			if refused != (tt.want == "") {
				t.Fatalf("error %v", err)
			}
			if refused && (refusal.What == "" || refusal.Why == "" || refusal.Who == "") {
				t.Errorf("a refusal must say what, why and who can change it: %+v", refusal)
			}
		})
	}
}
