package scan

import (
	"cmp"
	"strings"
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
