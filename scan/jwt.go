package scan

import "strings"

// jwtPart is the least of U in each part of a JWT, behind eyJ in the first two.
const jwtPart = 15

// jwtTail is the rest of a JWT behind its first part: a dot, eyJ and the second part, a dot, the third. Many words in
// one long first part may start like a JWT, and all of them share one tail, so the last answer is kept.
type jwtTail struct {
	asked bool
	dot   int // where the first part ends
	end   int // where the JWT ends; 0 when there is none
}

// jwtAt reports a JWT, or what is one but for its beginning, at the word start i in the stretch of U that ends at hi.
func (s *sweep) jwtAt(rule int, prefix string, i, hi int) {
	if !s.wants(rule, i) || !strings.HasPrefix(s.content[i:hi], prefix) || hi-i-len(prefix) < jwtPart {
		return
	}
	if !s.tail.asked || s.tail.dot != hi {
		s.tail = jwtTail{asked: true, dot: hi, end: jwtEnd(s.content, hi)}
	}
	if s.tail.end > 0 {
		s.report(rule, i, s.tail.end)
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
