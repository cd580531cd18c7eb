package spill

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// Kind is what a text is.
type Kind string

// Kinds of texts.
const (
	JSON      Kind = "json"
	JSONLines Kind = "jsonl"
	HTML      Kind = "html"
	XML       Kind = "xml"
	CSV       Kind = "csv"
	Text      Kind = "text"
)

// looked is how much of a text decides what it is, where all of it need not be read.
const looked = 64 << 10

// kindOf tells what a text is.
func kindOf(text string) Kind {
	head := strings.TrimSpace(text[:min(len(text), looked)])
	small := strings.ToLower(head[:min(len(head), 1024)])
	switch {
	case head == "":
		return Text
	case head[0] == '{' || head[0] == '[':
		if json.Valid([]byte(text)) {
			return JSON
		}
		if jsonLines(text) {
			return JSONLines
		}
	case strings.HasPrefix(small, "<!doctype html"), strings.HasPrefix(small, "<html"), strings.HasPrefix(small, "<head"):
		return HTML
	case head[0] == '<' && isXML(head):
		return XML
	case table(head):
		return CSV
	}
	return Text
}

// jsonLines tells whether the first lines are values of JSON.
func jsonLines(text string) bool {
	const enough = 20
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid([]byte(line)) {
			return false
		}
		if n++; n == enough {
			break
		}
	}
	return n > 1
}

// isXML tells whether the beginning of a text is that of XML.
func isXML(head string) bool {
	d := xml.NewDecoder(strings.NewReader(head))
	d.Entity = xml.HTMLEntity
	for range 20 {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
	return true
}

// table tells whether the first lines have the same number of fields with commas, semicolons or tabs between, and not
// one alone.
func table(head string) bool {
	_, ok := separator(head)
	return ok
}

// separator is the sign between the fields of a table.
func separator(head string) (rune, bool) {
	const rows, leastRows = 10, 3
	for _, sign := range ",;\t" {
		r := csv.NewReader(strings.NewReader(head))
		r.Comma = sign
		n := 0
		for n < rows {
			record, err := r.Read()
			if err != nil || len(record) < 2 {
				break
			}
			n++
		}
		if n >= leastRows {
			return sign, true
		}
	}
	return 0, false
}
