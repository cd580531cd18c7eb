package store_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/secret"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewSecrets(storetest.Open(t, url))
		row := func(tenant, name string) secret.Row { return secret.Row{Tenant: tenant, Name: name} }
		put := func(r secret.Row, key, text string) {
			if err := s.Put(t.Context(), r, secret.Sealed{Key: key, Text: []byte(text)}, "ann"); err != nil {
				t.Fatal(err)
			}
		}
		text := func(r secret.Row) string {
			got, ok, err := s.Get(t.Context(), r)
			if err != nil || !ok {
				t.Errorf("%v: %v, %v", r, ok, err)
			}
			return got.Key + ":" + string(got.Text)
		}
		put(row(acme, "b"), "k1", "\x00\xff1")
		put(row(acme, "a"), "k1", "2")
		put(row("other", "a"), "k1", "3")
		put(row(acme, "b"), "k2", "\x00\xff4")
		if err := s.Put(t.Context(), row("", "a"), secret.Sealed{}, ""); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("without a tenant: %v", err)
		}
		if got := text(row(acme, "b")); got != "k2:\x00\xff4" {
			t.Errorf("set again: %q", got)
		}
		if _, ok, err := s.Get(t.Context(), row(acme, "c")); ok || err != nil {
			t.Errorf("unknown: %v, %v", ok, err)
		}
		all, err := s.List(t.Context(), acme)
		if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Key != "k2" || all[1].SetBy != "ann" || all[1].SetAt.IsZero() {
			t.Errorf("%+v, %v", all, err)
		}
		no := errors.New("no")
		seen := 0
		n, err := s.Reseal(t.Context(), acme, func(_ secret.Row, old secret.Sealed) (secret.Sealed, error) {
			if seen++; seen == 2 {
				return secret.Sealed{}, no
			}
			return secret.Sealed{Key: "k3", Text: old.Text}, nil
		})
		if n != 0 || !errors.Is(err, no) || text(row(acme, "a")) != "k1:2" {
			t.Errorf("an error at the second: %d, %v", n, err)
		}
		var rows []secret.Row
		n, err = s.Reseal(t.Context(), acme, func(r secret.Row, old secret.Sealed) (secret.Sealed, error) {
			rows = append(rows, r)
			return secret.Sealed{Key: "k3", Text: append(bytes.Clone(old.Text), 'X')}, nil
		})
		if want := []secret.Row{row(acme, "a"), row(acme, "b")}; n != 2 || err != nil || !cmp.Equal(rows, want) {
			t.Errorf("sealed anew %d of %v, %v", n, rows, err)
		}
		if a, b, other := text(row(acme, "a")), text(row(acme, "b")), text(row("other", "a")); a != "k3:2X" ||
			b != "k3:\x00\xff4X" || other != "k1:3" {
			t.Errorf("%q %q %q", a, b, other)
		}
		for i, want := range []bool{true, false} {
			if there, err := s.Remove(t.Context(), row(acme, "a")); err != nil || there != want {
				t.Errorf("remove %d: %v, %v", i, there, err)
			}
		}
		if got := text(row("other", "a")); got != "k1:3" {
			t.Errorf("of another tenant: %q", got)
		}
	})
}
