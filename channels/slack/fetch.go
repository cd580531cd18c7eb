package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/leadhand/leadhand/channels"
)

// maxDownload bounds what is taken of one file, in bytes.
const maxDownload = 64 << 20

var (
	errTooLarge  = errors.New("the file is larger than 64 MB")
	errElsewhere = errors.New("the file is not kept by Slack, so it can't be fetched")
	errDeleted   = errors.New("the file was deleted")
	errSignIn    = errors.New("the sign-in page of Slack came instead of the file: the app needs the scope files:read, " +
		"and access to the channel of the file")
)

func never(why error) error {
	return &channels.Error{Op: "get file", Terminal: true, NotTaken: true, Err: why}
}

// Fetch implements channels.Fetcher. Where a file lies is asked anew each time: addresses change.
func (c *Channel) Fetch(ctx context.Context, a *channels.Attachment) ([]byte, error) {
	if a.Size > maxDownload {
		return nil, never(errTooLarge)
	}
	var info *slackgo.File
	err := c.api.call(ctx, "files.info", "", func(ctx context.Context) (err error) {
		info, _, _, err = c.api.GetFileInfoContext(ctx, a.Ref, 0, 0)
		return err
	})
	if f, failed := errors.AsType[*failure](err); failed {
		switch {
		case f.is("file_deleted", "file_not_found"):
			return nil, never(errDeleted)
		case f.is("missing_scope"):
			f.needed = cmp.Or(f.needed, "files:read")
		}
		return nil, f.channelError("get file")
	}
	if info.Mode == "tombstone" {
		return nil, never(errDeleted)
	}
	// The plain address of some kinds of files leads to another host.
	address := cmp.Or(info.URLPrivateDownload, info.URLPrivate)
	u, err := url.Parse(address)
	if err != nil || info.IsExternal || !c.api.trusted(u) {
		return nil, never(errElsewhere)
	}
	return c.api.download(ctx, u, info.Mimetype)
}

// trusted tells whether a host may see the token: Slack's own, or the server that is called anyway.
func (c *client) trusted(u *url.URL) bool {
	base, err := url.Parse(c.base)
	if err == nil && u.Scheme == base.Scheme && strings.EqualFold(u.Host, base.Host) {
		return true
	}
	host := "." + strings.ToLower(u.Hostname())
	return u.Scheme == "https" && (strings.HasSuffix(host, ".slack.com") || strings.HasSuffix(host, ".slack-gov.com"))
}

func (c *client) download(ctx context.Context, u *url.URL, mediaType string) ([]byte, error) {
	fail := func(f failure) error {
		f.method, f.text = "download", c.hide(f.text)
		return f.channelError("get file")
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, never(errElsewhere)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	following := http.Client{Transport: c.http.Transport, CheckRedirect: c.redirect}
	resp, err := following.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err
		}
		return nil, fail(failure{text: err.Error()})
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fail(failure{status: resp.StatusCode, text: http.StatusText(resp.StatusCode)})
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDownload+1))
	switch {
	case err != nil:
		return nil, fail(failure{text: err.Error()})
	case len(data) > maxDownload:
		return nil, never(errTooLarge)
	case signInPage(resp, data, mediaType):
		return nil, never(errSignIn)
	}
	return data, nil
}

const maxRedirects = 5

var errRedirects = errors.New("the file was redirected too often")

// redirect lets a download go on elsewhere, but the token stays with the hosts that may see it.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	if c.trusted(req.URL) {
		req.Header.Set("Authorization", "Bearer "+c.token)
	} else {
		req.Header.Del("Authorization")
	}
	return nil
}

// signInPage tells whether a page came instead of the file. Slack gives it as if all were well.
func signInPage(resp *http.Response, data []byte, mediaType string) bool {
	if resp.Request != nil && resp.Request.URL.Query().Get("redir") != "" {
		return true
	}
	if strings.HasPrefix(mediaType, "text/html") {
		return false
	}
	start := bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 512)]))
	page := bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
	named := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html")
	return page && (named || !strings.HasPrefix(mediaType, "text/"))
}
