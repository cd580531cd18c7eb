package workspace_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/tools/workspace"
)

func TestMediaType(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, tc := range []struct{ name, content, want string }{
		{"notes.md", "# hi\n", "text/markdown"},
		{"NOTES.MD", "<div>hi</div>", "text/markdown"},
		{"main.go", "package main\n", "text/x-go"},
		{"data.csv", "a,b\n1,2\n", "text/csv"},
		{"conf.yml", "a: 1\n", "application/yaml"},
		{"plain", "hello", "text/plain"},
		{"unknown.zzz", "hello", "text/plain"},
		{"empty.json", "", "application/json"},
		{"page", "<!DOCTYPE html><html></html>", "text/html"},
		{"picture.png", png, "image/png"},
		{"picture.md", png, "image/png"},
		{"fake.png", "hello", "text/plain"},
		{"report.pdf", "%PDF-1.7\n", "application/pdf"},
		{"late.txt", strings.Repeat("text ", 5000) + "\x00", "application/octet-stream"},
		{"latin.txt", "caf\xe9 au lait", "application/octet-stream"},
		{"utf8.txt", "café", "text/plain"},
	} {
		if got := workspace.MediaType(tc.name, []byte(tc.content)); got != tc.want {
			t.Errorf("MediaType(%q, %.20q) = %q, want %q", tc.name, tc.content, got, tc.want)
		}
	}
}
