package app

import (
	"context"
)

// findModel makes sure that a chat has a model.
func findModel(ctx context.Context, cfg *Config, env Environ, t Terminal) error {
	if len(cfg.Models) > 0 {
		return nil
	}
	_, _, err := modelFromEnv(env)
	return err
}
