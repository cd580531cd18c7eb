package discord

import "hash/maphash"

// texts is what the newest messages said, to tell changes of the text from others.
type texts struct {
	seed maphash.Seed
	sums ring[uint64] // by id
}

func newTexts() texts { return texts{seed: maphash.MakeSeed()} }

func (t *texts) keep(id, text string) { t.sums.keep(id, maphash.String(t.seed, text)) }

// same tells whether a message is known to have said this already.
func (t *texts) same(id, text string) bool {
	sum, known := t.sums.get(id)
	return known && sum == maphash.String(t.seed, text)
}
