package once

import (
	"math/bits"
	"slices"
)

// table keeps sightings sorted by key, with gaps. Each is in its home slot or, if others
// fill that, right after them. Growing keeps the order, so a table can grow in place,
// page by page. A hash table that doubles takes twice the memory for a million calls, and
// more until the old half is collected.
type table struct {
	pages []*[pageSize]sighting
	size  uint64 // of the home slots; more follow
	used  int
}

const pageSize = 1024

func (t *table) home(key uint64) uint64 {
	slot, _ := bits.Mul64(key, t.size)
	return slot
}

func (t *table) slot(i uint64) *sighting { return &t.pages[i/pageSize][i%pageSize] }

// search returns the slot that has the key, or should have it.
func (t *table) search(key uint64) uint64 {
	i := t.home(key)
	for {
		page := t.pages[i/pageSize]
		for at := i % pageSize; at < pageSize; at++ {
			if other := page[at].key; other == 0 || other >= key {
				return i
			}
			i++
		}
	}
}

func (t *table) reserve() {
	if 6*uint64(t.used+1) > 5*t.size { //nolint:gosec // a length is not negative
		t.grow()
	}
}

func (t *table) put(i uint64, now sighting) {
	s := t.slot(i)
	if s.key == now.key {
		*s = now
		return
	}
	for t.used++; s.key != 0; s = t.slot(i) {
		*s, now = now, *s
		i++
	}
	*s = now
	t.extend(i + 1)
}

// grow adds a quarter of the slots. It moves all sightings to the end, and from there to
// their new slots, which are free by then.
func (t *table) grow() {
	t.size += max(1, t.size/pageSize/4) * pageSize
	old := t.pages
	end := uint64(0) // of the new slots
	for _, page := range old {
		for i := range page {
			if page[i].key != 0 {
				end = max(end, t.home(page[i].key)) + 1
			}
		}
	}
	t.extend(max(end, t.size))
	from := uint64(len(t.pages)) * pageSize
	for _, page := range slices.Backward(old) {
		for i := range page {
			if s := &page[pageSize-1-i]; s.key != 0 {
				from--
				t.move(s, from)
			}
		}
	}
	for next := uint64(0); from < uint64(len(t.pages))*pageSize; from++ {
		s := t.slot(from)
		next = max(next, t.home(s.key))
		t.move(s, next)
		next++
	}
}

func (t *table) move(s *sighting, to uint64) {
	now := *s
	*s = sighting{}
	*t.slot(to) = now
}

// extend keeps empty slots at the end, because every search ends at one.
func (t *table) extend(end uint64) {
	for uint64(len(t.pages))*pageSize < end+pageSize/2 {
		t.pages = append(t.pages, new([pageSize]sighting))
	}
}
