package terminal

// maxHistory is how many sent lines can be called back.
const maxHistory = 500

// history is what was sent in this conversation, oldest first. It lives as long as the program.
type history struct {
	sent  []string
	at    int    // the entry shown; len(sent) while the person types something new
	draft string // what they had typed before they went back
}

func (h *history) add(text string) {
	if n := len(h.sent); n == 0 || h.sent[n-1] != text {
		h.sent = append(h.sent, text)
	}
	if len(h.sent) > maxHistory {
		h.sent = h.sent[1:]
	}
	h.at, h.draft = len(h.sent), ""
}

// step goes back (-1) or forward (+1) from current, what the editor shows now.
func (h *history) step(by int, current string) (text string, ok bool) {
	to := h.at + by
	if to < 0 || to > len(h.sent) {
		return "", false
	}
	if h.at == len(h.sent) {
		h.draft = current
	}
	h.at = to
	if to == len(h.sent) {
		return h.draft, true
	}
	return h.sent[to], true
}
