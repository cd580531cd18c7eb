package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

// server is an OpenAI-compatible server.
type server struct{ baseURL, key string }

// maxListing bounds what is read of a list of models. The longest known, of a reseller, is about 1 MB.
const maxListing = 8 << 20

// statusError is an answer other than 200.
type statusError int

func (s statusError) Error() string {
	if text := http.StatusText(int(s)); text != "" {
		return fmt.Sprintf("it answered %d (%s)", int(s), text)
	}
	return fmt.Sprintf("it answered %d", int(s))
}

// errNoList means that a server answers, but not with a list of models.
var errNoList = errors.New("it answers, but not as an OpenAI-compatible server does")

// models asks the server which models it has, in its order. Redirects are not followed, since they would carry the key
// to another place. Errors hold neither key nor URL.
func (s server) models(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(s.baseURL, "/")+"/models", nil)
	if err != nil {
		return nil, errors.New("the base URL is no URL")
	}
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, reachError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(resp.StatusCode)
	}
	var reply struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxListing)).Decode(&reply)
	if err != nil || reply.Data == nil {
		return nil, errNoList
	}
	var found []string
	for _, m := range *reply.Data {
		if m.ID != "" {
			found = append(found, m.ID)
		}
	}
	return found, nil
}

// reachError says in plain words why no connection came about.
func reachError(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch timeout, _ := errors.AsType[net.Error](err); {
	case context.Cause(ctx) != nil && errors.Is(ctx.Err(), context.Canceled):
		return context.Cause(ctx)
	case errors.As(err, &dns):
		return fmt.Errorf("there is no server named %s", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nothing listens there: is the server started?")
	case timeout != nil && timeout.Timeout():
		return errors.New("it did not answer in time")
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return errors.New("it speaks http, not https")
	}
	if inner := errors.Unwrap(err); inner != nil { // *url.Error holds the URL
		err = inner
	}
	return fmt.Errorf("no connection: %w", err)
}

// otherUse are parts of names of models that do not chat.
var otherUse = []string{
	"embed", "whisper", "tts", "dall-e", "image", "moderation", "rerank", "realtime", "transcribe", "audio", "sora",
	"davinci", "babbage", "bge-", "minilm", "clip", "stable-diffusion", "flux", "guard",
}

// chats tells whether a model looks by its name like one that chats.
func chats(model string) bool {
	lower := strings.ToLower(model)
	return !slices.ContainsFunc(otherUse, func(part string) bool { return strings.Contains(lower, part) })
}

// choose picks a model of a server: wanted if it has that one, else the first that looks like it chats; empty if there
// is none.
func choose(models []string, wanted string) string {
	if slices.Contains(models, wanted) {
		return wanted
	}
	if i := slices.IndexFunc(models, chats); i >= 0 {
		return models[i]
	}
	return ""
}

// listTimeout bounds the question for a server's models.
const listTimeout = 3 * time.Second
