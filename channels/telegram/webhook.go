package telegram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/leadhand/leadhand/channels"
)

// webhookSettings make Telegram deliver updates instead of being asked for them.
type webhookSettings struct {
	URL    string `yaml:"url"`    // where Telegram reaches this program: https://…/hooks/NAME
	Secret string `yaml:"secret"` // what Telegram must send along; made from the token when empty
}

// hook receives what Telegram delivers.
type hook struct {
	c       *Channel
	url     string
	secret  string
	handler atomic.Pointer[channels.Handler] // nil while the channel does not run
}

var secretForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token"
	maxUpdate    = 4 << 20 // bytes
	hookConns    = "16"    // deliveries at once; those of one chat come one after the other
)

func newHook(c *Channel, s webhookSettings) (*hook, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, errors.New("url must be where Telegram reaches this program, https://…/hooks/" + c.name)
	}
	if !strings.HasSuffix(u.Path, hookPath(c.name)) {
		return nil, errors.New("url must end in " + hookPath(c.name) + ", where this program listens")
	}
	if s.Secret == "" {
		s.Secret = madeSecret(c.api.token)
	}
	if !secretForm.MatchString(s.Secret) {
		return nil, errors.New("secret must have 1 to 256 letters, digits, _ or -")
	}
	return &hook{c: c, url: s.URL, secret: s.Secret}, nil
}

func hookPath(name string) string { return "/hooks/" + name }

// madeSecret is the same for every replica and start, and tells nothing about the token.
func madeSecret(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("webhook"))
	return hex.EncodeToString(mac.Sum(nil))
}

func (k *hook) open(h channels.Handler) { k.handler.Store(&h) }
func (k *hook) close()                  { k.handler.Store(nil) }

// ServeHTTP stores one update and answers 200 only then: until it does, Telegram delivers again.
func (k *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := []byte(r.Header.Get(secretHeader))
	h := k.handler.Load()
	switch {
	case subtle.ConstantTimeCompare(given, []byte(k.secret)) != 1:
		http.Error(w, "the secret is wrong", http.StatusUnauthorized)
	case r.Method != http.MethodPost:
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
	case h == nil:
		http.Error(w, "not ready", http.StatusServiceUnavailable)
	default:
		k.serve(w, r, *h)
	}
}

func (k *hook) serve(w http.ResponseWriter, r *http.Request, h channels.Handler) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
	if err != nil {
		http.Error(w, "the update could not be read", http.StatusBadRequest)
		return
	}
	u, err := decode(raw)
	if err != nil { // 200 all the same: it would come again for ever
		k.c.env.Log.Warn("an update that can't be read is left out", "update", u.ID, "err", k.c.api.hide(err.Error()))
		return
	}
	if err := k.c.receive(r.Context(), u, h); err != nil {
		k.c.env.Log.Error("a message is not stored yet", "update", u.ID, "err", err)
		http.Error(w, "not stored", http.StatusInternalServerError)
	}
}

// announceHook tells Telegram where to deliver, until it has understood.
func (c *Channel) announceHook(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; failures++ {
		err := c.brief(ctx, "setWebhook", params{
			"url": c.hook.url, "secret_token": c.hook.secret, "allowed_updates": allowedUpdates, "max_connections": hookConns,
		}, nil)
		if err == nil {
			c.env.Log.Info("Telegram delivers to the webhook")
			return
		}
		wait := channels.Backoff(failures, pollRetry, pollRetryMax)
		c.env.Log.Error("the webhook could not be set", "again_in", wait, "err", err)
		channels.Sleep(ctx, wait)
	}
}

// forgetHook removes a webhook that this program set when it was configured otherwise. One of another program is left
// alone: polling reports it.
func (c *Channel) forgetHook(ctx context.Context) {
	var info struct {
		URL string `json:"url"`
	}
	if err := c.brief(ctx, "getWebhookInfo", nil, &info); err != nil || !strings.HasSuffix(info.URL, hookPath(c.name)) {
		return
	}
	if err := c.brief(ctx, "deleteWebhook", nil, nil); err != nil {
		c.env.Log.Warn("the webhook of an earlier configuration could not be removed", "err", err)
		return
	}
	c.env.Log.Info("the webhook of an earlier configuration was removed: updates are polled")
}
