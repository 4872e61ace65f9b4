package scan

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// key is a credential that starts with a fixed text, or, for the heuristic rules, consists of characters of a class before a certain
// word.
type key struct {
	rule     int
	prefix   string
	anywhere bool   // also where no word begins
	letters  string // if not empty, one of these follows the prefix,
	behind   string // and then this
	unless   string // no match if this follows the prefix
	of       class  // the class of the characters after the prefix,
	min      int    // their minimum number
	max      int    // and their maximum number; 0 means no maximum
	whole    bool   // a word boundary must follow
	jwt      bool   // the rest of a JWT must follow
	word     string // must follow anywhere later
}

// keys are the standard rules, in their order.
var keys = []key{
	{rule: pypi, prefix: "pypi-", of: u, min: 20},
	{rule: anthropic, prefix: "sk-ant-", of: u, min: 20},
	{rule: openaiAdmin, prefix: "sk-admin-", of: u, min: 20},
	// The optional proj- is of class u, so it needs no rule of its own.
	{rule: openai, prefix: "sk-", unless: "admin-", of: u, min: 20},
	{rule: xai, prefix: "xai-", of: u, min: 40},
	// Find never returns this rule, since rule 4 matches wherever it does. FindAll returns both.
	{rule: deepseek, prefix: "sk-", of: hex, min: 32, max: 32, whole: true},
	{rule: google, prefix: "AIza", of: u, min: 35, max: 35},
	{rule: github, prefix: "gh", letters: "ops", behind: "_", of: alnum, min: 30},
	{rule: awsKeyID, prefix: "AKIA", of: upper, min: 16, max: 16},
	{rule: awsSecret, of: base64, min: 40, max: 40, word: "aws"},
	{rule: jwt, prefix: "eyJ", of: u, min: jwtPart, jwt: true},
	{rule: meshToken, of: u, min: 48, word: "MESH_GATEWAY_TOKEN"},
}

// next returns the position of the first match of k from i on. The end is 0 if there is none.
func (s *search) next(k *key, i int) (start, end int) {
	if k.prefix == "" {
		return s.nextHeuristic(k, i)
	}
	for ; i+k.min <= len(s.content); i++ {
		n := strings.Index(s.content[i:], k.prefix)
		if n < 0 {
			break
		}
		i += n
		if end := s.end(k, i); end > 0 {
			return i, end
		}
	}
	return 0, 0
}

func (s *search) nextHeuristic(k *key, i int) (start, end int) {
	for lo, hi, ok := nextRun(s.content, i); ok; lo, hi, ok = nextRun(s.content, hi+stride) {
		if start, end := s.nextIn(k, max(i, lo), hi); end > 0 {
			return start, end
		}
	}
	return 0, 0
}

// nextIn returns the first match of k, which has no prefix, within a run. Looking for a byte of another class from the end
// skips the most. The word is searched for last, since most texts have no match but for the word.
func (s *search) nextIn(k *key, lo, hi int) (start, end int) {
	if last := s.lastWords[k.rule]; last != 0 {
		hi = min(hi, last)
	}
	for i := lo; i+k.min <= hi; i++ {
		if !s.boundary(i) {
			continue
		}
		if bad := lastNot(k.of, s.content, i, i+k.min); bad >= 0 {
			i = bad
		} else if hi = min(hi, s.limit(k)); i+k.min <= hi {
			return i, s.end(k, i)
		}
	}
	return 0, 0
}

// end returns the end of the match of k whose prefix is at i, or 0 if it does not match. Without a match it reads no more than the
// minimum, or what it keeps for other starts, so that a search takes linear time.
func (s *search) end(k *key, i int) int {
	body := i + len(k.prefix)
	rest := s.content[body:]
	switch {
	case !k.anywhere && !s.boundary(i), k.unless != "" && strings.HasPrefix(rest, k.unless):
		return 0
	case k.letters != "":
		if rest == "" || strings.IndexByte(k.letters, rest[0]) < 0 || !strings.HasPrefix(rest[1:], k.behind) {
			return 0
		}
		body += 1 + len(k.behind)
	case k.rule == pemKey:
		return s.pemEnd(i)
	case k.jwt:
		return s.jwtEnd(k, body)
	}
	limit := s.limit(k)
	if k.max > 0 {
		limit = min(limit, body+k.max)
	}
	end := endOf(k.of, s.content, body, limit)
	for end > body && s.content[end-1] == '.' {
		end-- // a full stop after a dotted key is not part of it
	}
	if end-body < k.min || k.whole && end < len(s.content) && !s.boundary(end) {
		return 0
	}
	return end
}

// limit returns the position at which a match of k ends at the latest: the last instance of the word that must follow.
func (s *search) limit(k *key) int {
	switch {
	case k.word == "":
		return len(s.content)
	case s.withoutHeuristics:
		return -1
	}
	last := &s.lastWords[k.rule]
	if *last == 0 {
		*last = -1
		// Contains is several times as fast as LastIndex if the word is absent, which is the usual case.
		if strings.Contains(s.content, k.word) {
			*last = cmp.Or(strings.LastIndex(s.content, k.word), -1)
		}
	}
	return *last
}

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

const (
	pemBegin    = "-----BEGIN "
	pemEnd      = "-----END "
	maxPEMLabel = 24 // characters before PRIVATE KEY: RSA, EC, OPENSSH, ENCRYPTED, PGP …
	minPEMBody  = 20
	minPEMLine  = 40 // of base64, if the last line is missing
)

// pemEnd returns the end of the PEM private key that begins at i, or 0 if it is not a key.
func (s *search) pemEnd(i int) int {
	body, ok := pemLine(s.content, i, pemBegin)
	if !ok {
		return 0
	}
	for i := body + minPEMBody; i < len(s.content) && !s.noPEMEnd; {
		last := strings.Index(s.content[i:], pemEnd)
		if last < 0 {
			break
		}
		if end, ok := pemLine(s.content, i+last, pemEnd); ok {
			return end
		}
		i += last + 1
	}
	s.noPEMEnd = true // nor after a later first line: do not search again
	return truncatedPEM(s.content, body)
}

// pemLine matches start, a label that ends in PRIVATE KEY, and five hyphens at i. It returns their end.
func pemLine(content string, i int, start string) (int, bool) {
	i += len(start)
	end := i
	for end < len(content) && (content[end] == ' ' || classes[content[end]]&upper != 0) {
		end++
		if end-i > maxPEMLabel+len("PRIVATE KEY BLOCK") {
			return 0, false
		}
	}
	label, found := strings.CutSuffix(strings.TrimSuffix(content[i:end], " BLOCK"), "PRIVATE KEY")
	if !found || len(label) > maxPEMLabel || !strings.HasPrefix(content[end:], "-----") {
		return 0, false
	}
	return end + len("-----"), true
}

// truncatedPEM returns the end of the base64 lines that start at body, or 0 if there are none. Line ends may be escapes, as in
// JSON, whose letters are base64 characters.
func truncatedPEM(content string, body int) int {
	longest := 0
	for i := body; ; i++ {
		end := endOf(base64, content, i, len(content))
		longest = max(longest, end-i)
		if end == len(content) || !isPEMSpace(content[end]) {
			if longest < minPEMLine {
				return 0
			}
			return end
		}
		i = end
	}
}

// isPEMSpace reports whether b separates base64 lines. A backslash begins an escape.
func isPEMSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\\'
}

// minToken is the minimum length of a live token in characters.
const minToken = 16

// newToken returns the key of a live token, text without surrounding white space, and reports whether it is long enough.
func newToken(text string) (key, bool) {
	text = strings.TrimSpace(text)
	return key{rule: liveToken, prefix: text, anywhere: true}, utf8.RuneCountInString(text) >= minToken
}
