package secret

// grams is a set of all stretches of some texts. Looking up the stretch at each place of a text takes linear time, whatever
// the number of secrets is.
type grams map[uint64]struct{}

func (g grams) add(text string) {
	var gram uint64
	for i := range len(text) {
		if gram = gram<<8 | uint64(text[i]); i >= stretch-1 {
			g[gram] = struct{}{}
		}
	}
}

// find marks every stretch in v that is in the set. Stretches that overlap are marked as one.
func (g grams) find(v *view) {
	var gram uint64
	var found span
	for i, b := range v.text {
		gram = gram<<8 | uint64(b)
		if _, ok := g[gram]; !ok || i < stretch-1 {
			continue
		}
		if start := i - (stretch - 1); start >= found.end {
			v.mark(found.start, found.end)
			found.start = start
		}
		found.end = i + 1
	}
	v.mark(found.start, found.end)
}
