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
		if _, err := s.Let(t.Context(), acme, account("501"), "Ann", access.Lead); err != nil {
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

func TestBlockedAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewPeople(storetest.Open(t, url))
		if err := s.Block(t.Context(), acme, account("501"), "Eve"); err != nil {
			t.Fatal(err)
		}
		if p, blocked, err := s.Find(t.Context(), acme, account("501")); p != nil || !blocked || err != nil {
			t.Errorf("blocked: %+v, %v, %v", p, blocked, err)
		}
		if _, err := s.Let(t.Context(), acme, account("501"), "Eve", access.Guest); err != nil {
			t.Fatal(err)
		}
		if p, blocked, err := s.Find(t.Context(), acme, account("501")); p == nil || blocked || err != nil {
			t.Errorf("let in again: %+v, %v, %v", p, blocked, err)
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
		replaced, good := issue(access.LinkCode, owner, time.Minute), issue(access.LinkCode, owner, time.Minute)
		if _, err := people.Link(t.Context(), acme, replaced, account("700"), "x"); !errors.Is(err, access.ErrCode) {
			t.Errorf("an older link code: %v", err)
		}
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
		s := store.NewCodes(storetest.Open(t, url))
		ask := func(user string) (*access.Request, bool, error) {
			return s.Ask(t.Context(), acme, &access.Request{
				Code: access.NewRequestCode(), Account: account(user), Name: "Ann",
				At: channels.Conversation{Channel: "tg", Chat: channels.ChatID(user)},
			})
		}
		first, fresh, err := ask("501")
		if err != nil || !fresh {
			t.Fatalf("asked: %v, %v", fresh, err)
		}
		if again, fresh, err := ask("501"); err != nil || fresh || again.Code != first.Code || again.At != first.At {
			t.Errorf("asked again: %+v, %v, %v", again, fresh, err)
		}
		for i, want := range []bool{true, false} {
			if ok, err := s.Decide(t.Context(), acme, first.Code, access.Later, "tg:1"); ok != want || err != nil {
				t.Errorf("decision %d: %v, %v", i, ok, err)
			}
		}
		got, err := s.Asked(t.Context(), acme, first.Code)
		if err != nil || got.Decision != access.Later || got.DecidedBy != "tg:1" || got.DecidedAt.IsZero() {
			t.Errorf("decided: %+v, %v", got, err)
		}
		if again, fresh, err := ask("501"); err != nil || fresh || again.Decision != access.Later {
			t.Errorf("asked after a no: %+v, %v, %v", again, fresh, err)
		}
		for i := range 9 {
			if _, fresh, err := ask(fmt.Sprint(600 + i)); err != nil || !fresh {
				t.Errorf("request %d: %v, %v", i, fresh, err)
			}
		}
		if _, _, err := ask("700"); !errors.Is(err, access.ErrTooMany) {
			t.Errorf("one too many: %v", err)
		}
	})
}
