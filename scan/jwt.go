package scan

import "strings"

// jwtPart is the minimum length of each part of a JWT, not counting eyJ in the first two.
const jwtPart = 15

// jwtTail caches what follows the first part of a JWT: a dot, eyJ and the second part, a dot, the third part. Many words in one
// long first part may start like a JWT and share what follows.
type jwtTail struct {
	from, dot int // the result is for first parts that start at from or later and end at dot
	end       int // the end of the JWT, or 0 if it is none
}

// jwtEnd returns the end of k, a JWT or a token that ends like one, whose prefix ends at body, or 0.
func (s *search) jwtEnd(k *key, body int) int {
	if body < s.tail.from || body > s.tail.dot {
		dot := endOf(u, s.content, body, len(s.content))
		s.tail = jwtTail{from: body, dot: dot, end: jwtTailEnd(s.content, dot)}
	}
	if s.tail.dot-body < k.min {
		return 0
	}
	return s.tail.end
}

// jwtTailEnd returns the end of a JWT whose first part ends at dot, or 0 if it is not a JWT.
func jwtTailEnd(content string, dot int) int {
	second := dot + len(".eyJ")
	if !strings.HasPrefix(content[dot:], ".eyJ") {
		return 0
	}
	dot = endOf(u, content, second, len(content))
	if dot-second < jwtPart || dot == len(content) || content[dot] != '.' {
		return 0
	}
	third := dot + 1
	end := endOf(u, content, third, len(content))
	if end-third < jwtPart {
		return 0
	}
	return end
}
