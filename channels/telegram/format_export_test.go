package telegram

// Chunk is what format makes, for tests outside of the package.
type Chunk struct{ HTML, Plain string }

// Format gives tests outside of the package what format makes.
func Format(markdown string, limit int) []Chunk {
	var out []Chunk
	for _, c := range format(markdown, limit) {
		out = append(out, Chunk{HTML: c.html, Plain: c.plain})
	}
	return out
}
