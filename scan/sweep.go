package scan

import (
	"math/bits"
	"slices"
	"strings"
)

// keySet is a set of keys, one bit each.
type keySet uint64

// keyTable finds keys by the bytes that they begin with.
type keyTable struct {
	keys      []key
	prefixed  [256]keySet // first byte -> keys
	second    [256]uint32 // first byte -> a bit for the low five bits of each second byte
	heuristic keySet      // keys without a prefix
	anywhere  keySet      // keys that may be outside of runs
}

var (
	standardTable = newKeyTable(keys)
	extendedTable = newKeyTable(slices.Concat(keys, extendedKeys))
)

func newKeyTable(all []key) *keyTable {
	t := &keyTable{keys: all}
	for n, k := range all {
		bit := keySet(1) << n
		switch {
		case k.anywhere:
			t.anywhere |= bit
		case k.prefix == "":
			t.heuristic |= bit
		default:
			t.prefixed[k.prefix[0]] |= bit
			t.second[k.prefix[0]] |= 1 << (k.prefix[1] % 32)
		}
	}
	return t
}

// starts has the first match of each key that was found.
type starts struct {
	at    [64]int
	found keySet
}

func (f *starts) add(n, at int) {
	f.at[n] = at
	f.found |= 1 << n
}

// sweep returns the first match of each key, or the start of the content for one that may be outside of runs. One pass over
// the content takes far less time than a search for each key.
func (s *search) sweep(t *keyTable) (first starts) {
	first.found = t.anywhere
	heuristic := t.heuristic
	if s.withoutHeuristics {
		heuristic = 0
	}
	for lo, hi, ok := nextRun(s.content, 0); ok; lo, hi, ok = nextRun(s.content, hi+stride) {
		for set := heuristic &^ first.found; set != 0; set &= set - 1 {
			n := bits.TrailingZeros64(uint64(set))
			if start, end := s.nextIn(&t.keys[n], lo, hi); end > 0 {
				first.add(n, start)
			}
		}
		text := s.content[lo : hi-minRun+2] // a key that starts later would be too short
		for i := 1; i < len(text); i++ {
			if t.second[text[i-1]]>>(text[i]%32)&1 != 0 {
				s.startsAt(t, lo+i-1, &first)
			}
		}
	}
	return first
}

// startsAt adds the keys that match at i and were not found before.
func (s *search) startsAt(t *keyTable, i int, first *starts) {
	for set := t.prefixed[s.content[i]] &^ first.found; set != 0; set &= set - 1 {
		n := bits.TrailingZeros64(uint64(set))
		if k := &t.keys[n]; strings.HasPrefix(s.content[i:], k.prefix) && s.end(k, i) > 0 {
			first.add(n, i)
		}
	}
}
