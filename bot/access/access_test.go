package access_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/channels"
)

// people are known without a database. Only what the tests need is there.
type people struct {
	access.People
	known   map[access.Account]*access.Person
	blocked map[access.Account]bool
	broken  error
	finds   int
	seen    int
}

func (p *people) Find(_ context.Context, _ string, a access.Account) (*access.Person, bool, error) {
	p.finds++
	return p.known[a], p.blocked[a], p.broken
}

func (p *people) Seen(context.Context, string, access.Account, channels.Conversation) error {
	p.seen++
	return p.broken
}

func (p *people) Remove(_ context.Context, _, id string) error {
	for a, known := range p.known {
		if known.ID == id {
			delete(p.known, a)
		}
	}
	return nil
}

func from(channel, user string) access.Account {
	return access.Account{Channel: channel, User: channels.UserID(user)}
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	known := &people{
		known: map[access.Account]*access.Person{
			from("slack", "U1"): {ID: "tg:501", Role: access.Admin}, from("slack", "U2"): {ID: "slack:U2", Role: "king"},
			from("slack", "U4"): {ID: "slack:U4", Role: access.Lead}, from("slack", "U5"): {ID: "slack:U5", Role: access.Member},
		},
		blocked: map[access.Account]bool{from("slack", "U3"): true},
	}
	lobby := func(_ context.Context, c channels.Conversation) (everyone bool, only []string, err error) {
		switch c.Chat {
		case "list":
			return false, []string{"slack:U4"}, nil
		case "nobody":
			return false, []string{}, nil
		}
		return c.Chat == "lobby", nil, nil
	}
	for name, tt := range map[string]struct {
		gate   access.Gate
		from   access.Account
		chat   string
		direct bool
		want   access.Role // empty: refused
	}{
		"nobody without a rule":                   {gate: access.Gate{}, from: from("slack", "U9")},
		"nobody on a channel without a name":      {gate: access.Gate{}},
		"whoever sits at the terminal owns it":    {gate: access.Gate{Local: "terminal"}, from: from("terminal", ""), want: access.Owner},
		"others do not become owners":             {gate: access.Gate{Local: "terminal"}, from: from("slack", "U9")},
		"nor does a channel with a similar name":  {gate: access.Gate{Local: "terminal"}, from: from("terminal-2", "")},
		"everybody where it is open":              {gate: access.Gate{Open: true}, from: from("slack", "U9"), want: access.Member},
		"the owner stays owner where it is open":  {gate: access.Gate{Open: true, Local: "terminal"}, from: from("terminal", ""), want: access.Owner},
		"nobody is owner where there is no local": {gate: access.Gate{Open: true}, want: access.Member},
		"who was let in":                          {gate: access.Gate{}, from: from("slack", "U1"), want: access.Admin},
		"who was let in, where it is open":        {gate: access.Gate{Open: true}, from: from("slack", "U1"), want: access.Admin},
		"nobody with a role that is none":         {gate: access.Gate{}, from: from("slack", "U2")},
		"nobody who is blocked":                   {gate: access.Gate{Open: true, Door: lobby}, from: from("slack", "U3"), chat: "lobby"},
		"guests in their place":                   {gate: access.Gate{Door: lobby}, from: from("slack", "U9"), chat: "lobby", want: access.Guest},
		"guests nowhere else":                     {gate: access.Gate{Door: lobby}, from: from("slack", "U9"), chat: "team"},
		"guests not in direct messages":           {gate: access.Gate{Door: lobby}, from: from("slack", "U9"), chat: "lobby", direct: true},
		"who is on a place's list":                {gate: access.Gate{Door: lobby}, from: from("slack", "U4"), chat: "list", want: access.Lead},
		"nobody who is not":                       {gate: access.Gate{Door: lobby}, from: from("slack", "U5"), chat: "list"},
		"nobody who is not, where it is open":     {gate: access.Gate{Open: true, Door: lobby}, from: from("slack", "U9"), chat: "list"},
		"nobody where the list is empty":          {gate: access.Gate{Door: lobby}, from: from("slack", "U4"), chat: "nobody"},
		"admins whatever list there is":           {gate: access.Gate{Door: lobby}, from: from("slack", "U1"), chat: "nobody", want: access.Admin},
		"whoever was let in, in direct messages":  {gate: access.Gate{Door: lobby}, from: from("slack", "U5"), chat: "list", direct: true, want: access.Member},
		"who was let in is no guest":              {gate: access.Gate{Door: lobby}, from: from("slack", "U1"), chat: "lobby", want: access.Admin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &channels.Inbound{
				Conversation: channels.Conversation{Channel: tt.from.Channel, Chat: channels.ChatID(tt.chat)}, Direct: tt.direct,
				Sender: channels.Sender{ID: tt.from.User, Name: "owner"}, // a name that anybody can take
			}
			gate := tt.gate
			gate.People = &people{known: known.known, blocked: known.blocked}
			p, err := gate.Admit(t.Context(), in)
			refusal, refused := errors.AsType[*access.Refusal](err)
			if refused != (tt.want == "") {
				t.Fatalf("error %v", err)
			}
			if refused && (refusal.What == "" || refusal.Why == "" || refusal.Who == "") {
				t.Errorf("a refusal must say what, why and who can change it: %+v", refusal)
			}
			if !refused && (p.Role != tt.want || p.ID == "") {
				t.Errorf("admitted %+v, want %q", p, tt.want)
			}
		})
	}
}

// TestAdmitFailsClosed: without an answer of the database nobody is anybody, also where it is open.
func TestAdmitFailsClosed(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is down")
	gate := access.Gate{Open: true, People: &people{broken: broken}}
	if p, err := gate.Admit(t.Context(), &channels.Inbound{}); p != nil || !errors.Is(err, broken) {
		t.Errorf("admitted %+v: %v", p, err)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for i, r := range access.Roles() {
		for j, other := range access.Roles() {
			if got := r.AtLeast(other); got != (i <= j) {
				t.Errorf("%s has the rights of %s: %v", r, other, got)
			}
			may := r == access.Owner || r == access.Admin && other != access.Owner && other != access.Admin
			if got := r.MayGive(other); got != may {
				t.Errorf("%s may give %s: %v", r, other, got)
			}
		}
		for _, none := range []access.Role{"", "king", "Owner"} {
			if none.AtLeast(r) || r.MayGive(none) || none.MayGive(r) {
				t.Errorf("%q and %s", none, r)
			}
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	code := access.NewCode()
	for text, want := range map[string]string{
		code: code, "claim " + code: code, "  Link " + code + "\n": code, "/start " + code: code, "k7qf-29xm": "K7QF-29XM",
		"": "", "hello": "", code + " please": "", "claim": "", code + "X": "", "K7QF29XM": "", "K1QF-29XM": "", "tell " + code: "",
	} {
		if got, ok := access.ReadCode(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	if access.HashCode("k7qf-29xm") != access.HashCode("K7QF-29XM") || access.HashCode(code) == access.HashCode("K7QF-29XM") {
		t.Error("hashes of codes")
	}
}

func TestCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ann := from("slack", "U1")
		source := &people{known: map[access.Account]*access.Person{ann: {ID: "slack:U1", Role: access.Member}}}
		cached := access.Cached(source)
		find := func(want bool, asked int) {
			t.Helper()
			p, _, err := cached.Find(t.Context(), "acme", ann)
			if err != nil || (p != nil) != want || source.finds != asked {
				t.Errorf("found %+v after %d questions, want %v after %d: %v", p, source.finds, want, asked, err)
			}
		}
		find(true, 1)
		find(true, 1)
		time.Sleep(3 * time.Second)
		find(true, 2)
		if err := cached.Remove(t.Context(), "acme", "slack:U1"); err != nil {
			t.Fatal(err)
		}
		find(false, 3)
		source.broken = errors.New("the database is down")
		time.Sleep(3 * time.Second)
		if _, _, err := cached.Find(t.Context(), "acme", ann); err == nil {
			t.Error("a failure was hidden")
		}
	})
}

// TestSeenIsKeptOnce, until something changes.
func TestSeenIsKeptOnce(t *testing.T) {
	t.Parallel()
	source := &people{broken: errors.New("the database is down")}
	cached := access.Cached(source)
	see := func(chat string, asked int) {
		t.Helper()
		err := cached.Seen(t.Context(), "acme", from("slack", "U1"), channels.Conversation{Channel: "slack", Chat: channels.ChatID(chat)})
		if !errors.Is(err, source.broken) || source.seen != asked {
			t.Errorf("kept %d times, want %d: %v", source.seen, asked, err)
		}
	}
	see("D1", 1)
	see("D1", 2)
	source.broken = nil
	see("D1", 3)
	see("D1", 3)
	see("D2", 4)
	if err := cached.Remove(t.Context(), "acme", "slack:U1"); err != nil {
		t.Fatal(err)
	}
	see("D2", 5)
}
