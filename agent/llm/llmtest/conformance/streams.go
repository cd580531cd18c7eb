package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leadhand/leadhand/agent/llm"
)

// half is the beginning of a stream, cut at an event's end after the first words.
func half(v Vendor) string {
	whole := v.Stream(&Answer{Texts: []string{"Ada is", " in Rome", " today."}, Finish: llm.Stop})
	at := strings.Index(whole, " in Rome")
	return whole[:at+strings.Index(whole[at:], "\n\n")+2]
}

func streams(t *testing.T, v Vendor) {
	t.Parallel()
	for name, check := range map[string]func(*testing.T, Vendor){
		"cut off in the middle": cut,
		"silence":               silence,
		"strange events":        strange,
		"damaged events":        damaged,
		"a consumer that stops": abandoned,
		"done before it begins": doneBefore,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, v)
		})
	}
}

func cut(t *testing.T, v Vendor) {
	abort := func(*http.Request) {}
	for name, resp := range map[string]Response{
		"by a broken connection":    {Body: half(v), After: abort},
		"by an early end":           {Body: half(v)},
		"in the middle of an event": {Body: half(v)[:len(half(v))-9], After: abort},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := listen(t, serve(t, v, resp).model(), question())
			if !strings.HasPrefix(h.text, "Ada is") || llm.ReasonOf(h.err) != llm.Unreachable {
				t.Errorf("heard %q, error %v", h.text, h.err)
			}
		})
	}
}

func silence(t *testing.T, v Vendor) {
	hang := func(r *http.Request) { <-r.Context().Done() }
	for name, resp := range map[string]Response{
		"from the start": {After: hang},
		"in the middle":  {Body: half(v), After: hang},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := listen(t, serve(t, v, resp).patient(50*time.Millisecond), question())
			if llm.ReasonOf(h.err) != llm.Unreachable || !strings.Contains(h.err.Error(), "no data for 50ms") {
				t.Errorf("error %v", h.err)
			}
		})
	}
}

func strange(t *testing.T, v Vendor) {
	general := []string{
		"data: 5\n\n", "data: []\n\n", "data: null\n\n", "data: {}\n\n", "data: \"x\"\n\n", "data:\n\n",
		"data: {\"error\":\n\n", ": ping\n\n", "event: x\n\n", "\n\n\n", "data: {\"error\":{}}\n\n", "\x00\xff",
	}
	for _, body := range append(general, v.Strange...) {
		h := listen(t, serve(t, v, Response{Body: body}).model(), question())
		if _, ok := errors.AsType[*llm.Error](h.err); !ok {
			t.Errorf("%q gave %+v, error %v", body, h.answer, h.err)
		}
	}
}

func abandoned(t *testing.T, v Vendor) {
	gone := make(chan struct{})
	s := serve(t, v, Response{Body: half(v), After: func(r *http.Request) { <-r.Context().Done(); close(gone) }})
	for _, err := range s.model().Generate(t.Context(), question()) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	<-gone
}

func doneBefore(t *testing.T, v Vendor) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.Collect(ctx, serve(t, v).model(), question(), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// damaged sends whole answers with one value exchanged. What comes of it may be an answer or an error of ours, never a
// panic.
func damaged(t *testing.T, v Vendor) {
	whole := v.Stream(&Answer{
		Reasoning: "I see.", Signature: "c2ln", Texts: []string{"a", "b"}, Finish: llm.Calls,
		Calls: []llm.Call{{ID: "x", Name: "f", Args: `{"a":[1]}`}}, Usage: llm.Usage{Input: 9, Output: 3},
	})
	values := regexp.MustCompile(`"[^"]*"|\d+|null|\{\}|\[\]`).FindAllStringIndex(whole, -1)
	others := []string{"null", "7", "-1", "1e99", `"x"`, "[]", "{}", "[null]", `{"a":{}}`, "true", "", `"\ud800"`}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		body := whole
		at := values[random.IntN(len(values))]
		body = body[:at[0]] + others[random.IntN(len(others))] + body[at[1]:]
		h := listen(t, serve(t, v, Response{Body: body}).model(), question())
		if _, ok := errors.AsType[*llm.Error](h.err); !ok && h.answer == nil {
			t.Errorf("%q gave %v", body, h.err)
		}
	}
}

// cancelled runs before the parallel tests, because it counts goroutines.
func cancelled(t *testing.T, v Vendor) {
	before := goleak.IgnoreCurrent()
	gone := make(chan struct{})
	s := serve(t, v, Response{Body: half(v), After: func(r *http.Request) { <-r.Context().Done(); close(gone) }})
	cause := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(t.Context())
	heard := ""
	_, err := llm.Collect(ctx, s.model(), question(), func(c *llm.Chunk) {
		heard += c.Text
		if strings.Contains(heard, "in Rome") {
			cancel(cause)
		}
	})
	if !errors.Is(err, cause) || !strings.HasPrefix(heard, "Ada is") {
		t.Errorf("heard %q, error %v", heard, err)
	}
	<-gone
	s.Client().CloseIdleConnections()
	s.Close()
	goleak.VerifyNone(t, before)
}
