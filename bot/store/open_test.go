package store_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/leadhand/leadhand/bot/store"
)

func TestErrorsOfOpenHoldNoPassword(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		url   string
		wrong bool // the URL itself
	}{
		"nobody listens":          {"postgres://ann:s3cr3t@" + closed + "/db", false},
		"nobody listens, no TLS":  {"postgresql://ann:s3cr3t@" + closed + "/db?sslmode=disable", false},
		"several hosts":           {"postgres://ann:s3cr3t@" + closed + "," + closed + "/db", false},
		"password as a parameter": {"postgres://" + closed + "/db?user=ann&password=s3cr3t", false},
		"a bad port":              {"postgres://ann:s3cr3t@127.0.0.1:port/db", true},
		"a bad escape":            {"postgres://ann:s3cr3t%zz@" + closed + "/db", true},
		"a bad mode":              {"postgres://ann:s3cr3t@" + closed + "/db?sslmode=s3cr3t", true},
		"another database":        {"mysql://ann:s3cr3t@" + closed + "/db", true},
		"no scheme":               {"ann:s3cr3t@" + closed, true},
		"no file":                 {"sqlite:", true},
		"nothing":                 {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := store.Open(t.Context(), tt.url, slog.New(slog.DiscardHandler))
			if err == nil {
				_ = db.Close()
				t.Fatal("no error")
			}
			if errors.Is(err, store.ErrURL) != tt.wrong {
				t.Errorf("blames the URL wrongly: %v", err)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if s := fmt.Sprintf("%v %+v", e, e); strings.Contains(s, "s3cr3t") {
					t.Errorf("tells the password: %s", s)
				}
			}
		})
	}
}
