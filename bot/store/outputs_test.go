package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools/spill"
)

// TestOutputs: each session has its own, the newest of them, for an hour.
func TestOutputs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		s, ann, bob := store.NewOutputs(db), spill.Owner{Tenant: "t", Session: "ann"}, spill.Owner{Tenant: "t", Session: "bob"}
		put := func(o spill.Owner, ref, text string) {
			t.Helper()
			if err := s.Put(t.Context(), o, &spill.Output{Ref: ref, Kind: spill.JSON, Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		put(bob, "first", "his")
		put(ann, "first", "{}")
		put(ann, "first", "not again")
		got, err := s.Get(t.Context(), ann, "first")
		if err != nil || got.Text != "{}" || got.Kind != spill.JSON || got.Ref != "first" {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := s.Get(t.Context(), spill.Owner{Tenant: "other", Session: "ann"}, "first"); !errors.Is(err, spill.ErrGone) {
			t.Errorf("of another tenant: %v", err)
		}
		for i := range spill.MostOutputs {
			put(ann, fmt.Sprintf("more-%02d", i), "x")
		}
		n := 0
		for i := range spill.MostOutputs {
			if _, err := s.Get(t.Context(), ann, fmt.Sprintf("more-%02d", i)); err == nil {
				n++
			}
		}
		if _, err := s.Get(t.Context(), ann, "first"); err == nil {
			n++
		}
		if n != spill.MostOutputs {
			t.Errorf("%d are kept", n)
		}
		if err := db.SQL().QueryRowContext(t.Context(), "UPDATE outputs SET expires_at = 1 WHERE session = 'bob' RETURNING 1").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), bob, "first"); !errors.Is(err, spill.ErrGone) {
			t.Errorf("after an hour: %v", err)
		}
		if swept, err := db.Sweep(t.Context(), 0); err != nil || swept != 1 {
			t.Errorf("swept %d, %v", swept, err)
		}
		if err := s.Put(t.Context(), spill.Owner{Session: "x"}, &spill.Output{Ref: "x"}); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("without a tenant: %v", err)
		}
	})
}
