package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leadhand/leadhand/bot/app/strict"
)

// asker puts questions to a person. Both methods return io.EOF when the person leaves or can't be asked any more, and
// the cause of ctx when that is done.
type asker interface {
	// Line shows the question and returns what was typed, without blanks around it.
	Line(ctx context.Context, question string) (string, error)
	// Secret is Line without showing what is typed.
	Secret(ctx context.Context, question string) (string, error)
}

// errLeft means that the person left the questions, with Ctrl-D or Ctrl-C.
var errLeft = errors.New("no model was chosen, and nothing is saved; `leadhand chat --demo` needs none")

const welcome = `No model is configured, and none was found on this machine.
Any OpenAI-compatible server will do. Nothing is saved before the model has answered; Ctrl-D leaves.

`

// setUp asks for a server and a model until one answers.
func (f *finder) setUp(ctx context.Context) error {
	f.say(welcome)
	base := "https://api.openai.com/v1"
	for {
		c, err := f.question(ctx, &base)
		switch {
		case errors.Is(err, io.EOF), err != nil && ctx.Err() != nil:
			f.say("\n")
			return errLeft
		case err != nil:
			f.say("%s.\n\n", sentence(err))
			continue
		}
		f.say("Testing %s … ", c.Model)
		tools, err := c.test(ctx, newTest)
		switch {
		case err == nil:
			return f.accept(c, tools)
		case ctx.Err() != nil:
			f.say("\n")
			return errLeft
		}
		f.say("%s.\nTo try: %s.\n\n", reason(err), remedy(err))
	}
}

// sentence is an error as the beginning of what is said.
func sentence(err error) string {
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:]
}

// question asks for one candidate. Base is what Enter means for the base URL, and keeps what was typed.
func (f *finder) question(ctx context.Context, base *string) (c candidate, err error) {
	c.kind = openaiKind
	typed, err := f.ask.Line(ctx, fmt.Sprintf("Base URL [%s]: ", *base))
	if err != nil {
		return c, err
	}
	if typed != "" {
		if typed, err = baseURL(typed); err != nil {
			return c, err
		}
		*base = typed
	}
	if c.APIKey, err = f.ask.Secret(ctx, "Key (Enter = none): "); err != nil {
		return c, err
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return c, errors.New("a key has only letters, digits and signs, without blanks")
	}
	models, err := f.list(ctx, base, c.APIKey)
	if err != nil {
		return c, err
	}
	c.BaseURL = *base
	c.Model, err = f.pick(ctx, models)
	return c, err
}

// list asks the server for its models. People leave out the /v1 at the end, so that is tried as well. A server that
// does not tell its models is no failure.
func (f *finder) list(ctx context.Context, base *string, key string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*listTimeout)
	defer cancel()
	var err error
	for _, u := range []string{*base, *base + "/v1"} {
		var models []string
		if models, err = (server{u, key}).models(ctx); err == nil {
			*base = u
			return models, nil
		}
		if !errors.Is(err, errNoList) && !isStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed) {
			break
		}
	}
	switch {
	case errors.Is(err, errNoList), isStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed):
		f.say("The server does not tell its models.\n")
		return nil, nil
	case isStatus(err, http.StatusUnauthorized, http.StatusForbidden):
		return nil, fmt.Errorf("the server refuses the key: %w", err)
	}
	return nil, fmt.Errorf("the server cannot be reached: %w", err)
}

func isStatus(err error, codes ...int) bool {
	s, ok := errors.AsType[statusError](err)
	return ok && slices.Contains(codes, int(s))
}

// listed is how many models are shown. Any other can be typed by name.
const listed = 12

// pick lets the person choose by number or name. Models that look like they chat come first.
func (f *finder) pick(ctx context.Context, models []string) (string, error) {
	fallback := choose(models, modelKinds()[openaiKind].fallback)
	chat := slices.DeleteFunc(slices.Clone(models), func(m string) bool { return !chats(m) || m == fallback })
	if fallback != "" {
		chat = slices.Insert(chat, 0, fallback)
	}
	shown := chat[:min(len(chat), listed)]
	for i, m := range shown {
		f.say("%4d  %s\n", i+1, m)
	}
	if more := len(models) - len(shown); more > 0 {
		f.say("      %d more: type the name of one\n", more)
	}
	question := "Model: "
	if fallback != "" {
		question = "Model [1]: "
	}
	for {
		typed, err := f.ask.Line(ctx, question)
		n, numeric := strconv.Atoi(typed)
		switch {
		case err != nil:
			return "", err
		case typed == "" && fallback != "":
			return fallback, nil
		case numeric == nil && n >= 1 && n <= len(shown):
			return shown[n-1], nil
		case typed != "" && len(models) == 0, slices.Contains(models, typed):
			return typed, nil
		case typed != "":
			f.say("%s.\n", sentence(strict.UnknownName("model", typed, models)))
		}
	}
}

// baseURL completes what a person typed: the scheme, and no more than the base of what they copied.
func baseURL(typed string) (string, error) {
	wrong := errors.New("that is no URL such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1")
	if !strings.Contains(typed, "://") {
		scheme := "https://"
		if host, _, _ := strings.Cut(typed, "/"); isLocal(host) {
			scheme = "http://"
		}
		typed = scheme + typed
	}
	u, err := url.Parse(typed)
	if err != nil || checkBaseURL(typed) != nil || u.RawQuery != "" || strings.ContainsAny(typed, " \t") {
		return "", wrong
	}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/chat/completions", "/models"} {
		u.Path = strings.TrimSuffix(u.Path, end)
	}
	u.RawPath, u.Fragment = "", ""
	return u.String(), nil
}

// isLocal tells whether a host, with or without a port, is this machine or in a private network, where https is rare.
func isLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}
