package storetest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// server is the one PostgreSQL server of this test process.
var server struct {
	once     sync.Once
	admin    string // URL of a user that may create databases
	err      error
	template bool     // the template was made
	cluster  *cluster // nil when the server is not ours
}

// template is the migrated database of which every test gets a copy.
const template = "leadhand_template_"

// Main runs the tests, then stops the PostgreSQL server that they started, or leaves somebody else's as it was. A
// TestMain that does nothing else is
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
func Main(m *testing.M) {
	code := m.Run()
	if err := cleanUp(); err != nil {
		fmt.Fprintln(os.Stderr, "clean up after the tests:", err)
	}
	os.Exit(code)
}

func cleanUp() error {
	switch {
	case server.cluster != nil:
		return server.cluster.stop()
	case server.template:
		return execute(context.Background(), "DROP DATABASE "+templateName())
	}
	return nil
}

// postgresURL makes a database for one test.
func postgresURL(t testing.TB) string {
	t.Helper()
	server.once.Do(func() { server.err = startServer(t.Context()) })
	if server.err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("PostgreSQL is required in CI: %v", server.err)
		}
		t.Skipf("the PostgreSQL half is skipped: %v", server.err)
	}
	name := "leadhand_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if err := execute(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+templateName()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return withDatabase(server.admin, name)
}

func templateName() string { return fmt.Sprintf("%s%d", template, os.Getpid()) }

func startServer(ctx context.Context) error {
	server.admin = os.Getenv("LEADHAND_TEST_POSTGRES")
	if server.admin == "" {
		c, err := startCluster(ctx)
		if err != nil {
			return err
		}
		server.cluster, server.admin = c, c.url()
	}
	if err := execute(ctx, "CREATE DATABASE "+templateName()); err != nil {
		return err
	}
	server.template = true
	return migrate(ctx, withDatabase(server.admin, templateName()))
}

// copies serialises CREATE DATABASE: two copies of one template at a time are refused.
var copies sync.Mutex

func execute(ctx context.Context, sql string) error {
	copies.Lock()
	defer copies.Unlock()
	conn, err := pgx.Connect(ctx, server.admin)
	if err != nil {
		return fmt.Errorf("reach the test's PostgreSQL server: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

func withDatabase(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin
	}
	u.Path = "/" + name
	return u.String()
}
