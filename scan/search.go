package scan

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// search is a search for credentials in one content. It keeps what several starts of a match share.
type search struct {
	content string
	from    int // the start of the content for word boundaries
	live    []key
	ruleSet

	lastWords [meshToken + 1]int // the positions of the words of the heuristic rules; 0 is not known, -1 is none
	tail      jwtTail
	noPEMEnd  bool // no last line of a PEM key follows
}

// table returns the keys of the rules that are applied, apart from live tokens.
func (s *search) table() *keyTable {
	if s.extended {
		return extendedTable
	}
	return standardTable
}

// key returns the live tokens, and after them the keys of the table.
func (s *search) key(n int) *key {
	if n < len(s.live) {
		return &s.live[n]
	}
	return &s.table().keys[n-len(s.live)]
}

// candidates yields the keys that the content may have, in the order of their rules, and where to search for them. It yields
// no pointers, which would move the content of Find to the heap.
func (s *search) candidates(yield func(n, at int) bool) {
	for n := range s.live {
		if !yield(n, 0) {
			return
		}
	}
	first := s.sweep(s.table())
	for set := first.found; set != 0; set &= set - 1 {
		n := bits.TrailingZeros64(uint64(set))
		if !yield(len(s.live)+n, first.at[n]) {
			return
		}
	}
}

// first returns the leftmost match of the first rule that matches.
func (s *search) first() (Finding, bool) {
	best := span{rule: ruleCount, start: math.MaxInt}
	for n, i := range s.candidates {
		k := s.key(n)
		if k.rule > best.rule {
			break
		}
		if start, end := s.next(k, i); end > 0 {
			best = slices.MinFunc([]span{best, {k.rule, start, end}}, span.compare)
		}
	}
	if best.rule == ruleCount {
		return Finding{}, false
	}
	return best.finding(), true
}

// all returns every match of every rule. Those of a key do not overlap.
func (s *search) all() []span {
	var found []span
	for n, i := range s.candidates {
		k := s.key(n)
		for start, end := s.next(k, i); end > 0; start, end = s.next(k, end) {
			found = append(found, span{k.rule, start, end})
		}
	}
	slices.SortFunc(found, span.compare)
	return found
}

// startingAt returns the matches that start at i, as if the content began at i.
func (s *search) startingAt(i int) (found []span) {
	s.from = i
	for n := range len(s.live) + len(s.table().keys) {
		if k := s.key(n); i < len(s.content) && strings.HasPrefix(s.content[i:], k.prefix) {
			if end := s.end(k, i); end > 0 {
				found = append(found, span{k.rule, i, end})
			}
		}
	}
	return found
}

// boundary reports whether there is an ASCII word boundary before byte i, which must exist. With escapes there is one after
// an escape sequence, too.
func (s *search) boundary(i int) bool {
	before := i > s.from && classes[s.content[i-1]]&word != 0
	after := classes[s.content[i]]&word != 0
	return before != after || s.escapes && before && endsInEscape(s.content[s.from:i])
}

// span is a match: the index of the rule in table, and the position.
type span struct{ rule, start, end int }

// compare compares matches in the order of FindAll.
func (m span) compare(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }

// A run is a maximal sequence of bytes from '+' (0x2B) to 0x7F: all characters of keys, and some punctuation. White space,
// quotes, parentheses and bytes outside ASCII end a run.
//
// Every match except those of live tokens and PEM keys is within a run of minRun bytes or more: AKIA and its 16 characters
// are the shortest. Most words are far shorter, so the search for a long run skips almost all of a text.
const (
	minRun    = 20
	firstByte = '+'
	// window is the number of bytes in one load. A run of minRun bytes contains a whole window that starts at a multiple of
	// stride.
	window = 8
	stride = minRun - window + 1
)

// nextRun returns the first run of minRun bytes or more that contains a window at i, i+stride, i+2*stride and so on. Two
// runs are at least one byte apart, so the next search starts at hi+stride.
func nextRun(content string, i int) (lo, hi int, ok bool) {
	for ; i+window <= len(content); i += stride {
		if breaksRun(load(content, i)) {
			continue
		}
		lo, hi = runAround(content, i)
		if hi-lo >= minRun {
			return lo, hi, true
		}
		i = hi
	}
	return 0, 0, false
}

// runAround returns the run that contains the window at i.
func runAround(content string, i int) (lo, hi int) {
	lo, hi = i, i+window
	for lo > 0 && isRunByte(content[lo-1]) {
		lo--
	}
	for hi+window <= len(content) && !breaksRun(load(content, hi)) {
		hi += window
	}
	for hi < len(content) && isRunByte(content[hi]) {
		hi++
	}
	return lo, hi
}

func isRunByte(b byte) bool { return firstByte <= b && b < 0x80 }

const (
	lowBits  = 0x0101010101010101
	highBits = lowBits << 7
)

// breaksRun reports whether one of the eight bytes in x is no run byte. The subtraction sets the high bit of a byte that is
// too small, and by its borrow perhaps that of the next byte, so it does not tell which one it is.
func breaksRun(x uint64) bool {
	return ((x-firstByte*lowBits)|x)&highBits != 0
}

// load returns eight bytes of content at i. The compiler merges the loads into one, as in encoding/binary, which does not
// accept strings.
func load(content string, i int) uint64 {
	b := content[i : i+window]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

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

// WithEscapes makes an escape sequence such as \n a word boundary, as in the string literals of source files: it lets the
// match in "key:\nsk-…" start. Package client checks messages, which are text, without it.
func WithEscapes() Option {
	return func(c *config) { c.escapes = true }
}

const (
	maxEscape   = len(`\U0001F600`)
	hexDigits   = "0123456789abcdefABCDEF"
	octalDigits = "01234567"
)

// endsInEscape reports whether text ends in an escape sequence of C, Go, JSON, JavaScript or Python. A literal may be within
// another one, so that the number of backslashes says nothing.
func endsInEscape(text string) bool {
	text = text[max(0, len(text)-maxEscape):]
	i := strings.LastIndexByte(text, '\\') + 1
	if i == 0 || i == len(text) {
		return false
	}
	letter, digits := text[i], text[i+1:]
	switch {
	case digits == "":
		return strings.IndexByte("abefnrtv"+octalDigits, letter) >= 0
	case letter == 'x':
		return len(digits) == 2 && strings.Trim(digits, hexDigits) == ""
	case letter == 'u':
		return len(digits) == 4 && strings.Trim(digits, hexDigits) == ""
	case letter == 'U':
		return len(digits) == 8 && strings.Trim(digits, hexDigits) == ""
	}
	return len(text[i:]) <= 3 && strings.Trim(text[i:], octalDigits) == ""
}
