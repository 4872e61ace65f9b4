package eventstream

import "bytes"

// IndexEither returns the index of the first byte of p that is one or the other, else the length of p. It searches in blocks: where one byte is
// frequent, each search for the other one to the end of p would take quadratic time in all. block suits the length of what is between them.
func IndexEither(p []byte, one, other byte, block int) int {
	for n := 0; n < len(p); n += block {
		b := p[n:min(n+block, len(p))]
		found := bytes.IndexByte(b, one)
		if found >= 0 {
			b = b[:found]
		}
		if i := bytes.IndexByte(b, other); i >= 0 {
			return n + i
		}
		if found >= 0 {
			return n + found
		}
	}
	return len(p)
}
