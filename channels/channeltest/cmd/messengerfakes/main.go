// Command messengerfakes serves fakes of Telegram, Slack and Discord on
// loopback ports, for a bot that runs as a process of its own, and a control
// API to drive them from a shell script.
//
//	messengerfakes -telegram 127.0.0.1:8081 -slack 127.0.0.1:8082 -discord 127.0.0.1:8083 -control 127.0.0.1:8080
//
// The control API of each fake is below /control/telegram/, /control/slack/
// and /control/discord/; GET /control/info tells addresses and credentials.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/discordfake"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
	"github.com/leadhand/leadhand/channels/channeltest/telegramfake"
)

// shutdownTime bounds how long answers of the control API may take to leave.
const shutdownTime = time.Second

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// addresses says where to serve what; an empty one leaves a platform out.
type addresses struct{ telegram, slack, discord, control string }

func run() error {
	var addr addresses
	flag.StringVar(&addr.telegram, "telegram", "127.0.0.1:0", "`address` of the Telegram Bot API, empty for none")
	flag.StringVar(&addr.slack, "slack", "127.0.0.1:0", "`address` of Slack, empty for none")
	flag.StringVar(&addr.discord, "discord", "127.0.0.1:0", "`address` of Discord, empty for none")
	flag.StringVar(&addr.control, "control", "127.0.0.1:0", "`address` of the control API")
	specDir := flag.String("specs", "", "`directory` with the API descriptions")
	flag.Parse()
	for _, a := range []string{addr.telegram, addr.slack, addr.discord, addr.control} {
		if err := loopbackOnly(a); err != nil {
			return err
		}
	}
	if *specDir != "" {
		if err := os.Setenv(specs.EnvDir, *specDir); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, addr)
}

// fakes are the running servers: how to stop them, and what clients need to
// know of each.
type fakes struct {
	mux   *http.ServeMux
	info  map[string]map[string]string
	close []func()
}

// serve runs the fakes until ctx is done.
func serve(ctx context.Context, addr addresses) error {
	f := &fakes{mux: http.NewServeMux(), info: map[string]map[string]string{}}
	defer func() {
		for _, c := range f.close {
			c()
		}
	}()
	for _, platform := range []struct {
		name, addr string
		start      func(addr string) error
	}{
		{"telegram", addr.telegram, f.telegram}, {"slack", addr.slack, f.slack}, {"discord", addr.discord, f.discord},
	} {
		if platform.addr == "" {
			continue
		}
		if err := platform.start(platform.addr); err != nil {
			return fmt.Errorf("start %s: %w", platform.name, err)
		}
	}
	control, err := fakekit.Listen(addr.control, f.mux)
	if err != nil {
		return fmt.Errorf("start control API: %w", err)
	}
	f.info["control"] = map[string]string{"url": control.URL + "/control"}
	f.mux.HandleFunc("GET /control/info", func(w http.ResponseWriter, _ *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, f.info)
	})
	if err := json.NewEncoder(os.Stdout).Encode(f.info); err != nil {
		return errors.Join(err, control.Close())
	}
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := control.Shutdown(ctx); err != nil {
		return errors.Join(err, control.Close())
	}
	return nil
}

func (f *fakes) telegram(addr string) error {
	s, err := telegramfake.Start(telegramfake.WithAddr(addr))
	if err != nil {
		return err
	}
	f.add("telegram", s.ControlHandler(), s.Close, map[string]string{
		"url": s.URL, "endpoint": s.Endpoint(), "file_endpoint": s.FileEndpoint(), "token": s.Token,
	})
	return nil
}

func (f *fakes) slack(addr string) error {
	s, err := slackfake.Start(slackfake.WithAddr(addr))
	if err != nil {
		return err
	}
	f.add("slack", s.ControlHandler(), s.Close, map[string]string{
		"url": s.URL, "api_url": s.APIURL(), "bot_token": slackfake.BotToken, "app_token": slackfake.AppToken,
		"signing_secret": slackfake.SigningSecret,
	})
	return nil
}

func (f *fakes) discord(addr string) error {
	s, err := discordfake.Start(discordfake.WithAddr(addr))
	if err != nil {
		return err
	}
	f.add("discord", s.ControlHandler(), s.Close, map[string]string{
		"url": s.URL, "api_base": s.APIBase(), "token": s.Token, "application_id": s.AppID(),
	})
	return nil
}

// add mounts the control API of a fake and keeps what clients need to know.
func (f *fakes) add(name string, control http.Handler, stop func(), info map[string]string) {
	prefix := "/control/" + name
	f.mux.Handle(prefix+"/", http.StripPrefix(prefix, control))
	f.close = append(f.close, stop)
	f.info[name] = info
}

// loopbackOnly refuses addresses that others could reach, since the fakes and
// their control API have no protection.
func loopbackOnly(addr string) error {
	if addr == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New(addr + " is not a loopback address")
	}
	return nil
}
