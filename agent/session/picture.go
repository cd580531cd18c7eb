package session

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats that models take
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/webp"

	"github.com/leadhand/leadhand/agent/llm"
)

// What every provider takes.
const (
	maxPictureBytes = 5 << 20
	maxPictureSide  = 8000 // pixels
	// maxDecodePixels bounds the memory of a trial decoding; a larger picture is judged by its header alone.
	maxDecodePixels = 20 << 20
)

// Picture checks that data is an image which models take, and gives it with the media type of its content: a wrong one
// in the history would make every later request fail. The error says in plain words what is wrong.
func Picture(name string, data []byte) (*llm.Image, error) {
	if len(data) > maxPictureBytes {
		return nil, fmt.Errorf("larger than %d MB", maxPictureBytes>>20)
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("not a PNG, JPEG, GIF or WebP image")
	}
	if cfg.Width < 1 || cfg.Height < 1 || cfg.Width > maxPictureSide || cfg.Height > maxPictureSide {
		return nil, fmt.Errorf("%d×%d pixels; at most %d a side are possible", cfg.Width, cfg.Height, maxPictureSide)
	}
	if cfg.Width*cfg.Height <= maxDecodePixels {
		if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
			return nil, errors.New("the image is damaged")
		}
	}
	return &llm.Image{Name: Clean(name), MediaType: "image/" + format, Data: data}, nil
}
