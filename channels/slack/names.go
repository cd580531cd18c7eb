package slack

import (
	"cmp"
	"context"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

const (
	nameAge     = time.Hour   // people rename themselves seldom
	nameFault   = time.Minute // until Slack is asked again for a name that it did not tell
	maxNames    = 2000
	lookupsTime = 2 * time.Second // for all that is looked up about one message
	hintTime    = time.Second     // the same about what Slack does not deliver again
)

// names remembers what people and channels are called. The zero value is ready to use.
type names struct {
	mu   sync.Mutex
	kept map[string]calling
}

type calling struct {
	name   string
	secret bool // only for those who are in the channel
	until  time.Time
}

func (n *names) get(id string) (calling, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k, ok := n.kept[id]
	return k, ok && time.Now().Before(k.until)
}

func (n *names) keep(id string, k calling, age time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept == nil || len(n.kept) >= maxNames {
		n.kept = map[string]calling{}
	}
	k.until = time.Now().Add(age)
	n.kept[id] = k
}

// called is a person's name, or the id when Slack does not tell it until ctx is done.
func (c *Channel) called(ctx context.Context, id string) string {
	if kept, ok := c.names.get(id); ok || id == "" {
		return kept.name
	}
	var u *slackgo.User
	err := c.api.call(ctx, "users.info", "", func(ctx context.Context) (err error) {
		u, err = c.api.GetUserInfoContext(ctx, id)
		return err
	})
	if err != nil {
		c.env.Log.Debug("look up a person's name", "user", id, "err", err)
		c.names.keep(id, calling{name: id}, nameFault)
		return id
	}
	name := cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name, id)
	c.names.keep(id, calling{name: name}, nameAge)
	return name
}

// presser is a person that Slack named by itself: nothing is looked up.
func (c *Channel) presser(id, name string) channels.Sender {
	if kept, ok := c.names.get(id); ok {
		name = kept.name
	}
	return channels.Sender{ID: channels.UserID(id), Name: cmp.Or(name, id)}
}

func (c *Channel) person(ctx context.Context, id string) channels.Sender {
	return channels.Sender{ID: channels.UserID(id), Name: c.called(ctx, id)}
}
