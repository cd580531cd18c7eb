package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/leadhand/leadhand/channels"
)

const (
	// typingFor is how long one typing sign lasts; the bot repeats it every few seconds.
	typingFor = 8 * time.Second
	// waitingFor bounds how long a message without any answer counts as work, for a bot that has nothing to say.
	waitingFor = time.Minute
)

// spinner turns while there is work.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// work is what the screen knows of the bot's doing. The zero value is a bot at rest.
type work struct {
	since    time.Time // when it began; zero at rest
	typing   time.Time // until when a typing sign counts
	waiting  time.Time // until when an unanswered message counts
	stopping bool      // the person asked to stop
	frame    int       // of the spinner
}

// update sets since and stopping to match whether there is work, which an open preview is in any case.
func (w *work) update(now time.Time, open bool) (busy bool) {
	busy = open || now.Before(w.typing) || now.Before(w.waiting)
	switch {
	case !busy:
		*w = work{}
	case w.since.IsZero():
		w.since = now
	}
	return busy
}

// answered notes that a message came: whatever was waited for, the bot speaks for itself again.
func (w *work) answered() { w.typing, w.waiting = time.Time{}, time.Time{} }

// status is the line for a person who wonders what goes on.
func (w *work) status(now time.Time, p *preview) string {
	doing, hint := "waiting for an answer", " · Esc stops"
	switch {
	case w.stopping:
		doing, hint = "stopping", ""
	case p != nil && p.draft.Step != "":
		doing = strings.TrimRight(sanitizeLine(p.draft.Step), ".… ")
	case p != nil && p.draft.Text != "":
		doing = "writing"
	case p != nil || now.Before(w.typing):
		doing = "thinking"
	}
	return fmt.Sprintf("%s %s… %s%s", spinner[w.frame%len(spinner)], doing, elapsed(now.Sub(w.since)), hint)
}

func elapsed(d time.Duration) string {
	s := int(d / time.Second)
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}

const (
	// previewTail is how much of a draft is laid out: more than any screen shows of it, and little enough to be done
	// many times a second.
	previewTail = 4000
	// previewEvery is the shortest time between two drawings of a draft.
	previewEvery = 60 * time.Millisecond
)

// preview is an answer in the making, or one whose final text hasn't come yet.
type preview struct {
	id      channels.MessageID
	draft   channels.Draft
	open    bool
	lines   []string // draft.Text as drawn last
	drawn   string   // the text that lines shows
	width   int      // the screen that lines is for
	drawnAt time.Time
}

// refresh lays the draft out anew when it changed, but not more often than the eye can follow.
func (p *preview) refresh(paint painter, width int, now time.Time) {
	if p.drawn == p.draft.Text && p.width == width {
		return
	}
	if p.open && p.width == width && now.Sub(p.drawnAt) < previewEvery {
		return
	}
	p.lines = paint.markdown(tail(p.draft.Text, previewTail), width)
	p.drawn, p.width, p.drawnAt = p.draft.Text, width, now
}

// tail is the end of a Markdown text, cut at a line. A code block that the cut falls into is opened anew.
func tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := len(text) - limit
	if i := strings.IndexByte(text[cut:], '\n'); i >= 0 {
		cut += i + 1
	}
	if fence := openFence(text[:cut]); fence != "" {
		return fence + "\n" + text[cut:]
	}
	return text[cut:]
}

// openFence is the line that opened the code block in which text ends, or empty.
func openFence(text string) string {
	open, ticks := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		run := line[:len(line)-len(strings.TrimLeft(line, line[:min(1, len(line))]))]
		isFence := strings.HasPrefix(run, "```") || strings.HasPrefix(run, "~~~")
		switch {
		case isFence && open == "":
			open, ticks = line, run
		case isFence && run == line && strings.HasPrefix(run, ticks):
			open, ticks = "", ""
		}
	}
	return open
}
