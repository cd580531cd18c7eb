package discord_test

import "go.yaml.in/yaml/v3"

// decodeYAML fills a struct as the configuration file does.
func decodeYAML(from, into any) error {
	text, err := yaml.Marshal(from)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}
