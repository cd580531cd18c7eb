package store

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// ErrNoTenant refuses a statement on a tenant's table that names no tenant.
var ErrNoTenant = errors.New("the statement names no tenant")

// tenantTables hold rows that belong to tenants. The engine's own tables (lanes, leases, replicas, blobs) are shared.
var tenantTables = []string{"sessions", "inbox", "history", "outbox", "files"}

// acrossTenants is a comment for statements of the engine that must see the rows of all tenants (retention, the work
// at the head of a lane).
const acrossTenants = "/* across tenants */ "

var (
	tenantTable = regexp.MustCompile(`(?i)\b(?:from|join|into|update)\s+"?(?:` + strings.Join(tenantTables, "|") + `)\b`)
	byTenant    = regexp.MustCompile(`(?i)\btenant (?:=|in\b)|insert into \w+ \([^)]*\btenant\b`)
)

// guardTenants refuses statements that forgot the tenant, at the one place every statement passes. Statements that
// GORM builds are checked by their clauses, raw ones by their text.
func guardTenants(g *gorm.DB) error {
	cb := g.Callback()
	return errors.Join(
		cb.Raw().Before("gorm:raw").Register("leadhand:tenant", checkText),
		cb.Row().Before("gorm:row").Register("leadhand:tenant", checkText),
		cb.Query().Before("gorm:query").Register("leadhand:tenant", checkWhere),
		cb.Update().Before("gorm:update").Register("leadhand:tenant", checkWhere),
		cb.Delete().Before("gorm:delete").Register("leadhand:tenant", checkWhere),
		cb.Create().Before("gorm:create").Register("leadhand:tenant", checkCreate),
	)
}

func checkText(tx *gorm.DB) {
	sql := tx.Statement.SQL.String()
	if tenantTable.MatchString(sql) && !namesTenant(sql) {
		refuse(tx)
	}
}

func namesTenant(sql string) bool {
	return strings.Contains(sql, acrossTenants) || byTenant.MatchString(sql)
}

func checkWhere(tx *gorm.DB) {
	if tx.Statement.SQL.Len() > 0 { // Raw(...).Scan: written by hand
		checkText(tx)
		return
	}
	if !onTenantTable(tx) {
		return
	}
	where, _ := tx.Statement.Clauses["WHERE"].Expression.(clause.Where)
	if !mentionsTenant(where.Exprs) {
		refuse(tx)
	}
}

func mentionsTenant(exprs []clause.Expression) bool {
	for _, e := range exprs {
		switch e := e.(type) {
		case clause.Eq:
			if c, ok := e.Column.(clause.Column); ok && c.Name == "tenant" || e.Column == "tenant" {
				return true
			}
		case clause.Expr:
			if namesTenant(e.SQL) {
				return true
			}
		case clause.AndConditions:
			if mentionsTenant(e.Exprs) {
				return true
			}
		}
	}
	return false
}

func checkCreate(tx *gorm.DB) {
	if !onTenantTable(tx) || tx.Statement.Schema == nil {
		return
	}
	field := tx.Statement.Schema.LookUpField("tenant")
	if field == nil {
		refuse(tx)
		return
	}
	rows := []reflect.Value{tx.Statement.ReflectValue}
	if rv := rows[0]; rv.Kind() == reflect.Slice || rv.Kind() == reflect.Array {
		rows = rows[:0]
		for i := range rv.Len() {
			rows = append(rows, reflect.Indirect(rv.Index(i)))
		}
	}
	for _, row := range rows {
		if _, zero := field.ValueOf(tx.Statement.Context, row); zero {
			refuse(tx)
			return
		}
	}
}

func onTenantTable(tx *gorm.DB) bool {
	return slices.Contains(tenantTables, tx.Statement.Table)
}

func refuse(tx *gorm.DB) {
	_ = tx.AddError(fmt.Errorf("%w (table %s)", ErrNoTenant, tx.Statement.Table))
}
