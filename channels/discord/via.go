package discord

import (
	"strconv"
	"strings"
	"time"
)

// via is how an interaction can still be answered: by the right that it gives, for a quarter of an hour.
type via struct {
	kind        viaKind
	application string
	channel     string // where it was used
	user        string // by whom
	token       string // a secret
	until       time.Time
}

// viaKind is what the first response to an interaction was, which Discord calls the original.
type viaKind string

// Kinds of first responses.
const (
	openWord  viaKind = "open"  // a word that everybody sees. The answer takes its place
	quietWord viaKind = "quiet" // a word that only the person sees
	noWord    viaKind = "none"  // none: the original is the message with the button, which stays
)

// original stands for the first response where an id of a message is expected.
const original = "@original"

const (
	viaVersion = "1"
	viaFields  = 7
)

// String is what the program keeps of it.
func (v *via) String() string {
	return strings.Join([]string{
		viaVersion, string(v.kind), v.application, v.channel, v.user, strconv.FormatInt(v.until.Unix(), 10), v.token,
	}, " ")
}

// viaOf reads what String wrote; nil when it is something else.
func viaOf(s string) *via {
	f := strings.Split(s, " ")
	if len(f) != viaFields || f[0] != viaVersion {
		return nil
	}
	until, err := strconv.ParseInt(f[5], 10, 64)
	if err != nil || !isID(f[2]) || !isID(f[3]) || !isID(f[4]) || !isToken(f[6]) {
		return nil
	}
	return &via{viaKind(f[1]), f[2], f[3], f[4], f[6], time.Unix(until, 0)}
}

// isToken tells whether s can be the token of an interaction. Tokens become parts of URLs.
func isToken(s string) bool { return s != "" && !strings.ContainsAny(s, "/?#% ") }

// via is how a message to a channel may be answered; nil when its time is over, or it was another channel's.
func (c *Channel) via(s, channel string) *via {
	v := viaOf(s)
	if v == nil {
		return nil
	}
	c.api.secrets.keep(v.token, struct{}{})
	if v.channel != channel || time.Now().After(v.until) {
		return nil
	}
	return v
}

// viaFor is how an interaction that was answered with a first word can be answered further.
func (c *Channel) viaFor(i *interaction, kind viaKind, received time.Time) string {
	me := c.me.Load()
	if me == nil {
		return ""
	}
	v := via{kind, me.application, i.ChannelID, i.who().ID, i.Token, received.Add(c.timing.via)}
	if kind != noWord {
		c.originals.free(v.token)
	}
	return v.String()
}
