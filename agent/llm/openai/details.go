package openai

import "encoding/json"

// detailTexts are the streamed fields of a reasoning_details block; every other field comes whole, in any piece.
var detailTexts = []string{"text", "summary", "data"}

// appendDetails joins streamed pieces of reasoning_details to the blocks that they were cut from: pieces of the same
// type and index in a row. The server wants whole blocks back.
func appendDetails(blocks, pieces []json.RawMessage) []json.RawMessage {
	for _, p := range pieces {
		if n := len(blocks); n > 0 {
			if joined, ok := joinDetail(blocks[n-1], p); ok {
				blocks[n-1] = joined
				continue
			}
		}
		blocks = append(blocks, p)
	}
	return blocks
}

func joinDetail(block, piece json.RawMessage) (json.RawMessage, bool) {
	var b, p map[string]any
	if json.Unmarshal(block, &b) != nil || json.Unmarshal(piece, &p) != nil {
		return nil, false
	}
	if b["index"] == nil || b["index"] != p["index"] || b["type"] != p["type"] {
		return nil, false
	}
	for k, v := range p {
		if v != nil {
			b[k] = joinField(k, b[k], v)
		}
	}
	joined, err := json.Marshal(b)
	return joined, err == nil
}

func joinField(name string, old, piece any) any {
	head, ok := old.(string)
	tail, ok2 := piece.(string)
	for _, n := range detailTexts {
		if n == name && ok && ok2 {
			return head + tail
		}
	}
	return piece
}
