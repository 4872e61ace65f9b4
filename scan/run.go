package scan

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
