package scan

import "strings"

// minStretch is the least of U in one piece that a rule asks for: eyJ and 15 more, the first part of a JWT.
const minStretch = 18

// stretches splits a run into its longest stretches of U and looks at each. Rules 1 to 9, and 12, lie within one.
func (s *sweep) stretches(lo, hi int) {
	for lo < hi {
		end := endOf(u, s.content, lo, hi)
		if end-lo >= minStretch {
			s.keysIn(lo, end)
			s.meshTokenIn(lo, end)
		}
		if s.extended {
			s.dottedKeyBefore(lo, end)
		}
		lo = end + 1
	}
}

// keysIn tries the keys at every word start of a stretch: its first byte, for what stands before it is not in U, and
// every byte behind a hyphen.
func (s *sweep) keysIn(lo, hi int) {
	for hi-lo >= minStretch {
		s.keysAt(lo, hi)
		hyphen := strings.IndexByte(s.content[lo:hi], '-')
		if hyphen < 0 {
			return
		}
		lo += hyphen + 1
	}
}
