package store_test

import (
	"errors"
	"testing"

	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestStatementsOnTenantTablesMustNameTheTenant(t *testing.T) {
	t.Parallel()
	type do = func(tx *gorm.DB) error
	var n int
	var rows []store.FileRow
	raw := func(sql string, args ...any) do {
		return func(tx *gorm.DB) error { return tx.Raw(sql, args...).Scan(&n).Error }
	}
	exec := func(sql string, args ...any) do {
		return func(tx *gorm.DB) error { return tx.Exec(sql, args...).Error }
	}
	mine, nobodys := &store.FileRow{Tenant: "acme", Path: "a"}, &store.FileRow{Path: "a"}
	refused := map[string]do{
		"select":              func(tx *gorm.DB) error { return tx.Find(&rows).Error },
		"select by a column":  func(tx *gorm.DB) error { return tx.Where("path = ?", "a").Find(&rows).Error },
		"count":               func(tx *gorm.DB) error { return tx.Table("files").Count(new(int64)).Error },
		"pluck":               func(tx *gorm.DB) error { return tx.Table("files").Pluck("path", &[]string{}).Error },
		"rows":                func(tx *gorm.DB) error { _, err := tx.Table("files").Rows(); return err },
		"an alias":            func(tx *gorm.DB) error { return tx.Table("files f").Where("f.path = 'a'").Scan(&rows).Error },
		"AS an alias":         func(tx *gorm.DB) error { return tx.Table("files AS f").Where("f.path = 'a'").Scan(&rows).Error },
		"joined":              func(tx *gorm.DB) error { return tx.Table("blobs").Joins("JOIN files ON true").Scan(&rows).Error },
		"a near miss":         func(tx *gorm.DB) error { return tx.Where("tenant_x = ?", "acme").Find(&rows).Error },
		"another near miss":   func(tx *gorm.DB) error { return tx.Where("x_tenant = ?", "acme").Find(&rows).Error },
		"or somebody else's":  func(tx *gorm.DB) error { return tx.Where("tenant = 'a'").Or("path = 'a'").Find(&rows).Error },
		"not the tenant":      func(tx *gorm.DB) error { return tx.Not("tenant = ?", "acme").Find(&rows).Error },
		"updates":             func(tx *gorm.DB) error { return tx.Table("files").Where("path = 'a'").Update("newest", 0).Error },
		"updates of all":      func(tx *gorm.DB) error { return tx.Model(&store.FileRow{}).Where("1 = 1").Update("newest", 0).Error },
		"delete":              func(tx *gorm.DB) error { return tx.Where("path = 'a'").Delete(&store.FileRow{}).Error },
		"create with none":    func(tx *gorm.DB) error { return tx.Create(nobodys).Error },
		"create one with":     func(tx *gorm.DB) error { return tx.Create([]*store.FileRow{mine, nobodys}).Error },
		"create from a map":   func(tx *gorm.DB) error { return tx.Table("files").Create(map[string]any{"path": "a"}).Error },
		"create a map as row": func(tx *gorm.DB) error { return tx.Model(mine).Create(map[string]any{"path": "a"}).Error },

		"raw select":          raw(`SELECT count(*) FROM files WHERE path = ?`, "a"),
		"raw rows":            func(tx *gorm.DB) error { _, err := tx.Raw(`SELECT * FROM files`).Rows(); return err },
		"raw, in capitals":    raw(`SELECT COUNT(*) FROM FILES`),
		"raw, quoted":         raw(`SELECT count(*) FROM "files"`),
		"raw, with a schema":  raw(`SELECT count(*) FROM main.files`),
		"raw, after a comma":  raw(`SELECT count(*) FROM blobs b, files f`),
		"raw, in a subquery":  raw(`SELECT count(*) FROM blobs WHERE hash IN (SELECT hash FROM files)`),
		"raw, only selected":  raw(`SELECT tenant = 'acme' FROM files`),
		"raw, a near miss":    raw(`SELECT count(*) FROM files WHERE tenant_x = ?`, "acme"),
		"raw update":          exec(`UPDATE files SET newest = 0`),
		"raw, only written":   exec(`UPDATE files SET tenant = 'acme' WHERE path = 'a'`),
		"raw delete":          exec(`DELETE FROM files WHERE path = 'a'`),
		"raw insert":          exec(`INSERT INTO files (path) VALUES ('a')`),
		"raw insert as value": exec(`INSERT INTO files (path) VALUES ('tenant')`),
	}
	allowed := map[string]do{
		"select":        func(tx *gorm.DB) error { return tx.Where("tenant = ?", "acme").Find(&rows).Error },
		"by struct":     func(tx *gorm.DB) error { return tx.Where(&store.FileRow{Tenant: "acme"}).Find(&rows).Error },
		"by map":        func(tx *gorm.DB) error { return tx.Where(map[string]any{"tenant": "acme"}).Find(&rows).Error },
		"several":       func(tx *gorm.DB) error { return tx.Where("tenant IN ?", []string{"a", "b"}).Find(&rows).Error },
		"update":        func(tx *gorm.DB) error { return tx.Table("files").Where("tenant = 'a'").Update("newest", 0).Error },
		"delete":        func(tx *gorm.DB) error { return tx.Where("tenant = 'a'").Delete(&store.FileRow{}).Error },
		"create":        func(tx *gorm.DB) error { return tx.Create(&store.FileRow{Tenant: "acme", Path: "b"}).Error },
		"raw":           raw(`SELECT count(*) FROM files WHERE tenant = ?`, "acme"),
		"raw update":    exec(`UPDATE files SET newest = 0 WHERE tenant = ?`, "acme"),
		"shared tables": raw(`SELECT count(*) FROM lanes`),
		"said so":       raw(store.AcrossTenants + `SELECT count(*) FROM files`),
		"said so in a condition": func(tx *gorm.DB) error {
			return tx.Where(store.AcrossTenants + "path = 'a'").Find(&rows).Error
		},
	}
	storetest.Each(t, func(t *testing.T, url string) {
		db := storetest.Open(t, url)
		for name, fn := range refused {
			if err := db.Write(t.Context(), fn); !errors.Is(err, store.ErrNoTenant) {
				t.Errorf("%s: %v, want a refusal", name, err)
			}
		}
		for name, fn := range allowed {
			if err := db.Write(t.Context(), fn); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
