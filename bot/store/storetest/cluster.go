package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// cluster is a temporary PostgreSQL server with a directory and a port of its own.
type cluster struct {
	port    int
	janitor *exec.Cmd      // stops the server and deletes the directory when hold is closed
	hold    io.WriteCloser // the system closes it when the tests die in a panic or a timeout
}

var errNoBinaries = errors.New("no PostgreSQL server binaries (initdb, postgres) were found")

// startCluster makes a cluster and waits until it takes connections. It listens on loopback only. Data need not
// survive a crash of the machine, but commits behave as in production (synchronous_commit stays on).
func startCluster(ctx context.Context) (_ *cluster, err error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "leadhand-postgres-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	attr, err := asNobody(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"-D", data, "-U", "leadhand", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	ctl := exec.CommandContext(ctx, filepath.Join(bin, "pg_ctl"), "-D", data, "-w", "-t", "30",
		"-l", filepath.Join(dir, "log"), "-o", fmt.Sprintf(
			"-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=300", port), "start")
	ctl.SysProcAttr, ctl.Dir = attr, dir
	if err := ctl.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return nil, fmt.Errorf("start PostgreSQL: %w: %s", err, log)
	}
	c := &cluster{port: port}
	c.janitor = exec.Command("sh", "-c", `cat; "$1/pg_ctl" -D "$2/data" -m immediate -w stop; rm -rf "$2"`, "sh", bin, dir)
	c.janitor.SysProcAttr = &syscall.SysProcAttr{Credential: attr.Credential, Setpgid: true} // outlives an interrupt
	if c.hold, err = c.janitor.StdinPipe(); err != nil {
		return nil, err
	}
	return c, c.janitor.Start()
}

func (c *cluster) url() string {
	return fmt.Sprintf("postgres://leadhand@127.0.0.1:%d/postgres?sslmode=disable", c.port)
}

func (c *cluster) stop() error { return errors.Join(c.hold.Close(), c.janitor.Wait()) }

// binaries finds the newest installed server: on PATH, or where Debian puts it.
func binaries() (string, error) {
	if p, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(p), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errNoBinaries
	}
	slices.SortFunc(found, func(a, b string) int { return majorVersion(a) - majorVersion(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

func majorVersion(initdb string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	if err != nil {
		return 0
	}
	return n
}

// asNobody gives dir to an unprivileged user when the tests run as root, because PostgreSQL refuses root.
func asNobody(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
