// Package migrations holds the schema of the database as SQL, one folder a dialect, in goose's format.
//
// A change of the schema is a new file with the next number in both folders; files that were released never change.
package migrations

import "embed"

// FS holds the folders "sqlite" and "postgres".
//
//go:embed sqlite/*.sql postgres/*.sql
var FS embed.FS
