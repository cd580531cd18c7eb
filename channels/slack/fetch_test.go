package slack_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/slackfake"
)

func (r *rig) fetch(id string) ([]byte, error) {
	return r.ch.(channels.Fetcher).Fetch(r.Context(), &channels.Attachment{Name: "f", Ref: id})
}

func TestFetch(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	for name, c := range map[string]struct{ mediaType, data string }{
		"deck.pdf":  {"application/pdf", "%PDF-1.7 content"},
		"page.html": {"text/html", "<!DOCTYPE html><p>a file of its own</p>"},
		"note.txt":  {"text/plain", "<html> is a tag"},
	} {
		data, err := r.fetch(r.fake.AddFile(name, c.mediaType, []byte(c.data)))
		if err != nil || string(data) != c.data {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if e := refusal(t, ignore(r.fetch("F404"))); !e.Terminal {
		t.Errorf("got %+v", e)
	}
	r.fake.Inject(fakekit.Fault{Method: "files.info", Error: "missing_scope"})
	if e := refusal(t, ignore(r.fetch("F1"))); !e.Terminal || !strings.Contains(e.Error(), "files:read") {
		t.Errorf("got %v", e)
	}
	r.fake.Inject(fakekit.Fault{Method: "files.info", Status: 502})
	if e := refusal(t, ignore(r.fetch("F1"))); e.Terminal {
		t.Errorf("got %v", e)
	}
	if e := refusal(t, ignore(r.ch.(channels.Fetcher).Fetch(r.Context(), &channels.Attachment{Ref: "F1", Size: 1 << 30}))); !e.Terminal {
		t.Errorf("got %v", e)
	}
}

func ignore(_ []byte, err error) error { return err }

// Files lie on a server in front of the fake, from which some paths lead elsewhere.
func TestFetchKeepsTheTokenAtHome(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	leaked := ""
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		leaked += req.Header.Get("Authorization")
		_, _ = io.WriteString(w, "PDF from elsewhere")
	}))
	t.Cleanup(foreign.Close)
	r := newRig(t)
	front := httptest.NewUnstartedServer(nil)
	target, err := url.Parse(r.fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/files/moved":
			http.Redirect(w, req, foreign.URL+"/x", http.StatusFound)
		case "/files/signin":
			http.Redirect(w, req, "/signin?redir=%2Ffiles%2Fsignin", http.StatusFound)
		case "/files/page", "/signin":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "\n<!DOCTYPE html><html><body>Sign in</body></html>")
		case "/files/loop":
			http.Redirect(w, req, "/files/loop", http.StatusFound)
		case "/files/500":
			w.WriteHeader(http.StatusBadGateway)
		default:
			proxy.ServeHTTP(w, req)
		}
	})
	front.Start()
	t.Cleanup(front.Close)
	r.make(settings{"bot_token": slackfake.BotToken, "app_token": slackfake.AppToken, "api_url": front.URL})
	addresses := map[string]fakekit.Object{
		"Fmoved":    {"url_private": foreign.URL + "/plain", "url_private_download": front.URL + "/files/moved"},
		"Fsignin":   {"url_private_download": front.URL + "/files/signin", "mimetype": "text/html"},
		"Fpage":     {"url_private_download": front.URL + "/files/page", "mimetype": "image/png"},
		"Floop":     {"url_private_download": front.URL + "/files/loop"},
		"F500":      {"url_private_download": front.URL + "/files/500"},
		"Fforeign":  {"url_private": foreign.URL + "/plain"},
		"Fexternal": {"url_private": front.URL + "/x", "is_external": true},
		"Fdeleted":  {"mode": "tombstone"},
		"Fnowhere":  {},
	}
	r.fake.HandleFunc("files.info", func(c fakekit.Call) (fakekit.Object, error) {
		return fakekit.Object{"file": addresses[c.String("file")]}, nil
	})
	if data, err := r.fetch("Fmoved"); err != nil || !bytes.Equal(data, []byte("PDF from elsewhere")) {
		t.Errorf("moved: %q, %v", data, err)
	}
	for id, want := range map[string]string{
		"Fsignin": "files:read", "Fpage": "files:read", "Fforeign": "not kept by Slack", "Fexternal": "not kept by Slack",
		"Fdeleted": "was deleted", "Fnowhere": "not kept by Slack",
	} {
		if e := refusal(t, ignore(r.fetch(id))); !e.Terminal || !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v", id, e)
		}
	}
	for _, id := range []string{"Floop", "F500"} {
		if e := refusal(t, ignore(r.fetch(id))); e.Terminal {
			t.Errorf("%s: %v", id, e)
		}
	}
	if leaked != "" {
		t.Errorf("another host saw %q", leaked)
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	root := r.thread(general)
	m := &channels.Outbound{Key: "f", Conversation: at(general, root), Text: "Here.", Attachments: []channels.Attachment{
		{Name: "a.csv", Data: []byte("a,b")}, {Name: "empty_file.txt"}, {Data: []byte("no name")},
	}}
	r.mustSend(m)
	shown := r.shown(general)
	if len(shown) != 3 || !strings.Contains(shown[1]["text"].(string), "empty_file.txt is empty") || len(shown[2]["files"].([]any)) != 2 {
		t.Errorf("shown %v", shown)
	}
	for _, s := range shown {
		if s["thread_ts"] != root {
			t.Errorf("a part is in thread %v", s["thread_ts"])
		}
	}
	m.Text, m.Attachments = "", m.Attachments[:1]
	for name, c := range map[string]struct {
		fault              fakekit.Fault
		terminal, notTaken bool
		words              string
	}{
		"type":        {fakekit.Fault{Method: "files.getUploadURLExternal", Error: "file_type_not_allowed"}, true, true, "does not allow files like a.csv"},
		"size":        {fakekit.Fault{Method: "files.getUploadURLExternal", Error: "file_upload_size_restricted"}, true, true, "larger than this workspace allows"},
		"switched":    {fakekit.Fault{Method: "files.getUploadURLExternal", Error: "file_uploads_disabled"}, true, true, "switched off"},
		"full":        {fakekit.Fault{Method: "files.getUploadURLExternal", Error: "storage_limit_reached"}, true, true, "no room"},
		"upload":      {fakekit.Fault{Method: "upload", Status: 503}, false, true, ""},
		"upload lost": {fakekit.Fault{Method: "upload", Drop: true}, false, true, ""},
		"no answer":   {fakekit.Fault{Method: "files.completeUploadExternal", Drop: true}, false, false, ""},
		"not there":   {fakekit.Fault{Method: "files.completeUploadExternal", Error: "not_in_channel"}, true, true, ""},
	} {
		r.fake.Inject(c.fault)
		e := refusal(t, second(r.send(m)))
		if e.Terminal != c.terminal || e.NotTaken != c.notTaken || !strings.Contains(e.Error(), c.words) {
			t.Errorf("%s: %+v: %v", name, e, e)
		}
	}
}

func TestUploadWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	r := newRig(t).start()
	files := []channels.Attachment{{Name: "a.csv", Data: []byte("a,b")}, {Name: "b.csv", Data: []byte("c")}}
	for _, place := range []channels.Conversation{at(general, r.thread(general)), at(dm, "")} {
		r.fake.Inject(fakekit.Fault{Method: "files.completeUploadExternal", DropResponse: true})
		r.fake.Inject(fakekit.Fault{Method: "files.info", Status: 500}) // it is asked again
		r.mustSend(&channels.Outbound{Key: "f", Conversation: place, Attachments: files})
		if m := r.shown(string(place.Chat)); len(m) != 1 || len(m[0]["files"].([]any)) != 2 {
			t.Errorf("shown %v", m)
		}
	}
}
