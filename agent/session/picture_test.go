package session_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/leadhand/leadhand/agent/session"
)

func encoded(t *testing.T, encode func(*bytes.Buffer, image.Image) error, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), palette)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPicture(t *testing.T) {
	t.Parallel()
	pngOf := func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }
	gifOf := func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }
	jpegOf := func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
	whole := encoded(t, pngOf, 8, 8)
	tests := map[string]struct {
		data []byte
		kind string
		err  string
	}{
		"png":            {whole, "image/png", ""},
		"gif":            {encoded(t, gifOf, 8, 8), "image/gif", ""},
		"jpeg":           {encoded(t, jpegOf, 8, 8), "image/jpeg", ""},
		"webp":           {webp, "image/webp", ""},
		"a web page":     {[]byte("<!DOCTYPE html><html>"), "", "not a PNG, JPEG, GIF or WebP image"},
		"nothing":        {nil, "", "not a PNG, JPEG, GIF or WebP image"},
		"cut off":        {whole[:len(whole)-20], "", "the image is damaged"},
		"too wide":       {encoded(t, pngOf, 8001, 1), "", "8001×1 pixels; at most 8000 a side are possible"},
		"too many bytes": {make([]byte, 5<<20+1), "", "larger than 5 MB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := session.Picture("a.bin", tt.data)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.MediaType != tt.kind || got.Name != "a.bin" || !bytes.Equal(got.Data, tt.data) {
				t.Errorf("got %s %s", got.Name, got.MediaType)
			}
		})
	}
}
