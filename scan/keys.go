package scan

import "strings"

// key is a credential that starts with a fixed text.
type key struct {
	rule   int
	prefix string
	unless string // no match if this follows the prefix
	of     class  // the class of the characters after the prefix,
	min    int    // their minimum number
	max    int    // and their maximum number; 0 means no maximum
	whole  bool   // a word boundary must follow
	jwt    bool   // the rest of a JWT must follow
}

// keyTable holds keys by their first byte, which must be an anchor.
type keyTable [256][]key

// keys are the standard rules that start with a fixed text.
var keys = keyTable{
	'p': {{rule: pypi, prefix: "pypi-", of: u, min: 20}},
	's': {
		{rule: anthropic, prefix: "sk-ant-", of: u, min: 20},
		{rule: openaiAdmin, prefix: "sk-admin-", of: u, min: 20},
		// The optional proj- is of class u, so it needs no rule of its own.
		{rule: openai, prefix: "sk-", unless: "admin-", of: u, min: 20},
		// Find never returns this rule, since rule 4 matches wherever it does. FindAll returns both.
		{rule: deepseek, prefix: "sk-", of: hex, min: 32, max: 32, whole: true},
	},
	'x': {{rule: xai, prefix: "xai-", of: u, min: 40}},
	'A': {
		{rule: google, prefix: "AIza", of: u, min: 35, max: 35},
		{rule: awsKeyID, prefix: "AKIA", of: upper, min: 16, max: 16},
	},
	'g': {
		{rule: github, prefix: "gho_", of: alnum, min: 30},
		{rule: github, prefix: "ghp_", of: alnum, min: 30},
		{rule: github, prefix: "ghs_", of: alnum, min: 30},
	},
	'e': {{rule: jwt, prefix: "eyJ", of: u, min: jwtPart, jwt: true}},
}

// firstKey is the first rule in keys: after its match, no other key can be better.
const firstKey = pypi

// keysIn reports the keys that start a word in a run.
func (s *sweep) keysIn(lo, hi int) {
	s.keysOf(&keys, lo, hi)
	if s.extended {
		s.keysOf(&extendedKeys, lo, hi)
	}
}

func (s *sweep) keysOf(table *keyTable, lo, hi int) {
	text := s.content[lo : hi-minRun+1] // a key that starts later would be too short
	before := class(0)                  // the byte before a run is not a word character
	best := s.best.rule
	for i := 0; i < len(text) && best > firstKey; i++ {
		c := classes[text[i]]
		// An anchor after a byte that is not a word character: the shift moves the word bit of that byte to the anchor bit.
		starts := c&^(before<<1)&anchor != 0
		before = c
		if !starts {
			continue
		}
		list := table[text[i]]
		for n := range list {
			k := &list[n]
			if k.rule < best && hasPrefix(s.content[lo+i:], k.prefix) {
				s.keyAt(k, lo+i)
				best = s.best.rule
			}
		}
	}
}

// keyAt reports k, whose prefix is at i, if the rest matches.
func (s *sweep) keyAt(k *key, i int) {
	body := i + len(k.prefix)
	if !s.wants(k.rule, i) || k.unless != "" && strings.HasPrefix(s.content[body:], k.unless) {
		return
	}
	if k.jwt {
		s.jwtAt(k, i)
		return
	}
	end := k.end(s.content, body)
	if end-body < k.min || k.whole && end < len(s.content) && !s.boundary(end) {
		return
	}
	s.report(k.rule, i, end)
}

// end returns the end of the characters after the prefix.
func (k *key) end(content string, body int) int {
	limit := len(content)
	if k.max > 0 {
		limit = min(limit, body+k.max)
	}
	end := endOf(k.of, content, body, limit)
	for end > body && content[end-1] == '.' {
		end-- // a full stop after a dotted key is not part of it
	}
	return end
}

// hasPrefix is an inlined strings.HasPrefix that compares from the end. The last byte of a prefix is a hyphen or an underscore,
// which is rare in text, so the first comparison usually decides. text must not be shorter than prefix: here it has at least
// minRun bytes, and every prefix is shorter.
func hasPrefix(text, prefix string) bool {
	for i := len(prefix) - 1; i >= 0; i-- {
		if text[i] != prefix[i] {
			return false
		}
	}
	return true
}
