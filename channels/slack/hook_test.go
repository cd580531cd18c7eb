package slack_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

// deliver posts a signed event to the hook.
func (r *rig) deliver(body string, signed time.Time) int {
	req := httptest.NewRequest(http.MethodPost, "/hooks/sl", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	slackfake.Sign(req.Header, []byte(body), signed)
	w := httptest.NewRecorder()
	r.ch.(channels.Webhook).Webhook().ServeHTTP(w, req)
	return w.Code
}

func TestHookTakesOnlyWhatSlackSigned(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.make(settings{"bot_token": slackfake.BotToken, "signing_secret": slackfake.SigningSecret, "api_url": r.fake.URL})
	const event = `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":{"type":"nothing"}}`
	if code := r.deliver(event, time.Now()); code != http.StatusServiceUnavailable {
		t.Errorf("before it runs: status %d", code)
	}
	stop := r.run()
	r.until(func() bool { return r.deliver(event, time.Now()) == http.StatusOK }, "an event is taken")
	if code := r.deliver(event, time.Now().Add(-6*time.Minute)); code != http.StatusUnauthorized {
		t.Errorf("an old signature: status %d", code)
	}
	for name, change := range map[string]func(*http.Request){
		"without a signature": func(req *http.Request) { req.Header.Del("X-Slack-Signature") },
		"another body":        func(req *http.Request) { req.Body = http.NoBody },
		"no time":             func(req *http.Request) { req.Header.Set("X-Slack-Request-Timestamp", "now") },
	} {
		req := httptest.NewRequest(http.MethodPost, "/hooks/sl", strings.NewReader(event))
		slackfake.Sign(req.Header, []byte(event), time.Now())
		change(req)
		w := httptest.NewRecorder()
		r.ch.(channels.Webhook).Webhook().ServeHTTP(w, req)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
	w := httptest.NewRecorder()
	r.ch.(channels.Webhook).Webhook().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/hooks/sl", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", w.Code)
	}
	stop()
	if code := r.deliver(event, time.Now()); code != http.StatusServiceUnavailable {
		t.Errorf("after it ran: status %d", code)
	}
}

func TestHookAnswersTheHandshake(t *testing.T) {
	t.Parallel()
	r := newRig(t).startHTTP()
	r.fake.Must(r.fake.VerifyURL())
}

func TestSlowStoreOverHTTPIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, slackfake.Lenient(), slackfake.WithEvents("message.channels"), slackfake.WithAckTimeout(300*time.Millisecond)).startHTTP()
	gate := make(chan struct{})
	r.failing(func(*channels.Inbound) error {
		<-gate
		return nil
	})
	r.says(slackfake.Incoming{Channel: general, Text: "hi"})
	r.until(func() bool { return len(r.fake.Violations()) > 0 }, "Slack waits no longer")
	close(gate)
	if a, b := r.next(), r.next(); a.EventKey != b.EventKey {
		t.Errorf("keys %q, %q", a.EventKey, b.EventKey)
	}
	r.fake.Wait("ack:events_api")
}

// deliverForm posts a signed form to the hook.
func (r *rig) deliverForm(field, value string) int {
	body := url.Values{field: {value}}.Encode()
	req := httptest.NewRequest(http.MethodPost, "/hooks/sl", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	slackfake.Sign(req.Header, []byte(body), time.Now())
	w := httptest.NewRecorder()
	r.ch.(channels.Webhook).Webhook().ServeHTTP(w, req)
	return w.Code
}
