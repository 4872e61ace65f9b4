package scan

import "strings"

// jwtPart is the least of U in each part of a JWT, behind eyJ in the first two.
const jwtPart = 15

// jwtTail is what was seen behind the first part of a JWT: a dot, eyJ and the second part, a dot, the third. Many words in
// one long first part may start like a JWT. They all share its end and what follows, so the last answer is kept.
type jwtTail struct {
	from, dot int // the answer is for first parts that start from here on and end at dot
	end       int // where the JWT ends; 0 when there is none
}

// jwtAt reports k, the beginning of a JWT or of what ends like one, whose prefix stands at i.
func (s *sweep) jwtAt(k *key, i int) {
	body := i + len(k.prefix)
	if body < s.tail.from || body > s.tail.dot {
		dot := endOf(u, s.content, body, len(s.content))
		s.tail = jwtTail{from: body, dot: dot, end: jwtEnd(s.content, dot)}
	}
	if s.tail.end > 0 && s.tail.dot-body >= k.min {
		s.report(k.rule, i, s.tail.end)
	}
}

// jwtEnd is the end of a JWT whose first part ends at dot, 0 if it does not go on as a JWT.
func jwtEnd(content string, dot int) int {
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
