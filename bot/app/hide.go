package app

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/tools/scrub"
)

// scrubber knows all secrets of a configuration.
func scrubber(cfg *Config, env Environ) *scrub.Scrubber {
	s := &scrub.Scrubber{}
	for _, v := range secretsIn(cfg, env) {
		if telling(v) {
			s.Register(v, "of this bot")
		}
	}
	return s
}

// shortestWord is from what length a word without digits is taken out of all texts.
const shortestWord = 16

// telling tells whether a secret is no ordinary word: servers on this machine take any key, such as "ollama".
func telling(v string) bool { return strings.ContainsAny(v, "0123456789") || len(v) >= shortestWord }

// secretsIn are the values of all secrets of a configuration and of the environment.
func secretsIn(cfg *Config, env Environ) (all []string) {
	for _, modules := range []map[string]Module{cfg.Channels, cfg.Models} {
		for _, m := range modules {
			all = append(all, secretValues(&m.Settings)...)
		}
	}
	for _, k := range modelKinds() {
		all = append(all, env[k.keyEnv])
	}
	all = append(append(all, cfg.hidden...), env["LEADHAND_SECRET_KEY"])
	if u, err := url.Parse(cfg.Database); err == nil && u.User != nil {
		password, _ := u.User.Password()
		all = append(all, password, u.Query().Get("password"))
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return slices.DeleteFunc(all, func(v string) bool { return v == "" })
}

// shortestSecret is the length from which a value is taken out of what doctor shows.
const shortestSecret = 6

// secretsOf takes all secrets of a configuration out of a text of doctor, ordinary words too.
func secretsOf(cfg *Config, env Environ) *strings.Replacer {
	all := secretsIn(cfg, env)
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest first
	var pairs []string
	for _, v := range all {
		if len(v) >= shortestSecret {
			pairs = append(pairs, v, "…", url.QueryEscape(v), "…")
		}
	}
	return strings.NewReplacer(pairs...)
}

// secretValues are the values below a node whose keys sound like secrets.
func secretValues(n *yaml.Node) (all []string) {
	for i, c := range n.Content {
		all = append(all, secretValues(c)...)
		if n.Kind != yaml.MappingNode || i%2 == 0 || c.Kind != yaml.ScalarNode {
			continue
		}
		key := n.Content[i-1].Value
		if strings.Contains(key, "token") || strings.Contains(key, "secret") || strings.Contains(key, "key") {
			all = append(all, c.Value)
		}
	}
	return all
}
