package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/bot/access"
	"github.com/leadhand/leadhand/bot/command"
	"github.com/leadhand/leadhand/channels"
)

// did is a verb that answers with what it was asked.
func did(name string, role access.Role, subs ...command.Sub) command.Verb {
	return command.Verb{
		Name: name, Help: "about " + name, Role: role, Subs: subs,
		Do: func(_ context.Context, _ *bot.Request, args string) (*bot.Answer, error) {
			return &bot.Answer{Text: name + "(" + args + ")"}, nil
		},
	}
}

func registry() *command.Registry {
	free := did("note", access.Member)
	free.Free = true
	return command.New(
		did("new", access.Member), did("stop", access.Guest, command.Sub{Name: "all", Help: "also what waits"}),
		did("tools", access.Member, command.Sub{Name: "why", Args: "<tool>", Help: "why not"},
			command.Sub{Name: "allow", Args: "<tool>", Help: "let it", Role: access.Lead}), free,
	)
}

func TestSpoken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*channels.Command{
		"stop": {Name: "stop"}, " STOP  All ": {Name: "stop", Args: "All"}, "new": {Name: "new"},
		"/lead stop all": {Name: "stop", Args: "all"}, "lead tools why exec": {Name: "tools", Args: "why exec"},
		"tools why exec": {Name: "tools", Args: "why exec"}, "tools": {Name: "tools"}, "help": {Name: "help"},
		"new plan for the launch": nil, "stop the deployment": nil, "stop all of it": nil, "tools are missing": nil,
		"": nil, "hello": nil, "lead": nil, "lead the way": nil, "help me plan": nil, "note this": nil,
	} {
		if got := registry().Spoken(text); !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func do(t *testing.T, name, args string, role access.Role) (string, error) {
	t.Helper()
	a, err := registry().Do(t.Context(), &bot.Request{
		In: &channels.Inbound{Command: &channels.Command{Name: name, Args: args}}, Person: &access.Person{Role: role},
	})
	if err != nil {
		return "", err
	}
	return a.Text, nil
}

func TestDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, args, want string }{
		{"new", "", "new()"}, {"New", " ", "new()"}, {"stop", "all", "stop(all)"}, {"note", "any words", "note(any words)"},
		{"tools", "why exec", "tools(why exec)"}, {"lead", "tools why exec", "tools(why exec)"}, {"lead", "stop", "stop()"},
		{"new", "plan", "`new` takes nothing behind it."}, {"stop", "alll", "Did you mean `stop all`?"},
		{"tols", "", "There is no command `tols`. Did you mean `tools`?"}, {"lead", "tols x", "Did you mean `tools`?"},
		{"a`b", "", "There is no command `a'b`."}, {"help", "tools", "- `tools why <tool>` – why not"},
		{"help", "tols", "Did you mean `tools`?"}, {"start", "abc", "Write what you need"}, {"lead", "", "Write what you need"},
	} {
		if got, err := do(t, tt.name, tt.args, access.Owner); err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %q, %v, want %q", tt.name, tt.args, got, err, tt.want)
		}
	}
}

// TestRolesOfVerbs: each verb and each word of it, for every role.
func TestRolesOfVerbs(t *testing.T) {
	t.Parallel()
	least := map[[2]string]access.Role{
		{"new", ""}: access.Member, {"stop", "all"}: access.Guest, {"tools", "why x"}: access.Member,
		{"tools", "allow x"}: access.Lead, {"help", ""}: access.Guest,
	}
	for said, least := range least {
		for _, role := range append(access.Roles(), "", "king") {
			_, err := do(t, said[0], said[1], role)
			refusal, refused := errors.AsType[*access.Refusal](err)
			if refused == role.AtLeast(least) || refused && (refusal.What == "" || refusal.Why == "" || refusal.Who == "") {
				t.Errorf("%v as %q: %v", said, role, err)
			}
		}
	}
	if text, err := do(t, "help", "", access.Guest); err != nil || strings.Contains(text, "tools") || !strings.Contains(text, "stop") {
		t.Errorf("help for a guest: %q, %v", text, err)
	}
}
