package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/secret"
)

// Secrets are what `leadhand secret` works on.
type Secrets struct {
	Config *Config // Home is enough
	Env    Environ
	Terminal
}

// open gives the vault to do.
func (s *Secrets) open(ctx context.Context, do func(v *secret.Vault) error) error {
	db, err := openSecrets(ctx, s.Config)
	if err != nil {
		return explain(s.Config, err)
	}
	return errors.Join(do(s.Config.vault(db, s.Env)), db.Close())
}

func (s *Secrets) say(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format, args...) }

// Set keeps a value, which comes from the source, from a person at a terminal who does not see it, or from the input.
func (s *Secrets) Set(ctx context.Context, name string, from Source) error {
	if err := secret.CheckName(name); err != nil {
		return err
	}
	value, err := s.value(ctx, from)
	if err != nil {
		return err
	}
	value = strings.TrimRight(value, "\r\n")
	return s.open(ctx, func(v *secret.Vault) error {
		if err := v.Set(ctx, name, value, localUser().Name); err != nil {
			return err
		}
		s.say("%s is kept, sealed under the key in %s. Write secret:%s where the configuration takes it.\n"+
			"Keep a copy of the key elsewhere: without it nothing opens.\n", name, v.Keys.Where(), name)
		return nil
	})
}

func (s *Secrets) value(ctx context.Context, from Source) (string, error) {
	switch {
	case from != Source{}:
		return from.read(s.Env, "--")
	case s.interactive():
		value, err := terminalAsker{s.In, s.Out}.Secret(ctx, "Value, which is not shown: ")
		if errors.Is(err, io.EOF) {
			err = errors.New("the question was left, and nothing is kept")
		}
		return value, err
	}
	raw, err := io.ReadAll(io.LimitReader(s.In, secret.MaxValue+3)) // with a line end
	if err != nil {
		return "", fmt.Errorf("read the value from the input: %w", err)
	}
	return string(raw), nil
}

// List tells of all secrets, without their values, and of those that do not open.
func (s *Secrets) List(ctx context.Context, asJSON bool) error {
	return s.open(ctx, func(v *secret.Vault) error {
		all, broken, err := v.Check(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return s.listJSON(all, broken)
		}
		if len(all) == 0 {
			s.say("There is no secret yet; `leadhand secret set NAME` keeps one.\n")
		}
		for _, one := range all {
			s.say("%-32s set %s by %s, key %s%s\n", one.Name, one.SetAt.Local().Format("2006-01-02 15:04"),
				oneLine(one.SetBy), one.Key, because(broken[one.Name]))
		}
		if len(broken) > 0 {
			return fmt.Errorf("%d of %d secrets do not open", len(broken), len(all))
		}
		return nil
	})
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return " – " + oneLine(err.Error())
}

func (s *Secrets) listJSON(all []secret.Secret, broken map[string]error) error {
	type shown struct {
		Name  string    `json:"name"`
		Key   string    `json:"key"`
		SetBy string    `json:"set_by"`
		SetAt time.Time `json:"set_at"`
		Error string    `json:"error,omitempty"`
	}
	list := make([]shown, len(all))
	for i, one := range all {
		list[i] = shown{Name: one.Name, Key: one.Key, SetBy: one.SetBy, SetAt: one.SetAt}
		if err := broken[one.Name]; err != nil {
			list[i].Error = err.Error()
		}
	}
	enc := json.NewEncoder(s.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// Remove forgets a secret. One that the configuration refers to stays unless force is set: the bot would not start.
func (s *Secrets) Remove(ctx context.Context, name string, force bool) error {
	if err := secret.CheckName(name); err != nil {
		return err
	}
	if lines := s.references(name); len(lines) > 0 && !force {
		return fmt.Errorf("%s refers to it in line %s, and the bot would not start: change that first, or add --force",
			s.Config.path(), strings.Join(lines, ", "))
	}
	return s.open(ctx, func(v *secret.Vault) error {
		if err := v.Remove(ctx, name); err != nil {
			return err
		}
		s.say("%s is removed. A backup may hold it still, and a bot that runs knows it until it starts again.\n", name)
		return nil
	})
}

// references are the lines of the configuration that refer to a secret.
func (s *Secrets) references(name string) (lines []string) {
	root, err := saved(s.Config.path())
	if err != nil {
		return nil
	}
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Value == "secret:"+name {
			lines = append(lines, strconv.Itoa(n.Line))
		}
		for _, c := range n.Content {
			look(c)
		}
	}
	look(root)
	return slices.Compact(lines)
}

// Rotate seals all secrets under another key.
func (s *Secrets) Rotate(ctx context.Context) error {
	return s.open(ctx, func(v *secret.Vault) error {
		n, key, err := v.Rotate(ctx)
		if err != nil {
			return err
		}
		s.say("Secrets sealed anew: %d, under key %s in %s.\n", n, key, v.Keys.Where())
		if v.Keys.Mine {
			s.say("Backups from before need the key from before. Keep a copy of the new one elsewhere.\n")
		} else {
			s.say("The keys behind the first one are not needed any more, except for backups from before.\n")
		}
		return nil
	})
}
