package command

import (
	"context"
	"errors"
	"time"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/place"
)

// Mute lets the bot leave a conversation alone: there it answers only who names it.
func Mute(book Book) Verb {
	return Verb{
		Name: "mute", Changes: always, Help: "leave this thread alone: answer only who mentions me", Role: access.Member,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			if req.In.Direct {
				return aside("Here I hear only you. Begin a message with `!aside` and I don't read it."), nil
			}
			return quiet(ctx, book, req, "on", "I leave this alone now and answer only who mentions me. `unmute` ends that.")
		},
	}
}

// Unmute ends what Mute began.
func Unmute(book Book) Verb {
	return Verb{
		Name: "unmute", Changes: always, Help: "be back after `mute`", Role: access.Member,
		Do: func(ctx context.Context, req *bot.Request, _ string) (*bot.Answer, error) {
			return quiet(ctx, book, req, "", "I am back.")
		},
	}
}

// quiet mutes or unmutes the place of a request. What a wider place says is ended there.
func quiet(ctx context.Context, book Book, req *bot.Request, value, done string) (*bot.Answer, error) {
	e, err := book.Fresh(ctx, req.In.Conversation)
	if err != nil {
		return nil, err
	}
	s := place.Setting{
		At: req.In.Conversation, Key: place.KeyMute, Value: value, By: req.Person.Name, When: time.Now(),
	}
	switch now := e.Get(place.KeyMute); {
	case now == nil && value == "":
		return aside("Nobody muted me here."), nil
	case now != nil && value != "":
		return aside("I am muted here already. `unmute` ends that."), nil
	case now != nil:
		s.At, s.Revision = now.At, now.Revision
	}
	if s.At != req.In.Conversation && !req.Person.Role.AtLeast(access.Lead) {
		return nil, access.Lacks(req.Person, access.Lead, "unmute me for more than this thread")
	}
	err = book.Set(ctx, s)
	if err != nil && !errors.Is(err, place.ErrChanged) { // somebody else just did the same
		return nil, err
	}
	return openly("%s", done), nil
}
