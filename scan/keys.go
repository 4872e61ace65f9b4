package scan

import "strings"

// key is a credential that starts with a fixed text.
type key struct {
	rule   int
	prefix string
	unless string // no match where this follows the prefix
	of     class  // what follows the prefix,
	min    int    // how much of it at least,
	max    int    // and at most; 0 is as much as there is
	whole  bool   // a word boundary must follow
	jwt    bool   // the rest of a JWT must follow
}

// keyTable holds keys by their first byte, which must be an anchor in classes.
type keyTable [256][]key

// keys are the rules of SPEC.md, "Credential scan", that start with a fixed text.
var keys = keyTable{
	'p': {{rule: pypi, prefix: "pypi-", of: u, min: 20}},
	's': {
		{rule: anthropic, prefix: "sk-ant-", of: u, min: 20},
		{rule: openaiAdmin, prefix: "sk-admin-", of: u, min: 20},
		// The optional proj- is made of U, so 20 or more U follow sk- with it or without it.
		{rule: openai, prefix: "sk-", unless: "admin-", of: u, min: 20},
		// Never Find's answer, since rule 4 matches wherever this does; FindAll reports both.
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

// firstKey is the first rule that keys hold: when it has matched, no other can be better.
const firstKey = pypi

// keysIn tries the keys at every place in a run where a word starts.
func (s *sweep) keysIn(lo, hi int) {
	s.keysOf(&keys, lo, hi)
	if s.extended {
		s.keysOf(&extendedKeys, lo, hi)
	}
}

func (s *sweep) keysOf(table *keyTable, lo, hi int) {
	text := s.content[lo : hi-minRun+1] // no key is short enough to start behind it
	before := class(0)                  // the byte before a run is no word character
	best := s.best.rule
	for i := 0; i < len(text) && best > firstKey; i++ {
		c := classes[text[i]]
		// An anchor that follows no word character: the shift puts the word bit of the byte before over the anchor bit.
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

// keyAt reports k, whose prefix stands at i, if the rest follows.
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

// end is where the text behind the prefix ends.
func (k *key) end(content string, body int) int {
	limit := len(content)
	if k.max > 0 {
		limit = min(limit, body+k.max)
	}
	end := endOf(k.of, content, body, limit)
	for end > body && content[end-1] == '.' {
		end-- // a full stop behind a dotted key is not part of it
	}
	return end
}

// hasPrefix is strings.HasPrefix, which is a call, as a loop that compares from the end. There stands what is rare in
// text, a hyphen or an underscore, so nearly always the first byte says no. No prefix is as long as minRun, and no text
// here is shorter.
func hasPrefix(text, prefix string) bool {
	for i := len(prefix) - 1; i >= 0; i-- {
		if text[i] != prefix[i] {
			return false
		}
	}
	return true
}
