package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/audit"
	"github.com/leadhand/leadhand/channels"
)

// Auditor looks into the audit.
type Auditor struct {
	Tenant string
	Find   func(ctx context.Context, tenant string, q audit.Query) ([]audit.Entry, error)
	People access.Known
	Zone   *time.Location
}

const (
	auditShown  = 15     // entries in a message
	auditRows   = 10_000 // in a file
	longestTold = 120    // characters of one entry's words
	csvWord     = "csv"
)

// auditSpans are the times that can be asked for, by their word; the first when none is named.
var auditSpans = []struct {
	word string
	time.Duration
}{{"today", 24 * time.Hour}, {"week", 7 * 24 * time.Hour}, {"month", 31 * 24 * time.Hour}}

// Audit tells what was done and refused: leads of the place where they ask, admins of everything.
func Audit(a Auditor) Verb {
	return Verb{
		Name: "audit", Role: access.Lead, Free: true, Admins: true,
		Help: "what was done and refused, here or by somebody; `audit week @ann refused csv`",
		Subs: []Sub{
			{Name: "today", Help: "of the last 24 hours"}, {Name: "week", Help: "of the last seven days"},
			{Name: "month", Help: "of the last 31 days"}, {Name: "refused", Help: "only what was refused"},
			{Name: "all", Help: "of all places", Role: access.Admin}, {Name: csvWord, Help: "as a table in a file"},
		},
		Says: func(args string) bool { return strings.HasPrefix(args, "@") },
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			people, err := a.People.All(ctx, a.Tenant)
			if err != nil {
				return nil, err
			}
			q, answer, err := a.query(req, people, args)
			if answer != nil || err != nil {
				return answer, err
			}
			if q.asFile && !req.In.Direct {
				return aside("The table is not for everybody: write `audit csv` to me in a direct message."), nil
			}
			found, err := a.Find(ctx, a.Tenant, q.Query)
			if err != nil {
				return nil, err
			}
			return a.told(found, people, q.asFile), nil
		},
	}
}

// auditQuery is what somebody asks for.
type auditQuery struct {
	audit.Query
	asFile bool
}

// query reads what is asked for. The answer says what is wrong with it.
func (a Auditor) query(req *bot.Request, people []access.Person, args string) (*auditQuery, *bot.Answer, error) {
	q := &auditQuery{Query: audit.Query{
		Since: time.Now().Add(-auditSpans[0].Duration), At: req.In.Conversation, Limit: auditShown + 1,
	}}
	if req.In.Direct && req.Person.Role.AtLeast(access.Admin) { // where nothing else is meant
		q.At = channels.Conversation{}
	}
words:
	for _, word := range strings.Fields(args) {
		for _, span := range auditSpans {
			if strings.EqualFold(word, span.word) {
				q.Since = time.Now().Add(-span.Duration)
				continue words
			}
		}
		switch strings.ToLower(word) {
		case csvWord:
			q.asFile, q.Limit = true, auditRows
		case string(audit.Refused):
			q.Outcome = audit.Refused
		case "all":
			if !req.Person.Role.AtLeast(access.Admin) {
				return nil, nil, access.Lacks(req.Person, access.Admin, "look into the audit of all places")
			}
			q.At = channels.Conversation{}
		default:
			found := named(people, word)
			if len(found) != 1 {
				return nil, unclear(found, word), nil
			}
			q.Person = found[0].ID
		}
	}
	return q, nil, nil
}

func (a Auditor) told(found []audit.Entry, people []access.Person, asFile bool) *bot.Answer {
	names := map[string]string{}
	for i := range people {
		names[people[i].ID] = people[i].Name
	}
	called := func(id string) string {
		if name := names[id]; name != "" {
			return name
		}
		return id
	}
	switch {
	case len(found) == 0:
		return aside("Nothing of that is in the audit.")
	case asFile:
		return &bot.Answer{
			Text:  fmt.Sprintf("The audit: %s.", bot.Count(len(found), "line")),
			Files: []channels.Attachment{{Name: "audit.csv", MediaType: "text/csv", Data: audit.CSV(found, called)}},
		}
	}
	var lines []string
	for i := range found[:min(len(found), auditShown)] {
		e := &found[i]
		line := fmt.Sprintf("- %s · %s · `%s` · **%s**", e.At.In(a.Zone).Format("2 Jan 15:04"),
			channels.Literal(called(e.Person)), channels.InCode(e.What, longestTold), e.Outcome)
		if e.Detail != "" && e.Outcome != audit.Done {
			line += " – " + channels.Literal(channels.OneLine(channels.InCode(e.Detail, longestTold)))
		}
		lines = append(lines, line)
	}
	if len(found) > auditShown {
		lines = append(lines, "- … more; `audit csv` has all")
	}
	return &bot.Answer{Card: &channels.Card{Title: "Audit", Body: strings.Join(lines, "\n")}, Aside: true}
}
