package audit

import (
	"bytes"
	"encoding/csv"
	"strings"
	"time"
)

// CSV writes entries as a table. name tells what people are called, and where is a conversation in words. No cell is
// taken for a formula by a spreadsheet.
func CSV(entries []Entry, name func(person string) string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{ // a buffer takes all
		"time", "kind", "outcome", "what", "person", "name", "agent", "channel", "chat", "topic", "session", "detail",
	})
	for i := range entries {
		e := &entries[i]
		row := []string{
			e.At.UTC().Format(time.RFC3339), string(e.Kind), string(e.Outcome), e.What, e.Person, name(e.Person), e.Agent,
			e.Conversation.Channel, string(e.Conversation.Chat), string(e.Conversation.Topic), e.Session, e.Detail,
		}
		for j := range row {
			row[j] = plain(row[j])
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// plain is a cell that no spreadsheet computes.
func plain(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
