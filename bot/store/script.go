package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

	"github.com/leadhand/leadhand/bot/lane"
)

// step is one statement of a script.
type step struct {
	sql  string // one of few texts: what is made of each is kept
	args []any
	row  []any  // where the columns of a row go; nil for a statement that gives none
	each func() // is called after each row; may be nil
	rows int64  // how many rows it gave or changed; known after the script
}

// fenced is lane.ErrFenced for a step on a lane's row that met none.
func (s *step) fenced() error {
	if s.rows == 0 {
		return lane.ErrFenced
	}
	return nil
}

// part is a part of a statement: a value, a condition, assignments.
type part struct {
	sql  string
	args []any
}

// after gives the arguments of a statement that ends with the part.
func (p part) after(args ...any) []any { return append(args, p.args...) }

// always is a condition that holds.
func always() part { return part{sql: "true"} }

// script runs steps in one transaction: all are durable when it returns nil, and an error means that none is. It is how
// the work on every message is written, because on PostgreSQL it is a single trip to the server, without BEGIN and
// COMMIT: statements that are sent together are a transaction. In return every step runs, whatever those before it met.
// So a step asks the database for what it needs of an earlier one, and for whether it may do anything at all.
//
// Once a script has begun, its outcome is awaited even if ctx ends.
func (db *DB) script(ctx context.Context, steps ...*step) error {
	if db.pg != nil {
		return db.trip(ctx, context.WithoutCancel(ctx), steps)
	}
	stmts, err := db.prepare(ctx, db.sql, steps)
	if err != nil {
		return err
	}
	return db.write(ctx, func(tx *gorm.DB) error {
		conn, ok := tx.Statement.ConnPool.(*sql.Tx)
		if !ok {
			return errors.New("a script must begin its own transaction")
		}
		begun := tx.Statement.Context // ctx may end now
		for i, s := range steps {
			if err := s.run(begun, conn.StmtContext(begun, stmts[i])); err != nil {
				return db.translated(err)
			}
		}
		return nil
	})
}

// query runs steps that only read. On PostgreSQL that too is a single trip.
func (db *DB) query(ctx context.Context, steps ...*step) error {
	if db.pg != nil {
		return db.trip(ctx, ctx, steps)
	}
	pool, err := db.r.DB()
	if err != nil {
		return err
	}
	stmts, err := db.prepare(ctx, pool, steps)
	if err != nil {
		return err
	}
	for i, s := range steps {
		if err := s.run(ctx, stmts[i]); err != nil {
			return err
		}
	}
	return nil
}

// trip waits for a connection while ctx lasts, and sends all steps together and reads what they gave while begun lasts.
func (db *DB) trip(ctx, begun context.Context, steps []*step) error {
	var b pgx.Batch
	for _, s := range steps {
		text, err := db.text(s.sql)
		if err != nil {
			return err
		}
		b.Queue(text, s.args...).Query(s.received)
	}
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	begun, cancel := context.WithTimeout(begun, batchTimeout)
	defer cancel()
	err = conn.Raw(func(c any) error { return c.(*stdlib.Conn).Conn().SendBatch(begun, &b).Close() })
	return db.translated(errors.Join(err, conn.Close()))
}

func (s *step) received(rows pgx.Rows) error {
	for rows.Next() {
		if err := s.scan(rows.Scan); err != nil {
			return err
		}
	}
	s.rows = rows.CommandTag().RowsAffected()
	return rows.Err()
}

func (s *step) run(ctx context.Context, stmt *sql.Stmt) error {
	if s.row == nil {
		r, err := stmt.ExecContext(ctx, s.args...)
		if err == nil {
			s.rows, err = r.RowsAffected()
		}
		return err
	}
	rows, err := stmt.QueryContext(ctx, s.args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for s.rows = 0; rows.Next(); s.rows++ {
		if err := s.scan(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *step) scan(scan func(dest ...any) error) error {
	if s.row == nil {
		return nil
	}
	err := scan(s.row...)
	if err == nil && s.each != nil {
		s.each()
	}
	return err
}

// prepare has SQLite parse the statements of steps, each once for all times.
func (db *DB) prepare(ctx context.Context, pool *sql.DB, steps []*step) ([]*sql.Stmt, error) {
	type key struct {
		pool *sql.DB
		sql  string
	}
	stmts := make([]*sql.Stmt, len(steps))
	for i, s := range steps {
		k := key{pool, s.sql}
		if known, ok := db.stmts.Load(k); ok {
			stmts[i] = known.(*sql.Stmt)
			continue
		}
		text, err := db.text(s.sql)
		if err != nil {
			return nil, err
		}
		made, err := pool.PrepareContext(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("prepare a statement: %w", err)
		}
		known, _ := db.stmts.LoadOrStore(k, made) // one made twice at the same time is closed with the pool
		stmts[i] = known.(*sql.Stmt)
	}
	return stmts, nil
}

// text is a statement in the database's dialect. It refuses one that forgot the tenant, like guardTenants.
func (db *DB) text(s string) (string, error) {
	if known, ok := db.texts.Load(s); ok {
		return known.(string), nil
	}
	if forgetsTenant(s) {
		return "", fmt.Errorf("%w: %s", ErrNoTenant, s)
	}
	text := db.stmt(s)
	if db.pg != nil {
		text = numbered(text)
	}
	db.texts.Store(s, text)
	return text, nil
}

// numbered writes the places of a statement as PostgreSQL does.
func numbered(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "?") {
		if i > 0 {
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// translated makes an error of the driver one of GORM's.
func (db *DB) translated(err error) error {
	t, ok := db.w.Dialector.(gorm.ErrorTranslator)
	if err == nil || !ok {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		err = pg
	}
	return t.Translate(err)
}
