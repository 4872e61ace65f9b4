package scan

import (
	"os"
	"slices"
)

// Scanner applies a set of rules and live tokens. [New] makes one; the zero Scanner applies the twelve standard rules. It is
// immutable, and printing it shows no token.
type Scanner struct {
	// live is a function because fmt cannot print what a function returns. It would print a slice of strings if the Scanner were
	// in an unexported field, where fmt calls no String method. nil means no tokens.
	live func() []key
	ruleSet
}

// ruleSet selects the rules that are applied. The zero value has the twelve standard rules.
type ruleSet struct{ extended, withoutHeuristics, escapes bool }

// Option configures a Scanner. The order of options makes no difference.
type Option func(*config)

type config struct {
	live []key
	ruleSet
}

// New returns a Scanner that applies the twelve standard rules and the rules of the options. It does not read the environment: pass
// the token in $MESH_GATEWAY_TOKEN to [WithLiveToken], or use the function [Find]. A nil Option is ignored.
func New(opts ...Option) *Scanner {
	var c config
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	s := &Scanner{ruleSet: c.ruleSet}
	if live := c.live; len(live) > 0 {
		s.live = func() []key { return live }
	}
	return s
}

// WithLiveToken adds a token that is in use. Rule 0 matches it at any position, without a word boundary and before all other
// rules. The option may be given for several tokens. Surrounding white space is removed first, as the client does. A token of
// fewer than 16 characters (runes) is ignored, since it might be an ordinary word. The token may contain any bytes.
func WithLiveToken(text string) Option {
	return func(c *config) {
		if t, ok := newToken(text); ok && !slices.Contains(c.live, t) {
			c.live = append(c.live, t)
		}
	}
}

// WithoutHeuristics leaves out rules 10 and 12, which also match harmless text: recorded responses and images have thousands of runs of
// 40 characters. It is for source files. Package client checks messages with these rules.
func WithoutHeuristics() Option {
	return func(c *config) { c.withoutHeuristics = true }
}

// Find returns the leftmost match of the first rule that matches anywhere in content, and reports whether there is one. The live
// tokens are rule 0; of two tokens at the same position it returns the longer. It allocates nothing if there is no match.
func (s *Scanner) Find(content string) (Finding, bool) {
	search := search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
	return search.first()
}

// FindAll returns every match of every rule, sorted by Start, then by rule number, then the longer first. The matches of one rule
// do not overlap: each is the leftmost after the previous one and as long as the rule allows, as in
// [regexp.Regexp.FindAllString]. For rule 0 this holds for each token. Matches of two rules may overlap: a DeepSeek key, for
// example, is also an OpenAI key (rules 4 and 6). Without a match the result is nil.
func (s *Scanner) FindAll(content string) []Finding {
	search := search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
	var out []Finding
	for _, match := range search.all() {
		out = append(out, match.finding())
	}
	return out
}

// Find is [Scanner.Find] with the twelve standard rules and the token that is in $MESH_GATEWAY_TOKEN at the time of the call, if it
// has 16 characters or more. It allocates nothing if there is no match.
func Find(content string) (Finding, bool) {
	var room [1]key
	live := room[:0]
	if t, ok := newToken(os.Getenv("MESH_GATEWAY_TOKEN")); ok {
		live = append(live, t)
	}
	search := search{content: content, live: live}
	return search.first()
}

func (s *Scanner) tokens() []key {
	if s.live == nil {
		return nil
	}
	return s.live()
}
