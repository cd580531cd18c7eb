package store_test

import (
	"errors"
	"testing"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/tools/planmode"
)

// TestPlanModes: each agent plans for itself in each session.
func TestPlanModes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewPlanModes(storetest.Open(t, url))
		lead := planmode.Owner{Tenant: "t", Session: "a", Agent: "lead"}
		set := func(o planmode.Owner, planning, want bool) {
			t.Helper()
			if changed, err := s.Set(t.Context(), o, planning); changed != want || err != nil {
				t.Errorf("%+v to %v: changed %v, %v", o, planning, changed, err)
			}
		}
		set(lead, false, false)
		set(lead, true, true)
		set(lead, true, false)
		for o, want := range map[planmode.Owner]bool{
			lead: true, {Tenant: "t", Session: "a", Agent: "writer"}: false, {Tenant: "t", Session: "b", Agent: "lead"}: false,
			{Tenant: "other", Session: "a", Agent: "lead"}: false,
		} {
			if got, err := s.Planning(t.Context(), o); got != want || err != nil {
				t.Errorf("%+v plans: %v, %v", o, got, err)
			}
		}
		set(lead, false, true)
		if got, err := s.Planning(t.Context(), lead); got || err != nil {
			t.Errorf("it still plans: %v", err)
		}
		if _, err := s.Set(t.Context(), planmode.Owner{Session: "a"}, true); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("without a tenant: %v", err)
		}
	})
}
