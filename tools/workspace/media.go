package workspace

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// textTypes are kinds of text that content alone does not tell apart.
var textTypes = map[string]string{
	".c":    "text/x-c",
	".css":  "text/css",
	".csv":  "text/csv",
	".go":   "text/x-go",
	".html": "text/html",
	".ics":  "text/calendar",
	".java": "text/x-java",
	".js":   "text/javascript",
	".json": "application/json",
	".md":   "text/markdown",
	".py":   "text/x-python",
	".rs":   "text/x-rust",
	".sh":   "text/x-shellscript",
	".sql":  "application/sql",
	".svg":  "image/svg+xml",
	".toml": "application/toml",
	".ts":   "text/x-typescript",
	".tsv":  "text/tab-separated-values",
	".txt":  "text/plain",
	".xml":  "application/xml",
	".yaml": "application/yaml",
	".yml":  "application/yaml",
}

// MediaType is the media type of content, without parameters. What the bytes say counts: a name can't turn a program
// into a picture. Only for text does the ending of the name decide which kind it is.
func MediaType(name string, content []byte) string {
	detected := mimetype.Detect(content)
	if !textual(detected) {
		return base(detected)
	}
	if !IsText(content) {
		return "application/octet-stream"
	}
	if byName, ok := textTypes[strings.ToLower(path.Ext(name))]; ok {
		return byName
	}
	return base(detected)
}

// IsText tells whether content can be shown and edited as text: valid UTF-8 without NUL.
func IsText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

func textual(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

func base(m *mimetype.MIME) string {
	kind, _, _ := strings.Cut(m.String(), ";")
	return kind
}
