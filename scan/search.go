package scan

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// search looks for credentials in one content. It caches facts that matches at different
// positions share.
type search struct {
	content string
	from    int // content start, for word boundaries
	live    []key
	ruleSet

	lastWords        [meshToken + 1]int // last positions of the heuristic rules' words; 0 is unknown, -1 is absent
	runStart, runEnd int                // of the last run, which may have many heuristic matches

	tail     jwtTail
	noPEMEnd bool // no last PEM line follows
}

func (s *search) table() *keyTable {
	if s.extended {
		return extendedTable
	}
	return standardTable
}

// key numbers the live tokens first, and then the table's keys.
func (s *search) key(n int) *key {
	if n < len(s.live) {
		return &s.live[n]
	}
	return &s.table().keys[n-len(s.live)]
}

// candidates yields keys that may occur, in the order of their rules, and where to start
// searching. It doesn't yield pointers, which would move Find's content to the heap.
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

// startingAt returns the matches at i, as if the content started there.
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

// boundary reports whether there is an ASCII word boundary before byte i, which must
// exist. If escapes is set, there is also a boundary after an escape sequence.
func (s *search) boundary(i int) bool {
	before := i > s.from && classes[s.content[i-1]]&word != 0
	after := classes[s.content[i]]&word != 0
	return before != after || s.escapes && before && endsInEscape(s.content[s.from:i])
}

// span is a match. rule is an index in table.
type span struct{ rule, start, end int }

// compare defines the order of FindAll's result.
func (m span) compare(o span) int {
	return cmp.Or(cmp.Compare(m.start, o.start), cmp.Compare(m.rule, o.rule), cmp.Compare(o.end, m.end))
}

func (m span) finding() Finding { return Finding{Rule: table[m.rule], Start: m.start, End: m.end} }

// A run is a maximal sequence of bytes from '+' (0x2B) to 0x7F: all characters in keys,
// and some punctuation. White space, quotes, parentheses and non-ASCII bytes end a run.
//
// Every match lies within a run of at least minRun bytes, except for live tokens and PEM
// keys: the shortest is AKIA and 16 characters. Most words are far shorter, so a search
// for long runs skips almost all of a text.
const (
	minRun    = 20
	firstByte = '+'
	// window is the number of bytes in one load. A run with minRun bytes contains a whole
	// window at some multiple of stride.
	window = 8
	stride = minRun - window + 1
)

// nextRun returns the first run with at least minRun bytes that contains a window at i,
// i+stride, i+2*stride and so on. Runs are separated by at least one byte, so the next
// search starts at hi+stride.
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

// breaksRun reports whether x contains a byte outside runs. The subtraction sets a byte's
// high bit if it's too small, but a borrow may also set the next byte's, so it doesn't
// tell which byte it is.
func breaksRun(x uint64) bool {
	return ((x-firstByte*lowBits)|x)&highBits != 0
}

// load returns eight bytes at i. The compiler merges the loads into one, as in
// encoding/binary, which doesn't accept strings.
func load(content string, i int) uint64 {
	b := content[i : i+window]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

type keySet uint64

// keyTable finds keys by their first bytes.
type keyTable struct {
	keys      []key
	prefixed  [256]keySet // first byte -> keys
	second    [256]uint32 // first byte -> a bit for each second byte's low five bits
	heuristic keySet      // no prefix
	anywhere  keySet      // may be outside runs
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

// starts records each found key's first match.
type starts struct {
	at    [64]int
	found keySet
}

func (f *starts) add(n, at int) {
	f.at[n] = at
	f.found |= 1 << n
}

// sweep returns each key's first match, or position 0 for keys that may be outside runs.
// One pass takes far less time than a search per key.
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
		text := s.content[lo : hi-minRun+2] // a later key would be too short
		for i := 1; i < len(text); i++ {
			if t.second[text[i-1]]>>(text[i]%32)&1 != 0 {
				s.startsAt(t, lo+i-1, &first)
			}
		}
	}
	return first
}

// startsAt adds keys that match at i and weren't found before.
func (s *search) startsAt(t *keyTable, i int, first *starts) {
	for set := t.prefixed[s.content[i]] &^ first.found; set != 0; set &= set - 1 {
		n := bits.TrailingZeros64(uint64(set))
		if k := &t.keys[n]; strings.HasPrefix(s.content[i:], k.prefix) && s.end(k, i) > 0 {
			first.add(n, i)
		}
	}
}

// WithEscapes makes an escape sequence such as \n a word boundary, so that "key:\nsk-…"
// matches in a string literal. Use it for source files. Package client doesn't use it,
// because messages are plain text.
func WithEscapes() Option {
	return func(c *config) { c.escapes = true }
}

const (
	maxEscape   = len(`\U0001F600`)
	hexDigits   = "0123456789abcdefABCDEF"
	octalDigits = "01234567"
)

// endsInEscape reports whether text ends in an escape sequence from C, Go, JSON,
// JavaScript or Python. It doesn't count backslashes, because a literal may be within
// another literal.
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
