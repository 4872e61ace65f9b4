package scan

// A run is a longest stretch of bytes from '+' (0x2B) to 0x7F: everything that a key is made of, and punctuation that no
// key holds. White space, quotes, brackets and all of UTF-8 end a run.
//
// Every rule but the PEM one needs a run of 20 bytes or more: AKIA and its 16 characters are the shortest, and the dots
// of a JWT are run bytes themselves. This is what makes the scan fast: most words are far shorter.
const (
	minRun    = 20
	firstByte = '+'
	// window is what one load looks at. Any run of minRun bytes holds a whole window that starts at a multiple of stride,
	// wherever the run starts: looking at every stride-th window finds them all.
	window = 8
	stride = minRun - window + 1
)

// nextRun returns the first run of minRun bytes or more of which a window starts at i, i+stride, i+2*stride and so on.
// Two runs are at least one byte apart, so hi+stride is where to look for the next.
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

// runAround widens the window at i, all of it run bytes, to both ends of its run.
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

// isRun tells whether text, of window bytes at least, holds run bytes alone.
func isRun(text string) bool {
	for i := 0; i+window <= len(text); i += window {
		if breaksRun(load(text, i)) {
			return false
		}
	}
	return !breaksRun(load(text, len(text)-window))
}

const (
	lowBits  = 0x0101010101010101
	highBits = lowBits << 7
)

// breaksRun reports whether one of the eight bytes in x is no run byte. Subtracting sets the high bit of every byte that
// is too small, and perhaps of the one above it, to which it borrows: that blurs where the break is, not whether.
func breaksRun(x uint64) bool {
	return ((x-firstByte*lowBits)|x)&highBits != 0
}

// load reads eight bytes of content from i on. The compiler makes a single load of it, as of encoding/binary, which
// takes no strings.
func load(content string, i int) uint64 {
	b := content[i : i+window]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
