package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
)

// TestAudit: what is asked for is found, the newest first, and of no other tenant.
func TestAudit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		s := store.NewAudit(storetest.Open(t, url))
		web := channels.Conversation{Channel: "slack", Chat: "C1", Topic: "7"}
		for _, e := range []audit.Entry{
			{Kind: audit.Tool, Person: "ann", Agent: "lead", Session: "s", Conversation: web, What: "exec", Outcome: audit.Refused, Detail: "why"},
			{Kind: audit.Word, Person: "bob", Conversation: channels.Conversation{Channel: "slack", Chat: "C1"}, What: "topic", Outcome: audit.Done},
			{Kind: audit.Tool, Person: "ann", Conversation: channels.Conversation{Channel: "tg", Chat: "C1"}, What: "edit", Outcome: audit.Failed},
		} {
			if err := s.Record(t.Context(), "t", &e); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Record(t.Context(), "other", &audit.Entry{What: "theirs"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Record(t.Context(), "", &audit.Entry{}); !errors.Is(err, store.ErrNoTenant) {
			t.Errorf("without a tenant: %v", err)
		}
		hour := time.Now().Add(-time.Hour)
		for name, c := range map[string]struct {
			q    audit.Query
			want []string
		}{
			"all":       {audit.Query{}, []string{"edit", "topic", "exec"}},
			"a person":  {audit.Query{Person: "ann"}, []string{"edit", "exec"}},
			"refusals":  {audit.Query{Outcome: audit.Refused}, []string{"exec"}},
			"a chat":    {audit.Query{At: channels.Conversation{Channel: "slack", Chat: "C1"}}, []string{"topic", "exec"}},
			"a topic":   {audit.Query{At: web}, []string{"exec"}},
			"the first": {audit.Query{Limit: 1}, []string{"edit"}},
			"later":     {audit.Query{Since: time.Now().Add(time.Hour)}, nil},
		} {
			if c.q.Limit == 0 {
				c.q.Limit = 10
			}
			if c.q.Since.IsZero() {
				c.q.Since = hour
			}
			found, err := s.Find(t.Context(), "t", c.q)
			var got []string
			for _, e := range found {
				got = append(got, e.What)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
		found, err := s.Find(t.Context(), "t", audit.Query{At: web, Limit: 1, Since: hour})
		if err != nil || len(found) != 1 || found[0].Conversation != web || found[0].Detail != "why" || found[0].Session != "s" ||
			time.Since(found[0].At) > time.Minute {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
