package skim

import (
	"slices"
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// text takes bytes of a key or of a string, and returns their number.
func (s *Skimmer) text(p []byte) int {
	if s.escaped {
		s.escaped = false
		s.take(p[:1])
		return 1
	}
	n := eventstream.IndexEither(p, '"', '\\', 64)
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

// take keeps bytes of a key or of a string.
func (s *Skimmer) take(p []byte) {
	if s.state == inString {
		s.copyText(p)
	} else if len(s.key) <= maxKey {
		s.key = append(s.key, p[:min(len(p), maxKey+1)]...)
	}
}

// quote ends a key or a string.
func (s *Skimmer) quote() {
	switch {
	case s.state == inKey:
		s.next = s.top().node.Member(s.key)
		s.state = beforeColon
	case s.depth > 0:
		s.copy('"')
		s.state = inWhole
	default:
		if s.long.hashed && s.keep && !s.next.Field.IsName() {
			s.kept = strconv.AppendUint(s.kept, s.long.hash, 16)
		}
		s.copy('"')
		s.finish()
	}
}

// longText is a text of more than response.MaxName bytes. A name of that length is none, and is kept as "". Of others, such as what
// was searched for, only the number of different ones matters: a hash is kept.
type longText struct {
	begin  int // of the text in kept
	hashed bool
	hash   uint64
}

// copyText copies bytes of a text that is kept.
func (s *Skimmer) copyText(p []byte) {
	if !s.keep || s.depth > 0 {
		s.copy(p...)
		return
	}
	if !s.long.hashed && len(s.kept)-s.long.begin+len(p) <= response.MaxName {
		s.copy(p...)
		return
	}
	if !s.long.hashed {
		s.long.hashed, s.long.hash = true, fnvOffset
		s.long.add(s.kept[s.long.begin:])
		s.kept = s.kept[:s.long.begin]
	}
	s.long.add(p)
}

const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

// add adds bytes to the hash, which is FNV-1a.
func (t *longText) add(p []byte) {
	for _, c := range p {
		t.hash = (t.hash ^ uint64(c)) * fnvPrime
	}
}

// whole takes bytes of a container that is copied or skipped, up to its end or to a string, and returns their number.
func (s *Skimmer) whole(p []byte) int {
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
func (s *Skimmer) scalar(p []byte) int {
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
func (s *Skimmer) copy(p ...byte) {
	switch {
	case !s.keep:
	case s.other+len(s.kept)+len(p) > maxKept:
		s.err, s.stopped = errTooLarge, true
	default:
		s.kept = append(s.grown(len(p)), p...)
	}
}

// grown returns kept with room for n bytes. Its capacity is never more than maxKept.
func (s *Skimmer) grown(n int) []byte {
	if len(s.kept)+n <= cap(s.kept) {
		return s.kept
	}
	return append(make([]byte, 0, min(2*(len(s.kept)+n), maxKept)), s.kept...)
}
