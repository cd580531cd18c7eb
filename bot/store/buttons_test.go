package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

func approve() channels.Button {
	return channels.Button{
		Text: "Approve", Command: channels.Command{Name: "approve", Args: "42"},
		Options: []channels.Option{{Text: "Once", Value: "once"}},
		Guard:   channels.Guard{Object: "task:42", Revision: 7, Actors: []channels.UserID{"501"}},
	}
}

func TestButtonsAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s := store.NewButtons(db)
		at := channels.Conversation{Channel: "tg", Chat: "-1001", Topic: "7"}
		given := [][]channels.Button{{approve(), approve()}, {approve()}}
		kept, err := s.Keep(t.Context(), "default", at, given)
		if err != nil {
			t.Fatal(err)
		}
		tokens := map[string]bool{}
		for i, row := range kept {
			for j, b := range row {
				tokens[b.Token] = true
				if given[i][j].Token != "" {
					t.Error("the caller's buttons were changed")
				}
				got, where, err := s.Kept(t.Context(), "default", b.Token)
				if err != nil || where != at || !cmp.Equal(got, &b) {
					t.Errorf("kept %+v at %v: %v", got, where, err)
				}
			}
		}
		if len(tokens) != 3 {
			t.Errorf("%d tokens for 3 buttons", len(tokens))
		}
		token := kept[0][0].Token
		for tenant, token := range map[string]string{"other": token, "default": "TOKEN00001"} {
			if b, _, err := s.Kept(t.Context(), tenant, token); b != nil || err != nil {
				t.Errorf("tenant %s, token %s: %+v, %v", tenant, token, b, err)
			}
		}
		if _, err := s.Keep(t.Context(), "", at, given); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("without a tenant: %v", err)
		}
		if err := store.NewChats(db).Move(t.Context(), "tg", "-1001", "-2002"); err != nil {
			t.Fatal(err)
		}
		if _, where, err := s.Kept(t.Context(), "default", token); where.Chat != "-2002" || err != nil {
			t.Errorf("after a move at %v: %v", where, err)
		}
	})
}

// TestButtonsExpire: a button that is over is not there, and goes with the next sweep.
func TestButtonsExpire(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s := store.NewButtons(db)
		over, open := approve(), approve()
		over.Guard.Expires, open.Guard.Expires = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
		kept, err := s.Keep(t.Context(), "default", channels.Conversation{Channel: "tg"}, [][]channels.Button{{over, open}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{false, true} {
			if b, _, err := s.Kept(t.Context(), "default", kept[0][i].Token); (b != nil) != want || err != nil {
				t.Errorf("button %d: %+v, %v", i, b, err)
			}
		}
		if n, err := db.Sweep(t.Context(), 0); n != 1 || err != nil {
			t.Errorf("%d rows deleted: %v", n, err)
		}
	})
}
