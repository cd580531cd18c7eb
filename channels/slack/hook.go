package slack

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	slackgo "github.com/slack-go/slack"
)

// hook receives what Slack delivers over HTTP: events, commands and interactions alike.
type hook struct {
	c      *Channel
	secret string
}

// ServeHTTP answers a delivery once it is stored: until then Slack delivers events again.
func (k *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEnvelope))
	if err != nil {
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return
	}
	if !k.signed(r.Header, body) {
		http.Error(w, "the signature is wrong or too old", http.StatusUnauthorized)
		return
	}
	d := classify(r.Header.Get("Content-Type"), body)
	if d.kind == kindEvent {
		if cb, err := decode[callback](body); err == nil && cb.Type == "url_verification" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, cb.Challenge)
			return
		}
	}
	run := k.c.handler.Load()
	if run == nil || !run.begin() {
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	defer run.tasks.Done()
	k.serve(w, r, run, d)
}

// signed tells whether Slack signed the body within the last five minutes.
func (k *hook) signed(header http.Header, body []byte) bool {
	v, err := slackgo.NewSecretsVerifier(header, k.secret)
	if err != nil {
		return false
	}
	if _, err := v.Write(body); err != nil {
		return false
	}
	return v.Ensure() == nil
}

// classify tells what a body is: events come as JSON, the rest as forms.
func classify(contentType string, body []byte) delivery {
	d := delivery{kind: kindEvent, payload: body, patience: ackPatience}
	if t, _, err := mime.ParseMediaType(contentType); err != nil || t != "application/x-www-form-urlencoded" {
		return d
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		d.kind, d.payload = kindCommand, nil
		return d
	}
	if payload := form.Get("payload"); payload != "" {
		d.kind, d.payload = kindInteraction, []byte(payload)
		return d
	}
	fields := map[string]string{}
	for name, values := range form {
		fields[name] = strings.Join(values, " ")
	}
	d.kind = kindCommand
	if d.payload, err = json.Marshal(fields); err != nil { // texts always can be
		d.payload = nil
	}
	return d
}

func (k *hook) serve(w http.ResponseWriter, r *http.Request, run *running, d delivery) {
	ctx, cancel := run.bound(r.Context())
	defer cancel()
	j := k.c.job(run, d)
	turn, leave, ok := k.c.lanes.enter(j.lane)
	if !ok {
		http.Error(w, "too much comes at once", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	select {
	case <-turn:
	case <-ctx.Done():
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	answer, err := k.c.run(ctx, j)
	if err != nil {
		http.Error(w, "not stored", http.StatusInternalServerError)
		return
	}
	if answer.payload != nil {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer.payload)
	}
	k.c.goOn(run, answer)
}
