package meter

import (
	"bytes"
	"slices"
)

// text takes bytes of a key or of a string, and returns their number.
func (s *skimmer) text(p []byte) int {
	if s.escaped {
		s.escaped = false
		s.take(p[:1])
		return 1
	}
	n := plainLength(p)
	if n == len(p) {
		s.take(p)
		return n
	}
	if p[n] == '"' {
		s.take(p[:n])
		s.quote()
		return n + 1
	}
	s.take(p[:n+1])
	s.escaped = true
	return n + 1
}

// plainLength returns the number of bytes before the first quote or backslash. It searches block by block: a search to the end of p
// for each of many escapes would take quadratic time.
func plainLength(p []byte) int {
	const block = 64
	for n := 0; n < len(p); n += block {
		b := p[n:min(n+block, len(p))]
		quote := bytes.IndexByte(b, '"')
		if quote >= 0 {
			b = b[:quote]
		}
		if escape := bytes.IndexByte(b, '\\'); escape >= 0 {
			return n + escape
		}
		if quote >= 0 {
			return n + quote
		}
	}
	return len(p)
}

// take keeps bytes of a key or of a string.
func (s *skimmer) take(p []byte) {
	if s.state == inString {
		s.copy(p...)
	} else if len(s.key) <= maxKey {
		s.key = append(s.key, p[:min(len(p), maxKey+1)]...)
	}
}

// quote ends a key or a string.
func (s *skimmer) quote() {
	switch {
	case s.state == inKey:
		s.next = s.top().node.Member(s.key)
		s.state = beforeColon
	case s.depth > 0:
		s.copy('"')
		s.state = inWhole
	default:
		s.copy('"')
		s.finish()
	}
}

// whole takes bytes of a container that is copied or skipped, up to its end or to a string, and returns their number.
func (s *skimmer) whole(p []byte) int {
	for i, c := range p {
		switch c {
		case '{', '[':
			s.depth++
		case '}', ']':
			s.depth--
		case '"':
			s.state = inString
		}
		if c == '"' || s.depth == 0 {
			s.copy(p[:i+1]...)
			if s.depth == 0 {
				s.finish()
			}
			return i + 1
		}
	}
	s.copy(p...)
	return len(p)
}

// scalar takes bytes of a number or of a literal, and returns their number.
func (s *skimmer) scalar(p []byte) int {
	n := slices.IndexFunc(p, func(c byte) bool { return c <= ' ' || c == ',' || c == '}' || c == ']' })
	if n < 0 {
		n = len(p)
	}
	s.copy(p[:n]...)
	if n < len(p) {
		s.finish()
	}
	return n
}

// copy appends to the copy of a value that is kept.
func (s *skimmer) copy(p ...byte) {
	switch {
	case !s.keep:
	case len(s.kept)+len(p) > maxKept:
		s.err = errTooLarge
	default:
		s.kept = append(s.kept, p...)
	}
}
