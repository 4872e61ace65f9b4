package call

import "io"

// maxFilteredBytes bounds a body of which only a part is kept.
const maxFilteredBytes = 1 << 30

// boundedReader fails beyond left bytes.
type boundedReader struct {
	next io.Reader
	left int64
}

// Read implements io.Reader.
func (r *boundedReader) Read(p []byte) (int, error) {
	n, err := r.next.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, tooLarge(maxFilteredBytes)
	}
	return n, err
}
