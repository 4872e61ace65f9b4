package secret

// grams is a set of all stretches of some texts. Looking up the stretch at each place of a text takes linear time, whatever
// the number of secrets is.
type grams struct {
	set map[uint64]struct{}
	// filter has a bit for each hash of a stretch. Most stretches of a text are ruled out by it, without the map.
	filter [filterBits / 64]uint64
}

const filterBits = 1 << 14

func hash(gram uint64) uint64 { return gram * 0x9E3779B97F4A7C15 >> (64 - 14) }

func (g *grams) add(text string) {
	if g.set == nil {
		g.set = make(map[uint64]struct{})
	}
	var gram uint64
	for i := range len(text) {
		gram = gram<<8 | uint64(text[i])
		if i >= stretch-1 {
			g.set[gram] = struct{}{}
			g.filter[hash(gram)/64] |= 1 << (hash(gram) % 64)
		}
	}
}

// find marks every stretch in v that is in the set. Stretches that overlap are marked as one.
func (g *grams) find(v *view) {
	if g.set == nil {
		return
	}
	var gram uint64
	var found span
	for i, b := range v.text {
		gram = gram<<8 | uint64(b)
		h := hash(gram)
		if i < stretch-1 || g.filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if _, ok := g.set[gram]; !ok {
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
