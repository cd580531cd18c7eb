package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"github.com/leadhand/leadhand/channels"
)

// mentionPolicy says whom a message notifies.
type mentionPolicy struct {
	Parse       []string `json:"parse"`
	RepliedUser bool     `json:"replied_user"`
}

// noMentions notifies nobody but the author of the message that is answered, whatever a model wrote.
var noMentions = &mentionPolicy{Parse: []string{}, RepliedUser: true}

// reference is the message that is answered; it may have been deleted meanwhile.
type reference struct {
	MessageID string `json:"message_id"`
	Fail      bool   `json:"fail_if_not_exists"`
}

// referTo refers from a message in a channel to the one that it answers; nil when there is none, or it stands
// elsewhere: what a thread begins with stands in the channel around it.
func referTo(id channels.MessageID, channel string) *reference {
	if !isID(string(id)) || string(id) == channel {
		return nil
	}
	return &reference{MessageID: string(id)}
}

// Flags of messages.
const (
	onlyForThem  = 1 << 6  // nobody else sees it
	componentsV2 = 1 << 15 // it is laid out with components. No edit takes this away
)

// outgoing is a new message as Discord takes it.
type outgoing struct {
	Content    string         `json:"content,omitempty"`
	Components []component    `json:"components,omitempty"`
	Mentions   *mentionPolicy `json:"allowed_mentions"`
	Flags      int            `json:"flags,omitempty"`
	Reference  *reference     `json:"message_reference,omitempty"`
	Nonce      string         `json:"nonce,omitempty"`
	Enforce    bool           `json:"enforce_nonce,omitempty"` // a nonce that was taken before shows nothing
}

// change is an edited message as Discord takes it. What is empty is sent too: it takes away what the message had.
type change struct {
	Content    *string        `json:"content"` // null for a message that is laid out with components; empty is refused
	Embeds     []struct{}     `json:"embeds"`  // as earlier versions of this program showed cards; null is refused
	Components []component    `json:"components"`
	Mentions   *mentionPolicy `json:"allowed_mentions"`
	Flags      int            `json:"flags,omitempty"`
	Files      []newFile      `json:"attachments,omitzero"` // all that the message has from now on
}

type newFile struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// posting is the body of a new message.
func (p *part) posting() outgoing {
	o := outgoing{Content: p.content, Components: p.layout(), Mentions: noMentions}
	if len(p.v2) > 0 {
		o.Content, o.Flags = "", componentsV2
	}
	if p.private {
		o.Flags |= onlyForThem
	}
	if p.via == nil { // answers to interactions know neither
		o.Reference, o.Nonce, o.Enforce = p.reference, p.nonce, p.nonce != ""
	}
	return o
}

// editing is the body of a changed message.
func (p *part) editing() change {
	e := change{Content: &p.content, Embeds: []struct{}{}, Components: p.layout(), Mentions: noMentions}
	for i, f := range p.files {
		e.Files = append(e.Files, newFile{i, f.name})
	}
	if len(p.v2) > 0 {
		e.Content, e.Flags = nil, componentsV2
		if e.Files == nil {
			e.Files = []newFile{}
		}
	}
	return e
}

// request is what delivers a part.
func (p *part) request(channel string) request {
	r := request{
		op: "post message", verb: http.MethodPost, url: discordgo.EndpointChannelMessages(channel), chat: channel,
		files: p.files,
	}
	if p.edit != "" {
		r.op, r.verb, r.url = "edit message", http.MethodPatch, discordgo.EndpointChannelMessage(channel, string(p.edit))
	}
	if v := p.via; v != nil {
		r.chat, r.answers = "", true
		r.url = discordgo.EndpointWebhookToken(v.application, v.token)
		if p.edit != "" {
			r.url = discordgo.EndpointWebhookMessage(v.application, v.token, string(p.edit))
		}
	}
	switch {
	case p.remove:
		r.op, r.verb = "delete message", http.MethodDelete
	case p.edit != "":
		r.body = p.editing()
	default:
		r.body = p.posting()
	}
	return r
}

// deliver makes the request.
func (c *Channel) deliver(ctx context.Context, channel string, p part) (channels.MessageID, error) {
	if p.edit != "" && !isID(string(p.edit)) && (p.edit != original || p.via == nil) {
		return "", &failure{
			op: "edit message", status: http.StatusNotFound, code: unknownMessage, text: "it is none of Discord",
		}
	}
	r := p.request(channel)
	if p.remove {
		return "", c.api.call(ctx, r, nil)
	}
	var sent struct {
		ID channels.MessageID `json:"id"`
	}
	err := c.api.call(ctx, r, &sent)
	if err == nil && p.edit == "" {
		c.signs.over(channel)
	}
	if err == nil {
		c.mine.keep(string(sent.ID), struct{}{})
	}
	return sent.ID, err
}
