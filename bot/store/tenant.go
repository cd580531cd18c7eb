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
var tenantTables = []string{"sessions", "inbox", "history", "outbox", "files", "heard", "buttons", "people", "accounts",
	"codes", "requests", "place_settings", "grants", "turn_usage", "secrets"}

// acrossTenants is a comment for statements of the engine that must see the rows of all tenants (retention, the work
// at the head of a lane).
const acrossTenants = "/* across tenants */ "

// How a statement is judged by its text. That is coarse on purpose: whatever might touch a tenant's table must say
// "tenant =" or "tenant IN" in a condition, or write the column in an INSERT.
var (
	tenantTable = regexp.MustCompile(`(?i)\b(?:` + strings.Join(tenantTables, "|") + `)\b`)
	condition   = regexp.MustCompile(`(?i)\btenant (?:=|in\b)`)
	byTenant    = regexp.MustCompile(`(?is)\bwhere\b.*\btenant (?:=|in\b)|\binsert into \w+\s+\([^)]*\btenant\b`)
)

// guardTenants refuses statements that forgot the tenant, at the one place every statement passes. Statements that
// GORM builds are checked by their clauses, raw ones by their text.
func guardTenants(g *gorm.DB) error {
	cb := g.Callback()
	return errors.Join(
		cb.Raw().Before("gorm:raw").Register("leadhand:tenant", checkText),
		cb.Row().Before("gorm:row").Register("leadhand:tenant", checkWhere),
		cb.Query().Before("gorm:query").Register("leadhand:tenant", checkWhere),
		cb.Update().Before("gorm:update").Register("leadhand:tenant", checkWhere),
		cb.Delete().Before("gorm:delete").Register("leadhand:tenant", checkWhere),
		cb.Create().Before("gorm:create").Register("leadhand:tenant", checkCreate),
	)
}

func checkText(tx *gorm.DB) {
	if forgetsTenant(tx.Statement.SQL.String()) {
		refuse(tx)
	}
}

func forgetsTenant(sql string) bool {
	return !strings.Contains(sql, acrossTenants) && tenantTable.MatchString(sql) && !byTenant.MatchString(sql)
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

// mentionsTenant tells whether conditions that hold together name the tenant. An alternative that does not would let
// the rows of all others in.
func mentionsTenant(exprs []clause.Expression) bool {
	found := false
	for _, e := range exprs {
		switch e := e.(type) {
		case clause.Eq:
			c, ok := e.Column.(clause.Column)
			found = found || ok && c.Name == "tenant" || e.Column == "tenant"
		case clause.Expr:
			found = found || strings.Contains(e.SQL, acrossTenants) || condition.MatchString(e.SQL)
		case clause.AndConditions:
			found = found || mentionsTenant(e.Exprs)
		case clause.OrConditions:
			if !mentionsTenant(e.Exprs) {
				return false
			}
		}
	}
	return found
}

func checkCreate(tx *gorm.DB) {
	if !onTenantTable(tx) {
		return
	}
	if tx.Statement.Schema == nil { // a map: only row structs are written
		refuse(tx)
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
		if row.Kind() != reflect.Struct {
			refuse(tx)
			return
		}
		if _, zero := field.ValueOf(tx.Statement.Context, row); zero {
			refuse(tx)
			return
		}
	}
}

// onTenantTable looks at the table itself, at what stands behind an alias, and at joined tables.
func onTenantTable(tx *gorm.DB) bool {
	s := tx.Statement
	if slices.Contains(tenantTables, s.Table) || s.TableExpr != nil && tenantTable.MatchString(s.TableExpr.SQL) {
		return true
	}
	for _, j := range s.Joins {
		if tenantTable.MatchString(j.Name) {
			return true
		}
	}
	return false
}

func refuse(tx *gorm.DB) {
	_ = tx.AddError(fmt.Errorf("%w (table %s)", ErrNoTenant, tx.Statement.Table))
}
