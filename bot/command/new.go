package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/inbox"
	"github.com/leadhand/leadhand/channels"
)

// Sessions finds, ends and resumes the sessions of conversations.
type Sessions interface {
	End(ctx context.Context, tenant, agent string, c channels.Conversation, title string) (
		messages int, found bool, err error)
	Busy(ctx context.Context, tenant string, c channels.Conversation) ([]inbox.Busy, error)
	// BusyBelow is Busy of all topics of a chat.
	BusyBelow(ctx context.Context, tenant string, c channels.Conversation) ([]inbox.Busy, error)
	Past(ctx context.Context, tenant, agent string, c channels.Conversation, limit int) ([]inbox.Past, error)
	Resume(ctx context.Context, tenant, agent string, c channels.Conversation, id string) (found bool, err error)
}

// Answering tells which agent answers in a conversation.
type Answering func(ctx context.Context, c channels.Conversation) (agent string, err error)

// Fresh starts a new session in a conversation.
func Fresh(tenant string, sessions Sessions, agent Answering) Verb {
	return Verb{
		Name: "new", Changes: always, Help: "start a new session here; the old one is kept", Role: access.Member, Free: true,
		Do: func(ctx context.Context, req *bot.Request, title string) (*bot.Answer, error) {
			who, err := agent(ctx, req.In.Conversation)
			if err != nil {
				return nil, err
			}
			n, found, err := sessions.End(ctx, tenant, who, req.In.Conversation, inTitle(title))
			switch {
			case err != nil:
				return nil, err
			case !found:
				return openly("This is a new session already."), nil
			}
			return openly("New session. The old one, with %s of yours, is kept: `resume` goes back to it.",
				bot.Count(n, "message")), nil
		},
	}
}

// maxTitle is how many characters a title may have.
const maxTitle = 80

func inTitle(title string) string {
	r := []rune(channels.OneLine(title))
	return string(r[:min(len(r), maxTitle)])
}

// pastShown is how many ended sessions are listed.
const pastShown = 10

// Resume goes back to a session that was ended: to the last one, or to one of a list.
func Resume(tenant string, sessions Sessions, agent Answering, zone *time.Location) Verb {
	past := func(ctx context.Context, req *bot.Request) (string, []inbox.Past, error) {
		who, err := agent(ctx, req.In.Conversation)
		if err != nil {
			return "", nil, err
		}
		all, err := sessions.Past(ctx, tenant, who, req.In.Conversation, pastShown)
		return who, all, err
	}
	return Verb{
		Name: "resume", Changes: func(args string) bool { return args != "list" }, Role: access.Member, Free: true,
		Help: "go back to the session before; `resume list` shows more of them",
		Subs: []Sub{{Name: "list", Help: "the sessions that were ended here"}},
		Says: func(args string) bool { _, err := strconv.Atoi(args); return err == nil },
		Do: func(ctx context.Context, req *bot.Request, args string) (*bot.Answer, error) {
			who, all, err := past(ctx, req)
			switch {
			case err != nil:
				return nil, err
			case len(all) == 0:
				return aside("There is no older session here."), nil
			case strings.EqualFold(args, "list"):
				return listed(all, zone), nil
			}
			p := which(all, args)
			if p == nil {
				return aside("There is no session `%s` here. `resume list` shows those that there are.", inline(args)), nil
			}
			found, err := sessions.Resume(ctx, tenant, who, req.In.Conversation, p.ID)
			switch {
			case err != nil:
				return nil, err
			case !found:
				return openly("Somebody went back to that session a moment ago, so I did nothing."), nil
			}
			return openly("We are back in %s. What we just had is kept, too.", described(p, zone)), nil
		},
	}
}

// which is the session that somebody means: the last one, that of a number in the list, or of an id.
func which(all []inbox.Past, args string) *inbox.Past {
	if args == "" {
		return &all[0]
	}
	n, err := strconv.Atoi(args)
	for i := range all {
		if all[i].ID == args || err == nil && n == i+1 {
			return &all[i]
		}
	}
	return nil
}

// described is a session in words.
func described(p *inbox.Past, zone *time.Location) string {
	name := "the session"
	if p.Title != "" {
		name = "“" + channels.Literal(p.Title) + "”"
	}
	return fmt.Sprintf("%s of %s, with %s of yours", name, p.Began.In(zone).Format("2 Jan 15:04"),
		bot.Count(p.Messages, "message"))
}

// listed shows sessions with a choice of them.
func listed(all []inbox.Past, zone *time.Location) *bot.Answer {
	choice := channels.Button{Text: "Go back to", Command: channels.Command{Name: "resume"}}
	lines := make([]string, len(all))
	for i := range all {
		p := &all[i]
		lines[i] = fmt.Sprintf("%d. %s", i+1, described(p, zone))
		name := p.Title
		if name == "" {
			name = p.Began.In(zone).Format("2 Jan 15:04")
		}
		choice.Options = append(choice.Options, channels.Option{Text: name, Value: p.ID})
	}
	return &bot.Answer{Text: strings.Join(lines, "\n"), Aside: true, Buttons: [][]channels.Button{{choice}}}
}
