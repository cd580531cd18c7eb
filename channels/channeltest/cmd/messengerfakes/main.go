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

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	telegramAddr := flag.String("telegram", "127.0.0.1:0", "`address` of the Telegram Bot API, empty for none")
	slackAddr := flag.String("slack", "127.0.0.1:0", "`address` of Slack, empty for none")
	discordAddr := flag.String("discord", "127.0.0.1:0", "`address` of Discord, empty for none")
	controlAddr := flag.String("control", "127.0.0.1:0", "`address` of the control API")
	specDir := flag.String("specs", "", "`directory` with the API descriptions")
	flag.Parse()
	for _, addr := range []string{*telegramAddr, *slackAddr, *discordAddr, *controlAddr} {
		if err := loopbackOnly(addr); err != nil {
			return err
		}
	}
	if *specDir != "" {
		if err := os.Setenv(specs.EnvDir, *specDir); err != nil {
			return err
		}
	}
	mux := http.NewServeMux()
	info := map[string]any{}
	if *telegramAddr != "" {
		s, err := telegramfake.Start(telegramfake.WithAddr(*telegramAddr))
		if err != nil {
			return fmt.Errorf("telegram: %w", err)
		}
		defer s.Close()
		mount(mux, "telegram", s.ControlHandler())
		info["telegram"] = map[string]string{"url": s.URL, "endpoint": s.Endpoint(), "file_endpoint": s.FileEndpoint(), "token": s.Token}
	}
	if *slackAddr != "" {
		s, err := slackfake.Start(slackfake.WithAddr(*slackAddr))
		if err != nil {
			return fmt.Errorf("slack: %w", err)
		}
		defer s.Close()
		mount(mux, "slack", s.ControlHandler())
		info["slack"] = map[string]string{"url": s.URL, "api_url": s.APIURL(), "bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "signing_secret": slackfake.SigningSecret}
	}
	if *discordAddr != "" {
		s, err := discordfake.Start(discordfake.WithAddr(*discordAddr))
		if err != nil {
			return fmt.Errorf("discord: %w", err)
		}
		defer s.Close()
		mount(mux, "discord", s.ControlHandler())
		info["discord"] = map[string]string{"url": s.URL, "api_base": s.APIBase(), "token": s.Token, "application_id": s.AppID()}
	}
	mux.HandleFunc("GET /control/info", func(w http.ResponseWriter, _ *http.Request) {
		fakekit.WriteJSON(w, http.StatusOK, info)
	})
	control, err := fakekit.Listen(*controlAddr, mux)
	if err != nil {
		return fmt.Errorf("control: %w", err)
	}
	defer control.Close()
	info["control"] = map[string]string{"url": control.URL + "/control"}
	if err := json.NewEncoder(os.Stdout).Encode(info); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	// Let answers under way leave.
	time.Sleep(50 * time.Millisecond)
	return nil
}

func mount(mux *http.ServeMux, name string, h http.Handler) {
	prefix := "/control/" + name
	mux.Handle(prefix+"/", http.StripPrefix(prefix, h))
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
