package store_test

import (
	"errors"
	"testing"

	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// TestSettingsOfPlaces: of two who change the same, the later one must see the newer state first.
func TestSettingsOfPlaces(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s := store.NewPlaces(db)
		at := channels.Conversation{Channel: "tg", Chat: "-1001", Topic: "7"}
		set := func(value string, revision int64) error {
			return s.Set(t.Context(), acme, place.Setting{
				At: at, Key: place.KeyAnswer, Value: value, By: "Ann", Revision: revision,
			})
		}
		stored := func() (place.Setting, int) {
			all, err := s.Settings(t.Context(), acme)
			if err != nil {
				t.Fatal(err)
			}
			if len(all) == 0 {
				return place.Setting{}, 0
			}
			return all[0], len(all)
		}
		if err := set("always", 0); err != nil {
			t.Fatal(err)
		}
		if got, n := stored(); n != 1 || got.At != at || got.Value != "always" || got.By != "Ann" || got.Revision != 1 || got.When.IsZero() {
			t.Errorf("stored %+v, %d", got, n)
		}
		for _, revision := range []int64{0, 2} {
			if err := set("mention", revision); !errors.Is(err, place.ErrChanged) {
				t.Errorf("with revision %d: %v", revision, err)
			}
		}
		if err := errors.Join(set("mention", 1), set("", 2)); err != nil {
			t.Error(err)
		}
		if got, n := stored(); n != 0 {
			t.Errorf("left %+v", got)
		}
		if err := set("always", 2); !errors.Is(err, place.ErrChanged) {
			t.Errorf("what was taken away meanwhile: %v", err)
		}
		if err := set("always", 0); err != nil {
			t.Error(err)
		}
		if err := store.NewChats(db).Move(t.Context(), "tg", "-1001", "-2002"); err != nil {
			t.Fatal(err)
		}
		if got, _ := stored(); got.At.Chat != "-2002" || got.Revision != 4 {
			t.Errorf("after a move: %+v", got)
		}
		if all, err := s.Settings(t.Context(), "other"); len(all) != 0 || err != nil {
			t.Errorf("another tenant: %v, %v", all, err)
		}
	})
}
