package discordfake

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

func bucket(name string) string {
	var h uint32 = 2166136261
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return fmt.Sprintf("%08x", h)
}

func setRateHeaders(h http.Header, operation string) {
	h.Set("X-RateLimit-Limit", "5")
	h.Set("X-RateLimit-Remaining", "4")
	h.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(time.Now().Add(time.Second).UnixMilli())/1000))
	h.Set("X-RateLimit-Reset-After", "1.000")
	h.Set("X-RateLimit-Bucket", bucket(operation))
}

func (s *Server) tooMany(w http.ResponseWriter, call *fakekit.Call, fault fakekit.Fault) {
	after := time.Duration(fault.RetryAfter).Seconds()
	h := w.Header()
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after))))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(after, 'f', 3, 64))
	h.Set("X-RateLimit-Scope", "user")
	if fault.Global {
		for _, k := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Bucket"} {
			h.Del(k)
		}
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Scope", "global")
	} else {
		h.Set("X-RateLimit-Remaining", "0")
	}
	answer := fakekit.Object{"message": "You are being rate limited.", "retry_after": after, "global": fault.Global}
	call.Status = http.StatusTooManyRequests
	call.Response, _ = json.Marshal(answer)
	s.Add(*call)
	fakekit.WriteJSON(w, call.Status, answer)
}
