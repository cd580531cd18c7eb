package agent_test

import (
	"bytes"
	"image"
	"image/color"
	imagepng "image/png"
	"testing"
)

// png is a picture that models take.
func png(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	if err := imagepng.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
