package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

const acme = "acme"

func account(user string) access.Account {
	return access.Account{Channel: "tg", User: channels.UserID(user)}
}

func TestPeopleAreFoundByTheirAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewPeople(storetest.Open(t, url))
		if p, blocked, err := s.Find(t.Context(), acme, account("501")); p != nil || blocked || err != nil {
			t.Errorf("a stranger: %+v, %v, %v", p, blocked, err)
		}
		ann, err := s.Let(t.Context(), acme, account("501"), "Ann", access.Member)
		if err != nil || ann.ID != "tg:501" {
			t.Fatalf("let in %+v: %v", ann, err)
		}
		home := channels.Conversation{Channel: "tg", Chat: "501"}
		for range 2 {
			if err := s.Seen(t.Context(), acme, account("501"), home); err != nil {
				t.Error(err)
			}
		}
		if _, err := s.Let(t.Context(), acme, account("501"), "Ann", access.Lead); !errors.Is(err, access.ErrTaken) {
			t.Errorf("let in twice: %v", err)
		}
		if err := s.Change(t.Context(), acme, "tg:501", access.Lead); err != nil {
			t.Error(err)
		}
		all, err := s.All(t.Context(), acme)
		want := []access.Person{{
			ID: "tg:501", Name: "Ann", Role: access.Lead, Accounts: []access.Account{account("501")},
			Direct: []channels.Conversation{home},
		}}
		if err != nil || !cmp.Equal(all, want) {
			t.Errorf("all: %+v, %v", all, err)
		}
		if p, _, err := s.Find(t.Context(), "other", account("501")); p != nil || err != nil {
			t.Errorf("another tenant knows %+v: %v", p, err)
		}
	})
}

// TestDecisions: what was decided is done, once, and never to somebody who is known.
func TestDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s, codes := store.NewPeople(db), store.NewCodes(db)
		ask := func(user string) string {
			r, err := codes.Ask(t.Context(), acme, &access.Request{Code: access.NewRequestCode(), Account: account(user), Name: "Eve " + user})
			if err != nil {
				t.Fatal(err)
			}
			return r.Code
		}
		blocked, let, known := ask("501"), ask("502"), ask("503")
		for code, decision := range map[string]string{blocked: access.Block, let: string(access.Guest)} {
			for i, want := range []bool{true, false} {
				if r, ok, err := s.Decide(t.Context(), acme, code, decision, "Bob"); err != nil || ok != want || r.Decision != decision || r.DecidedBy != "Bob" {
					t.Errorf("decision %d: %+v, %v, %v", i, r, ok, err)
				}
			}
		}
		if p, blocked, err := s.Find(t.Context(), acme, account("501")); p != nil || !blocked || err != nil {
			t.Errorf("blocked: %+v, %v, %v", p, blocked, err)
		}
		if p, _, err := s.Find(t.Context(), acme, account("502")); err != nil || p == nil || p.Role != access.Guest {
			t.Errorf("let in: %+v, %v", p, err)
		}
		if names, err := s.Blocked(t.Context(), acme); err != nil || !cmp.Equal(names, []string{"Eve 501"}) {
			t.Errorf("blocked: %q, %v", names, err)
		}
		code := access.NewCode()
		if err := codes.Issue(t.Context(), acme, access.LinkCode, code, "tg:502", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Link(t.Context(), acme, code, account("501"), "Eve"); !errors.Is(err, access.ErrTaken) {
			t.Errorf("a blocked account was linked: %v", err)
		}
		if names, err := s.Unblock(t.Context(), acme, "eve 501"); err != nil || len(names) != 1 {
			t.Errorf("unblocked %q, %v", names, err)
		}
		if _, blocked, err := s.Find(t.Context(), acme, account("501")); blocked || err != nil {
			t.Errorf("still blocked: %v, %v", blocked, err)
		}
		code = access.NewCode()
		if err := codes.Issue(t.Context(), acme, access.ClaimCode, code, "", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Claim(t.Context(), acme, code, account("503"), "Cem"); err != nil {
			t.Fatal(err)
		}
		for _, decision := range []string{access.Block, string(access.Member)} {
			if r, ok, err := s.Decide(t.Context(), acme, known, decision, "Bob"); ok || err != nil || r.DecidedBy != "" {
				t.Errorf("about somebody who came in another way: %+v, %v, %v", r, ok, err)
			}
		}
		if p, _, err := s.Find(t.Context(), acme, account("503")); err != nil || p == nil || p.Role != access.Owner {
			t.Errorf("the owner is %+v, %v", p, err)
		}
		if r, ok, err := s.Decide(t.Context(), acme, "NONE", access.Block, "Bob"); r != nil || ok || err != nil {
			t.Errorf("about nobody: %+v, %v, %v", r, ok, err)
		}
	})
}

// TestWhatARemovedPersonLeaves is nothing: no grant, no wish, no code.
func TestWhatARemovedPersonLeaves(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s, grants := store.NewPeople(db), store.NewGrants(db)
		at := channels.Conversation{Channel: "tg", Chat: "-1001"}
		if _, err := s.Let(t.Context(), acme, account("501"), "Ann", access.Member); err != nil {
			t.Fatal(err)
		}
		for _, d := range []place.Decision{place.Granted, place.Open} {
			g := place.Grant{Code: "G" + string(d), At: at, Person: "tg:501", Tools: []string{"exec"}, Lasts: time.Hour, Decision: d}
			if _, err := grants.Ask(t.Context(), acme, &g); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Remove(t.Context(), acme, "tg:501"); err != nil {
			t.Fatal(err)
		}
		if left, err := grants.Holding(t.Context(), acme, at, "tg:501"); len(left) != 0 || err != nil {
			t.Errorf("left %+v, %v", left, err)
		}
		if g, err := grants.Find(t.Context(), acme, "G"); g != nil || err != nil {
			t.Errorf("left the wish %+v, %v", g, err)
		}
	})
}

// TestTheLastOwnerStays, also when two owners remove each other at once.
func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewPeople(storetest.Open(t, url))
		for _, user := range []string{"501", "502"} {
			if _, err := s.Let(t.Context(), acme, account(user), user, access.Owner); err != nil {
				t.Fatal(err)
			}
		}
		var both sync.WaitGroup
		var refused atomic.Int64
		for _, id := range []string{"tg:501", "tg:502"} {
			both.Go(func() {
				if err := s.Remove(t.Context(), acme, id); errors.Is(err, access.ErrLastOwner) {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		all, err := s.All(t.Context(), acme)
		if refused.Load() != 1 || len(all) != 1 || err != nil {
			t.Fatalf("%d refused, left are %+v: %v", refused.Load(), all, err)
		}
		if err := s.Change(t.Context(), acme, all[0].ID, access.Admin); !errors.Is(err, access.ErrLastOwner) {
			t.Errorf("the last owner became an admin: %v", err)
		}
		if err := s.Change(t.Context(), acme, "tg:999", access.Admin); !errors.Is(err, access.ErrNobody) {
			t.Errorf("nobody became an admin: %v", err)
		}
	})
}

func TestCodesWorkOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		people, s := store.NewPeople(db), store.NewCodes(db)
		issue := func(kind access.Kind, person string, ttl time.Duration) string {
			code := access.NewCode()
			if err := s.Issue(t.Context(), acme, kind, code, person, ttl); err != nil {
				t.Fatal(err)
			}
			return code
		}
		code := issue(access.ClaimCode, "", time.Minute)
		var all sync.WaitGroup
		var won atomic.Int64
		for i := range 8 {
			all.Go(func() {
				_, err := people.Claim(t.Context(), acme, code, account(fmt.Sprint(i)), "x")
				if err == nil {
					won.Add(1)
				} else if !errors.Is(err, access.ErrCode) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		owners, err := people.All(t.Context(), acme)
		if won.Load() != 1 || len(owners) != 1 || owners[0].Role != access.Owner || err != nil {
			t.Errorf("%d claimed it: %+v, %v", won.Load(), owners, err)
		}
		owner := owners[0].ID
		for name, code := range map[string]string{
			"too old": issue(access.LinkCode, owner, -time.Second), "unknown": access.NewCode(),
			"of another kind": issue(access.ClaimCode, "", time.Minute), "of nobody": issue(access.LinkCode, "tg:999", time.Minute),
		} {
			if _, err := people.Link(t.Context(), acme, code, account("700"), "x"); !errors.Is(err, access.ErrCode) {
				t.Errorf("a code that is %s: %v", name, err)
			}
		}
		good := issue(access.LinkCode, owner, time.Minute)
		issue(access.LinkCode, owner, time.Minute) // a second one takes nothing from the first: its answer may be shown already
		other := access.Account{Channel: "slack", User: "U1"}
		if p, err := people.Link(t.Context(), acme, good, other, "x"); err != nil || p.ID != owner {
			t.Errorf("linked to %+v: %v", p, err)
		}
		if p, _, err := people.Find(t.Context(), acme, other); err != nil || p == nil || p.ID != owner {
			t.Errorf("the linked account is %+v: %v", p, err)
		}
		if _, err := people.Let(t.Context(), acme, account("800"), "Bob", access.Member); err != nil {
			t.Fatal(err)
		}
		if _, err := people.Link(t.Context(), acme, issue(access.LinkCode, owner, time.Minute), account("800"), "Bob"); !errors.Is(err, access.ErrTaken) {
			t.Errorf("an account of somebody else: %v", err)
		}
	})
}

func TestRequestsToBeLetIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s, people := store.NewCodes(db), store.NewPeople(db)
		ask := func(user string) (*access.Request, error) {
			return s.Ask(t.Context(), acme, &access.Request{
				Code: access.NewRequestCode(), Account: account(user), Name: "Ann",
				At: channels.Conversation{Channel: "tg", Chat: channels.ChatID(user)},
			})
		}
		var both sync.WaitGroup
		codes := make([]string, 4)
		for i := range codes {
			both.Go(func() {
				r, err := ask("501")
				if err != nil {
					t.Error(err)
					return
				}
				codes[i] = r.Code
			})
		}
		both.Wait()
		if codes[0] == "" || codes[1] != codes[0] || codes[2] != codes[0] || codes[3] != codes[0] {
			t.Fatalf("asked at once: %q", codes)
		}
		if open, err := s.Open(t.Context(), acme); err != nil || len(open) != 1 || open[0].Code != codes[0] {
			t.Errorf("open: %+v, %v", open, err)
		}
		if _, ok, err := people.Decide(t.Context(), acme, codes[0], access.Later, "Bob"); !ok || err != nil {
			t.Errorf("decided: %v, %v", ok, err)
		}
		got, err := s.Asked(t.Context(), acme, codes[0])
		if err != nil || got.Decision != access.Later || got.DecidedBy != "Bob" || got.DecidedAt.IsZero() {
			t.Errorf("decided: %+v, %v", got, err)
		}
		if again, err := ask("501"); err != nil || again.Decision != access.Later {
			t.Errorf("asked after a no: %+v, %v", again, err)
		}
		for i := range 9 {
			if _, err := ask(fmt.Sprint(600 + i)); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		}
		if _, err := ask("700"); !errors.Is(err, access.ErrTooMany) {
			t.Errorf("one too many: %v", err)
		}
	})
}
