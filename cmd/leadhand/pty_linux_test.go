package main_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal makes a pair of a terminal and what is behind it: screen and keyboard.
func openTerminal(t *testing.T) (behind, tty *os.File) {
	t.Helper()
	behind, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no terminals: %v", err)
	}
	t.Cleanup(func() { _ = behind.Close() })
	var unlock, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, behind.Fd(), request, uintptr(unsafe.Pointer(arg))); e != 0 {
			t.Fatal(e)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return behind, tty
}

// person is somebody at a terminal in which the program runs.
type person struct {
	t      *testing.T
	keys   *os.File
	screen *tail
	cmd    *exec.Cmd
}

func (p *program) atTerminal(args ...string) *person {
	p.t.Helper()
	behind, tty := openTerminal(p.t)
	cmd := p.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = tty.Close()
	who := &person{p.t, behind, newTail(), cmd}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := behind.Read(buf)
			_, _ = who.screen.Write(buf[:n])
			if err != nil { // EIO once the program has left its terminal
				return
			}
		}
	}()
	return who
}

// sees waits for text on the screen and then types.
func (w *person) sees(text, then string) {
	w.t.Helper()
	w.screen.await(w.t, text)
	if _, err := w.keys.WriteString(then); err != nil {
		w.t.Fatal(err)
	}
}

func (w *person) left() int {
	w.t.Helper()
	return exitCode(w.t, w.cmd.Wait())
}

// withoutLocalServers skips a test that asks for a model where one would be found.
func withoutLocalServers(t *testing.T) {
	t.Helper()
	for _, addr := range []string{"127.0.0.1:11434", "127.0.0.1:1234"} {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			t.Skip("a model server runs here: " + addr)
		}
	}
}

func TestAPersonSetsAModelUpAtATerminal(t *testing.T) {
	t.Parallel()
	withoutLocalServers(t)
	const canary = "sk-CANARY-0123456789abcdef"
	v := newVendor(t, calls("confirm_setup", map[string]any{"word": "ready"}), says("Good day."))
	p := install(t, "TERM=dumb")
	who := p.atTerminal("chat")
	who.sees("Base URL [https://api.openai.com/v1]: ", v.url+"\n")
	who.sees("Key (Enter = none): ", canary+"\n")
	who.sees("Model [1]: ", "\n")
	who.sees("Testing fake-model … it answers and calls tools.", "")
	who.sees("\n> ", "hello\n")
	who.sees("Good day.", "exit\n")
	if code := who.left(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(who.screen.String(), canary) {
		t.Errorf("the screen shows the key:\n%s", who.screen)
	}
	info, err := os.Stat(filepath.Join(p.data, "leadhand.yaml"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the saved file: %v, %v", info, err)
	}
	if r := p.run("hello again\n", "chat"); r.code != 0 || strings.TrimSpace(r.out) != "Good day." {
		t.Errorf("the next chat: %+v", r)
	}
}

func TestAPersonLeavesTheQuestions(t *testing.T) {
	t.Parallel()
	withoutLocalServers(t)
	tests := map[string]struct{ question, key string }{
		"ctrl+d at the URL": {"Base URL [https://api.openai.com/v1]: ", "\x04"},
		"ctrl+c at the URL": {"Base URL [https://api.openai.com/v1]: ", "\x03"},
		"ctrl+d at the key": {"Key (Enter = none): ", "\x04"},
		"ctrl+c at the key": {"Key (Enter = none): ", "\x03"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := install(t, "TERM=dumb")
			who := p.atTerminal("chat")
			if strings.HasPrefix(tt.question, "Key") {
				who.sees("Base URL", "http://127.0.0.1:1\n")
			}
			who.sees(tt.question, tt.key)
			who.screen.await(t, "leadhand: no model was chosen, and nothing is saved")
			if code := who.left(); code != 1 {
				t.Errorf("exit code %d, screen:\n%s", code, who.screen)
			}
			if _, err := os.Stat(filepath.Join(p.data, "leadhand.yaml")); err == nil {
				t.Error("something is saved")
			}
		})
	}
}
