package spill

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	previewRoom = 4000 // characters
	headRoom    = 2600 // of them for the beginning of a plain text
	tailRoom    = 1200
	mostKeys    = 40
	mostItems   = 3
	longestItem = 300 // characters of one value
	deepest     = 3
)

// preview is what a model is shown of an output.
func preview(out *Output) string {
	var text string
	switch out.Kind {
	case JSON:
		text = previewJSON(out.Text)
	case JSONLines:
		text = previewLines(out.Text)
	case HTML:
		text = previewHTML(out.Text)
	case XML:
		text = previewXML(out.Text)
	case CSV:
		text = previewCSV(out.Text)
	}
	if strings.TrimSpace(text) == "" {
		text = ends(out.Text)
	}
	return shorten(text, previewRoom)
}

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n]) + "…"
}

// lines counts the lines of a text, in words.
func lines(text string) string {
	n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// ends is the beginning and the end of a text.
func ends(text string) string {
	r := []rune(text)
	if len(r) <= headRoom+tailRoom {
		return text
	}
	head, tail := string(r[:headRoom]), string(r[len(r)-tailRoom:])
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	return head + "\n[…]\n" + tail
}

func previewJSON(text string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return ""
	}
	var b strings.Builder
	shape(&b, v, "", 0)
	return b.String()
}

// shape writes what a value of JSON is made of.
func shape(b *strings.Builder, v any, indent string, depth int) {
	if b.Len() > 2*previewRoom {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		fmt.Fprintf(b, "object of %d keys\n", len(v))
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i == mostKeys {
				fmt.Fprintf(b, "%s  … %d more\n", indent, len(v)-mostKeys)
				break
			}
			fmt.Fprintf(b, "%s  %s: ", indent, shorten(key, longestItem))
			inner(b, v[key], indent, depth)
		}
	case []any:
		fmt.Fprintf(b, "list of %d\n", len(v))
		for i, item := range v[:min(len(v), mostItems)] {
			fmt.Fprintf(b, "%s  [%d]: ", indent, i)
			inner(b, item, indent, depth)
		}
		if len(v) > mostItems {
			fmt.Fprintf(b, "%s  … %d more\n", indent, len(v)-mostItems)
		}
	default:
		fmt.Fprintln(b, scalar(v))
	}
}

// inner writes a value inside of another one.
func inner(b *strings.Builder, v any, indent string, depth int) {
	raw, err := json.Marshal(v)
	if err == nil && len(raw) <= longestItem || depth == deepest {
		fmt.Fprintln(b, scalar(v))
		return
	}
	shape(b, v, indent+"  ", depth+1)
}

func scalar(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return shorten(string(raw), longestItem)
}

func previewLines(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n < mostItems {
			fmt.Fprintf(&b, "[%d]: ", n)
			if got := previewJSON(line); got != "" && len(line) > longestItem {
				b.WriteString(got)
			} else {
				b.WriteString(shorten(line, longestItem) + "\n")
			}
		}
		n++
	}
	return fmt.Sprintf("%d values, one on each line\n%s", n, b.String())
}

func previewCSV(text string) string {
	sign, ok := separator(text[:min(len(text), looked)])
	if !ok {
		return ""
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = sign, -1, true
	var b strings.Builder
	rows, columns := 0, 0
	for {
		record, err := r.Read()
		if err != nil {
			break
		}
		if rows == 0 {
			columns = len(record)
		}
		if rows <= 2*mostItems {
			b.WriteString(shorten(strings.Join(record, string(sign)), 2*longestItem) + "\n")
		}
		rows++
	}
	return fmt.Sprintf("table of %d rows below its first, %d columns\n%s", max(0, rows-1), columns, b.String())
}

func previewXML(text string) string {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.Entity = false, xml.HTMLEntity
	counts, order := map[string]int{}, []string{}
	var path []string
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			if len(path) <= deepest+1 {
				key := strings.Join(path, "/")
				if counts[key]++; counts[key] == 1 && len(order) < mostKeys {
					order = append(order, key)
				}
			}
		case xml.EndElement:
			path = path[:max(0, len(path)-1)]
		}
	}
	var b strings.Builder
	for _, key := range order {
		fmt.Fprintf(&b, "%s: %d\n", shorten(key, longestItem), counts[key])
	}
	return b.String() + "\n" + shorten(text, headRoom)
}

func previewHTML(text string) string {
	z := html.NewTokenizer(strings.NewReader(text))
	var title, words strings.Builder
	var headings []string
	links, within := 0, ""
	for words.Len() < 2*headRoom {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		switch kind {
		case html.StartTagToken:
			name, _ := z.TagName()
			if within = string(name); within == "a" {
				links++
			}
		case html.EndTagToken:
			within = ""
		case html.TextToken:
			s := strings.Join(strings.Fields(string(z.Text())), " ")
			switch within {
			case "script", "style", "noscript":
				continue
			case "title":
				title.WriteString(s)
				continue
			case "h1", "h2", "h3":
				headings = append(headings, s)
			}
			if s != "" {
				words.WriteString(s + "\n")
			}
		}
	}
	return fmt.Sprintf("title: %s\nheadings: %s\nlinks in this part: %d\n\n%s", shorten(title.String(), longestItem),
		shorten(strings.Join(headings, " · "), longestItem), links, shorten(words.String(), headRoom))
}
