package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// TestVerbsRolesPlaces: every verb is for the same people wherever it is said, and who may not use it is told so.
func TestVerbsRolesPlaces(t *testing.T) {
	t.Parallel()
	least := []struct {
		said string
		role access.Role
	}{
		{"help", access.Guest}, {"whoami", access.Guest}, {"stop", access.Guest}, {"status", access.Guest}, {"tools", access.Guest},
		{"tools why read_file", access.Guest}, {"new", access.Member}, {"mute", access.Member}, {"resume list", access.Member}, {"model", access.Member},
		{"usage", access.Member}, {"usage here", access.Lead}, {"usage team month", access.Admin}, {"model default --here", access.Lead}, {"unmute", access.Member}, {"ask", access.Guest}, {"link", access.Member}, {"topic", access.Member},
		{"member list", access.Member}, {"tools ask read_file", access.Member}, {"topic answer mention", access.Lead},
		{"topic who members", access.Lead}, {"topic who list nobody", access.Admin}, {"topic reply plain", access.Admin},
		{"topic reset reply", access.Admin}, {"tools deny edit", access.Lead}, {"tools reset", access.Lead}, {"tools copy from nowhere", access.Admin},
		{"topic answer always", access.Admin}, {"topic who everyone", access.Admin}, {"topic agent writer", access.Admin},
		{"topic prompt be kind", access.Admin}, {"topic reset answer", access.Admin}, {"topic reset who", access.Admin},
		{"member role nobody lead", access.Admin}, {"member remove nobody", access.Admin}, {"member pair X member", access.Admin},
		{"tools grant X", access.Admin}, {"tools refuse X", access.Admin},
	}
	places := map[string]channels.Conversation{
		"direct": home("D"), "room": {Channel: "fake", Chat: "C01"}, "topic": room(),
	}
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{closed: true})
		for _, role := range access.Roles() {
			w.lets(string(role), role)
		}
		for _, s := range least {
			for where, at := range places {
				for _, role := range access.Roles() {
					in := w.message(at, string(role), s.said)
					in.Direct = where == "direct"
					w.deliver(in)
					m := w.shown()
					refused := strings.HasPrefix(m.Text, "You can't ")
					if refused == role.AtLeast(s.role) || m.Conversation != at {
						t.Errorf("%q of %s in %s: %q", s.said, role, where, m.Text)
					}
					if refused && (m.To != in.Sender.ID || !strings.Contains(m.Text, fmt.Sprintf("and you are a %s", role)) &&
						!strings.Contains(m.Text, fmt.Sprintf("and you are an %s", role))) {
						t.Errorf("%q of %s in %s is refused: %+v", s.said, role, where, m)
					}
				}
			}
		}
	})
}
