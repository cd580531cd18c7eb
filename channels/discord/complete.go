package discord

import (
	"context"
	"fmt"
	"time"
)

// suggestion is what may stand in a command that is being typed.
type suggestion struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const (
	maxSuggestions = 25
	maxSuggested   = 100 // characters of name and value
	// suggestTime is how long the program may think about suggestions; Discord waits 3 s.
	suggestTime = 2 * time.Second
)

// suggest answers somebody who types a command with what may follow. It is no message: nothing of it is kept, and what
// goes wrong shows as no suggestions.
func (in *intake) suggest(ctx context.Context, i *interaction) {
	found := make(chan []suggestion, 1)
	in.spawn(func() {
		thinking, cancel := context.WithTimeout(ctx, suggestTime)
		defer cancel()
		defer func() {
			if v := recover(); v != nil {
				in.c.env.Log.Error("suggest what follows a command", "err", in.c.api.hide(fmt.Sprint(v)))
				found <- nil
			}
		}()
		found <- in.c.suggestions(thinking, i)
	})
	in.spawn(func() {
		list := []suggestion{}
		select {
		case got := <-found:
			list = append(list, got...)
		case <-time.After(suggestTime):
		}
		in.c.acknowledge(ctx, i, response{respondChoices, &responseData{Choices: list}})
	})
}

// suggestions asks the program. What does not fit into Discord's list is left out.
func (c *Channel) suggestions(ctx context.Context, i *interaction) (list []suggestion) {
	m, ok := i.typed()
	if c.env.Complete == nil || !ok || m.command == nil {
		return nil
	}
	in, err := c.pressed(ctx, i, m)
	if err != nil {
		c.env.Log.Debug("suggest what follows a command", "err", err)
		return nil
	}
	for _, o := range c.env.Complete(ctx, in) {
		s := suggestion{cut(o.Text, maxSuggested), o.Value}
		if s.Name == "" {
			s.Name = cut(o.Value, maxSuggested)
		}
		if s.Value != "" && len([]rune(s.Value)) <= maxSuggested && len(list) < maxSuggestions {
			list = append(list, s)
		}
	}
	return list
}
