package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/app/strict"
)

// module is the channel's configuration with these values of its secrets.
func (w *wizard) module(secrets map[string]string) (Module, error) {
	settings := map[string]string{}
	for key, value := range w.Plain {
		if value != "" {
			settings[key] = value
		}
	}
	if w.APIURL != "" {
		settings["api_url"] = w.APIURL
	}
	for key, value := range settings {
		if strict.Refers(value) {
			return Module{}, fmt.Errorf("%s: a reference is not taken here", key)
		}
	}
	for key, value := range secrets {
		settings[key] = value
	}
	m := Module{Kind: w.Kind}
	return m, m.Settings.Encode(settings)
}

// read takes the secrets from where they are said to be, or asks for them.
func (w *wizard) read(ctx context.Context) (map[string]string, error) {
	got := map[string]string{}
	for _, s := range w.secrets {
		from, given := w.Secrets[s.setting]
		flag := "--" + strings.ReplaceAll(s.setting, "_", "-")
		var err error
		switch {
		case given:
			got[s.setting], err = from.read(w.env, flag+"-")
		case s.quiet, s.unless != "" && got[s.unless] != "":
			continue
		case w.ask == nil:
			err = fmt.Errorf("%s is missing: name where it is with %s-env NAME or %s-file FILE, or run this in a terminal",
				s.setting, flag, flag)
		default:
			if got[s.setting], err = w.ask.Secret(ctx, s.question); errors.Is(err, io.EOF) {
				err = errors.New("the questions were left, and nothing is saved")
			}
		}
		if err != nil {
			return nil, err
		}
		if got[s.setting] = strings.TrimSpace(got[s.setting]); got[s.setting] == "" {
			delete(got, s.setting) // the adapter says what that means
		}
	}
	return got, nil
}

// save writes the secrets into files of their own and the channel into the configuration.
func (w *wizard) save(secrets map[string]string) (err error) {
	refs := map[string]string{}
	if w.cfg.file != "" {
		for key := range secrets {
			refs[key] = "${" + channelKinds()[w.Kind].env[key] + "}"
		}
		return w.showModule(refs)
	}
	if err := os.MkdirAll(w.cfg.Data, 0o700); err != nil {
		return explain(w.cfg, fmt.Errorf("make the data directory: %w", err))
	}
	var made []string
	defer func() {
		for _, path := range made {
			if err != nil {
				_ = os.Remove(path)
			}
		}
	}()
	for _, key := range names(secrets) {
		file := w.Name + "." + key
		path := filepath.Join(w.cfg.Data, file)
		if err := writeSecret(path, secrets[key]); err != nil {
			return err
		}
		made, refs[key] = append(made, path), "file:"+file
	}
	m, err := w.module(refs)
	if err != nil {
		return err
	}
	if err := change(w.cfg.path(), func(root *yaml.Node) error { return add(root, m, "channels", w.Name) }); err != nil {
		return err
	}
	w.say("Saved in %s as %s. The tokens are in files beside it that only you can read: %s.\n",
		w.cfg.path(), w.Name, strings.Join(base(made), ", "))
	return nil
}

func base(paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = filepath.Base(p)
	}
	return all
}

// writeSecret makes a private file. It overwrites none.
func writeSecret(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already, and the configuration does not use it: move it away", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(value + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// showModule prints what belongs into a configuration file that leadhand does not write.
func (w *wizard) showModule(refs map[string]string) error {
	m, err := w.module(refs)
	if err != nil {
		return err
	}
	raw, err := yaml.Marshal(map[string]any{"channels": map[string]Module{w.Name: m}})
	if err != nil {
		return err
	}
	w.say("It works. %s is yours, so nothing is written there. Write this into it:\n\n%s\n", w.cfg.file, raw)
	return nil
}
