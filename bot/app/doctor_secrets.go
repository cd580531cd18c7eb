package app

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/leadhand/leadhand/channels"
)

// secrets looks whether all secrets open, and who else can read their key. Where there are none it says nothing.
func (d *doctor) secrets(ctx context.Context) []channels.Finding {
	if d.db == nil {
		return nil
	}
	v := d.cfg.vault(d.db, d.env)
	all, broken, err := v.Check(ctx)
	switch {
	case err != nil:
		return []channels.Finding{failed("secrets: they can't be read: "+err.Error(), "see to the database")}
	case len(all) == 0:
		return nil
	}
	var found []channels.Finding
	for _, name := range names(broken) {
		found = append(found, failed("secrets: "+broken[name].Error(),
			"bring the key back, or set it anew: `leadhand secret set "+name+"`"))
	}
	if len(broken) == 0 {
		found = append(found, fine(fmt.Sprintf("secrets: %d, and all open with the key in %s", len(all), v.Keys.Where())))
	}
	if info, err := os.Stat(v.Keys.Path); err == nil && v.Keys.Text == "" && info.Mode().Perm()&0o077 != 0 && v.Keys.Mine {
		found = append(found, worry("secrets: others on this machine can read "+v.Keys.Path, "chmod 600 "+v.Keys.Path))
	}
	if v.Keys.Mine && strings.HasPrefix(d.cfg.Database, "postgres") {
		found = append(found, worry("secrets: their key is on this machine alone, so other replicas open none",
			"give all of them the same LEADHAND_SECRET_KEY or LEADHAND_SECRET_KEY_FILE"))
	}
	return found
}
