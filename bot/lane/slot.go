package lane

// Slot is room for one lane, kept while a transaction decides whether the caller gets the lane's lease together with
// the item it posts. That saves a claim and its commit: an item posted to an idle lane starts at once.
type Slot struct {
	engine *Engine
	owner  string
}

// Reserve keeps a slot; nil when none is free or the engine stops. A nil *Slot may be used: it owns nothing.
func (e *Engine) Reserve() *Slot {
	if e.reserve(1) == 0 {
		return nil
	}
	return &Slot{engine: e, owner: e.cfg.Owner()}
}

// Owner is who claims; empty for a nil slot, which claims nothing.
func (s *Slot) Owner() string {
	if s == nil {
		return ""
	}
	return s.owner
}

// Use works the lease on the slot, or frees the slot when the lease is nil: then somebody else has the lane or will
// find it.
func (s *Slot) Use(l *Lease) {
	switch {
	case s == nil:
	case l == nil:
		s.engine.unreserve()
	default:
		s.engine.start(*l)
	}
}
