package scan

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// key describes a credential. Heuristic rules have no prefix, but require a certain word
// later in the text.
type key struct {
	rule     int
	prefix   string
	anywhere bool   // may start within a word
	letters  string // if not empty, one must follow the prefix,
	behind   string // and then this string
	unless   string // no match if it follows the prefix
	of       class  // class of the bytes after the prefix,
	min      int    // their minimum number,
	max      int    // and maximum number; 0 means no limit
	whole    bool   // a word boundary must follow
	jwt      bool   // the other JWT parts must follow
	word     string // must occur later in the text
}

// keys has the standard rules, in order.
var keys = []key{
	{rule: pypi, prefix: "pypi-", of: u, min: 20},
	{rule: anthropic, prefix: "sk-ant-", of: u, min: 20},
	{rule: openaiAdmin, prefix: "sk-admin-", of: u, min: 20},
	// an optional proj- is in class u and needs no rule
	{rule: openai, prefix: "sk-", unless: "admin-", of: u, min: 20},
	{rule: xai, prefix: "xai-", of: u, min: 40},
	// Find never returns this rule, because rule 4 matches the same keys. FindAll returns
	// both.
	{rule: deepseek, prefix: "sk-", of: hex, min: 32, max: 32, whole: true},
	{rule: google, prefix: "AIza", of: u, min: 35, max: 35},
	{rule: github, prefix: "gh", letters: "ops", behind: "_", of: alnum, min: 30},
	{rule: awsKeyID, prefix: "AKIA", of: upper, min: 16, max: 16},
	{rule: awsSecret, of: base64, min: 40, max: 40, word: "aws"},
	{rule: jwt, prefix: "eyJ", of: u, min: jwtPart, jwt: true},
	{rule: meshToken, of: u, min: 48, word: "MESH_GATEWAY_TOKEN"},
}

// next returns k's first match from i on. If there is no match, end is 0.
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
	lo, hi := s.runStart, s.runEnd
	ok := lo <= i && i < hi
	if !ok {
		lo, hi, ok = nextRun(s.content, i)
	}
	for ; ok; lo, hi, ok = nextRun(s.content, hi+stride) {
		s.runStart, s.runEnd = lo, hi
		if start, end := s.nextIn(k, max(i, lo), hi); end > 0 {
			return start, end
		}
	}
	return 0, 0
}

// nextIn returns k's first match within a run, for a k that has no prefix. Searching
// backward for a byte outside the class skips most bytes. It looks for the word last:
// many texts have the word, but few have a run of that length.
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

// end returns the end of k's match with its prefix at i, or 0. Unless k matches, it reads
// at most the minimum length, or something it caches for other starts, so that a search
// takes linear time.
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
		end-- // a final full stop ends a sentence, not the key
	}
	if end-body < k.min || k.whole && end < len(s.content) && !s.boundary(end) {
		return 0
	}
	return end
}

// limit returns the last possible end of k's match: where the required word last occurs.
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
		// Contains is several times as fast as LastIndex if the word is absent, as usual
		if strings.Contains(s.content, k.word) {
			*last = cmp.Or(strings.LastIndex(s.content, k.word), -1)
		}
	}
	return *last
}

// jwtPart is the minimum length of each JWT part, not counting eyJ in the first two.
const jwtPart = 15

// jwtTail caches how a JWT continues after its first part: a dot, eyJ and the second
// part, a dot, and the third part. Many words in a long first part may look like the
// start of a JWT, and share the rest.
type jwtTail struct {
	from, dot int // valid for first parts that start at or after from and end at dot
	end       int // end of the JWT, or 0 if it isn't a JWT
}

// jwtEnd returns the end of a JWT, or a token with the same ending, whose prefix ends at
// body. It returns 0 if there is no match.
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
	maxPEMLabel = 24 // bytes before PRIVATE KEY: RSA, EC, OPENSSH, ENCRYPTED, PGP …
	minPEMBody  = 20
	minPEMLine  = 40 // base64 characters, if the last line is missing
)

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
	s.noPEMEnd = true // no need to search again after a later first line
	return truncatedPEM(s.content, body)
}

// pemLine matches start, a label ending in PRIVATE KEY, and five hyphens at i, and
// returns their end.
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

// truncatedPEM returns the end of the base64 lines at body, or 0. Line ends may be JSON
// escapes, whose letters are base64 characters.
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

// isPEMSpace reports whether b separates base64 lines. A backslash starts an escape.
func isPEMSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\\'
}

// minToken is the minimum live token length, in characters. Other matches have more
// bytes.
const minToken = 16

// newToken makes a key from a live token. It reports whether text is long enough without
// surrounding white space.
func newToken(text string) (key, bool) {
	text = strings.TrimSpace(text)
	return key{rule: liveToken, prefix: text, anywhere: true}, utf8.RuneCountInString(text) >= minToken
}
