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
}

// keys holds the rules of SPEC.md, "Credential scan", that start with a fixed text, by their first byte.
var keys = [256][]key{
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
}

// keysAt tries every rule that starts with a fixed text at the word start i in the stretch of U that ends at hi.
func (s *sweep) keysAt(i, hi int) {
	first := s.content[i]
	s.tryKeys(keys[first], i)
	if first == 'e' {
		s.jwtAt(jwt, "eyJ", i, hi)
	}
	if s.extended {
		s.extendedKeysAt(i, hi)
	}
}

func (s *sweep) tryKeys(list []key, i int) {
	for n := range list {
		s.tryKey(&list[n], i)
	}
}

// tryKey reports k if it matches at i.
func (s *sweep) tryKey(k *key, i int) {
	rest := s.content[i:]
	if !s.wants(k.rule, i) || !strings.HasPrefix(rest, k.prefix) {
		return
	}
	if k.unless != "" && strings.HasPrefix(rest[len(k.prefix):], k.unless) {
		return
	}
	body := i + len(k.prefix)
	end := endOf(k.of, s.content, body, k.limit(body, len(s.content)))
	end = body + len(strings.TrimRight(s.content[body:end], "."))
	if end-body < k.min || k.whole && end < len(s.content) && !s.boundary(end) {
		return
	}
	s.report(k.rule, i, end)
}

// limit is where the text behind the prefix ends at the latest.
func (k *key) limit(body, length int) int {
	if k.max == 0 {
		return length
	}
	return min(body+k.max, length)
}
