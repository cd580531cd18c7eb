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
	attr, err := asNobody(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c := &cluster{}
	if err := c.hire(bin, dir, attr); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.start(ctx, bin, dir, attr); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// hire starts the janitor.
func (c *cluster) hire(bin, dir string, attr *syscall.SysProcAttr) (err error) {
	c.janitor = exec.Command("sh", "-c", `cat; "$1/pg_ctl" -D "$2/data" -m immediate -w stop; rm -rf "$2"`, "sh", bin, dir)
	c.janitor.SysProcAttr = &syscall.SysProcAttr{Credential: attr.Credential, Setpgid: true} // outlives an interrupt
	if c.hold, err = c.janitor.StdinPipe(); err != nil {
		return err
	}
	return c.janitor.Start()
}

func (c *cluster) start(ctx context.Context, bin, dir string, attr *syscall.SysProcAttr) (err error) {
	data, log := filepath.Join(dir, "data"), filepath.Join(dir, "log")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"-D", data, "-U", "leadhand", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	options := fmt.Sprintf(
		"-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=300", c.port)
	ctl := exec.CommandContext(ctx, filepath.Join(bin, "pg_ctl"),
		"-D", data, "-w", "-t", "30", "-l", log, "-o", options, "start")
	ctl.SysProcAttr, ctl.Dir = attr, dir
	if err := ctl.Run(); err != nil {
		said, _ := os.ReadFile(log)
		return fmt.Errorf("start PostgreSQL: %w: %s", err, said)
	}
	return nil
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
