package store_test

import (
	"context"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm/schema"

	"github.com/leadhand/leadhand/bot/job"
	"github.com/leadhand/leadhand/bot/store"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/migrations"
)

// byHand are columns that only statements written by hand know.
var byHand = map[string][]string{
	"buttons": {
		"channel", "chat", "expires_at", "object", "payload", "revision", "tenant", "token", "topic",
	},
	"lanes":  {"kind", "not_before", "pool"},
	"leases": {"expires_at", "fence", "name", "owner"},
}

// foreign are tables of the libraries.
var foreign = regexp.MustCompile(`^(river_.*|goose_db_version|sqlite_.*)$`)

// column is one column of a migrated schema, with the type in the words of PostgreSQL.
type column struct {
	Name, Type string
	NotNull    bool
}

// columnsOf lists the columns of our tables, in order of their names.
func columnsOf(t *testing.T, db *store.DB) map[string][]column {
	t.Helper()
	q := `SELECT m.name, c.name, c.type, c."notnull" = 1 FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' ORDER BY c.name`
	if db.Postgres() {
		q = `SELECT table_name, column_name, data_type, is_nullable = 'NO' FROM information_schema.columns
			WHERE table_schema = 'public' ORDER BY column_name COLLATE "C"`
	}
	rows, err := db.SQL().QueryContext(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	types := map[string]string{"INTEGER": "bigint", "TEXT": "text", "BLOB": "bytea"}
	out := map[string][]column{}
	for rows.Next() {
		var table string
		var c column
		if err := rows.Scan(&table, &c.Name, &c.Type, &c.NotNull); err != nil {
			t.Fatal(err)
		}
		if same, ok := types[c.Type]; ok {
			c.Type = same
		}
		if !foreign.MatchString(table) {
			out[table] = append(out[table], c)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRowStructsHaveTheColumnsOfTheSchema(t *testing.T) {
	t.Parallel()
	known := map[string][]string{}
	for table, columns := range byHand {
		known[table] = slices.Clone(columns)
	}
	for _, row := range store.Rows() {
		s, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Fields {
			if f.Creatable { // others are computed by queries
				known[s.Table] = append(known[s.Table], f.DBName)
			}
		}
	}
	for _, columns := range known {
		slices.Sort(columns)
	}
	storetest.Each(t, func(t *testing.T, url string) {
		migrated := map[string][]string{}
		for table, columns := range columnsOf(t, storetest.Open(t, url)) {
			for _, c := range columns {
				migrated[table] = append(migrated[table], c.Name)
				if !c.NotNull {
					t.Errorf("%s.%s may be NULL, which no row struct can hold", table, c.Name)
				}
			}
		}
		if d := cmp.Diff(known, migrated); d != "" {
			t.Errorf("structs (-) and schema (+) differ: %s", d)
		}
	})
}

func TestDialectsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var schemas []map[string][]column
	var indexes [][]string
	t.Run("", func(t *testing.T) {
		storetest.Each(t, func(t *testing.T, url string) {
			db := storetest.Open(t, url)
			mu.Lock()
			defer mu.Unlock()
			schemas, indexes = append(schemas, columnsOf(t, db)), append(indexes, indexesOf(t, db))
		})
	})
	if len(schemas) < 2 {
		t.Skip("there is no PostgreSQL to compare with")
	}
	if d := cmp.Diff(schemas[0], schemas[1]); d != "" {
		t.Errorf("columns: %s", d)
	}
	if d := cmp.Diff(indexes[0], indexes[1]); d != "" {
		t.Errorf("indexes: %s", d)
	}
}

// indexesOf lists the indexes of our tables that have a name of their own, as "name [unique] (columns) [where]".
func indexesOf(t *testing.T, db *store.DB) (out []string) {
	t.Helper()
	q := `SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`
	if db.Postgres() {
		q = `SELECT tablename, indexdef FROM pg_indexes
			WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' ORDER BY indexname COLLATE "C"`
	}
	rows, err := db.SQL().QueryContext(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	plain := strings.NewReplacer("public.", "", "USING btree ", "", "(", " ", ")", " ", "::text", "")
	for rows.Next() {
		var table, def string
		if err := rows.Scan(&table, &def); err != nil {
			t.Fatal(err)
		}
		if !foreign.MatchString(table) {
			out = append(out, strings.Join(strings.Fields(plain.Replace(def)), " "))
		}
	}
	return out
}

// empty takes everything out of the database at url.
func empty(t *testing.T, url string) {
	t.Helper()
	db := storetest.Open(t, url)
	if _, err := db.SQL().ExecContext(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
}

func TestReplicasMayMigrateAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		if strings.HasPrefix(url, "sqlite") {
			t.Skip("one process has the file")
		}
		empty(t, url)
		want, err := fs.Glob(migrations.FS, "postgres/*.sql")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		applied := make([]int, 4)
		for i := range applied {
			db := storetest.Open(t, url)
			all.Go(func() {
				n, err := db.Migrate(t.Context(), job.Migrate)
				if err != nil {
					t.Errorf("replica %d: %v", i, err)
				}
				applied[i] = n
			})
		}
		all.Wait()
		slices.Sort(applied)
		if d := cmp.Diff([]int{0, 0, 0, len(want)}, applied); d != "" {
			t.Error(d)
		}
	})
}

func TestMigrateGivesUpWithItsCtx(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := storetest.Open(t, url).Migrate(ctx, job.Migrate); err == nil {
			t.Error("no error")
		}
	})
}

func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		db, err := store.Open(t.Context(), url, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		before := columnsOf(t, db)
		dialect, dir := goose.DialectSQLite3, "sqlite"
		if db.Postgres() {
			dialect, dir = goose.DialectPostgres, "postgres"
		}
		files, err := fs.Sub(migrations.FS, dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := goose.NewProvider(dialect, db.SQL(), files,
			goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.DownTo(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if left := columnsOf(t, db); len(left) != 0 {
			t.Errorf("tables left: %v", left)
		}
		if n, err := db.Migrate(t.Context(), job.Migrate); err != nil || n == 0 {
			t.Fatalf("up again: %d, %v", n, err)
		}
		if d := cmp.Diff(before, columnsOf(t, db)); d != "" {
			t.Error(d)
		}
	})
}
