package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func TestGrants(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s := store.NewGrants(db)
		at := channels.Conversation{Channel: "tg", Chat: "-1001", Topic: "7"}
		tools := []string{"exec", "group:web"}
		ask := func(code string, lasts time.Duration, d place.Decision) {
			g := place.Grant{
				Code: code, At: at, Person: "tg:501", Name: "Ann", Tools: tools, Lasts: lasts, Decision: d, By: "Bob",
			}
			if asked, err := s.Ask(t.Context(), acme, &g); err != nil || asked.Code != code {
				t.Fatalf("asked %+v, %v", asked, err)
			}
		}
		holding := func(at channels.Conversation, person string) (codes []string) {
			all, err := s.Holding(t.Context(), acme, at, person)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range all {
				codes = append(codes, g.Code)
			}
			return codes
		}
		ask("OPEN", time.Hour, place.Open)
		again := place.Grant{Code: "AGAIN", At: at, Person: "tg:501", Tools: tools}
		if asked, err := s.Ask(t.Context(), acme, &again); err != nil || asked.Code != "OPEN" {
			t.Errorf("the same wish again: %+v, %v", asked, err)
		}
		tools = []string{"exec"}
		ask("DENIED", time.Hour, place.Open)
		tools = []string{"exec", "group:web"}
		ask("NOW", time.Hour, place.Granted)
		ask("OVER", -time.Second, place.Granted)
		if got := holding(at, "tg:501"); !cmp.Equal(got, []string{"NOW"}) {
			t.Errorf("holding %q", got)
		}
		for code, d := range map[string]place.Decision{"OPEN": place.Granted, "DENIED": place.Denied} {
			for i, want := range []bool{true, false} {
				g, ok, err := s.Decide(t.Context(), acme, code, d, "Cem")
				if err != nil || ok != want || g.Decision != d || g.By != "Cem" || g.Until.IsZero() != (d == place.Denied) {
					t.Errorf("decision %d about %s: %+v, %v, %v", i, code, g, ok, err)
				}
			}
		}
		if got := holding(at, "tg:501"); !cmp.Equal(got, []string{"NOW", "OPEN"}) {
			t.Errorf("holding %q", got)
		}
		other := at
		other.Topic = "9"
		if a, b := holding(other, "tg:501"), holding(at, "tg:502"); len(a)+len(b) != 0 {
			t.Errorf("elsewhere %q, somebody else %q", a, b)
		}
		if g, err := s.Find(t.Context(), "other", "NOW"); g != nil || err != nil {
			t.Errorf("another tenant: %+v, %v", g, err)
		}
		if g, err := s.Find(t.Context(), acme, "NOW"); err != nil || !cmp.Equal(g.Tools, []string{"exec", "group:web"}) || g.At != at {
			t.Errorf("found %+v, %v", g, err)
		}
		if err := store.NewChats(db).Move(t.Context(), "tg", "-1001", "-2002"); err != nil {
			t.Fatal(err)
		}
		at.Chat = "-2002"
		if got := holding(at, "tg:501"); !cmp.Equal(got, []string{"NOW", "OPEN"}) {
			t.Errorf("after a move holding %q", got)
		}
	})
}
