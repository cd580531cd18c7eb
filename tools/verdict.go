package tools

// Verdict is what one layer says about one tool, in words that people and models may read.
type Verdict struct {
	Layer string // who says it: "global profile", "agent lead deny", "topic Design", "you (member)"
	Rule  string // what its rule is: "full", "only group:web, read_image (set by @c, 3 Nov)", "no group:runtime"
	Hides bool
	// Lifted says why a rule that would hide the tool does not: "lifted for you until 14:30 by @a". Hides is false then.
	Lifted string
}

// String is the verdict in one line. A refused call and an explanation of a plan use it both, so that they never tell
// different reasons.
func (v Verdict) String() string {
	line := v.Layer + ": " + v.Rule
	if v.Lifted != "" {
		line += "; " + v.Lifted
	}
	return line
}

// lift keeps the verdict from hiding its tool. One that hides nothing stays as it is.
func (v Verdict) lift(why string) Verdict {
	if v.Hides {
		v.Hides, v.Lifted = false, why
	}
	return v
}

// Gate decides about one tool. It may speak for several layers; saying nothing lets the tool through. One verdict that
// hides is enough to hide the tool, whatever other verdicts and gates say.
type Gate func(d *Descriptor) []Verdict

// hidingOf are the verdicts that hide; nil when none does.
func hidingOf(vs []Verdict) []Verdict {
	count := 0
	for i := range vs {
		if vs[i].Hides {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	hiding := make([]Verdict, 0, count)
	for i := range vs {
		if vs[i].Hides {
			hiding = append(hiding, vs[i])
		}
	}
	return hiding
}
