package scan

import (
	"os"
	"slices"
)

// Scanner is a scan with its own live tokens and its own choice of rules. Make one with [New]; the zero Scanner works
// too and applies the twelve rules alone. A Scanner never changes, is safe for concurrent use, and shows no token
// whatever it is printed with.
type Scanner struct {
	// A function, because no printer can look into one: a slice of strings would show under %+v as soon as the Scanner
	// sits in an unexported field of something else, where fmt calls no String method. nil means no tokens.
	live     func() []token
	extended bool
}

// Option changes what [New] builds. Options can be given in any order.
type Option func(*config)

type config struct {
	live     []token
	extended bool
}

// New makes a Scanner that applies the twelve rules of SPEC.md, "Credential scan", and what the options add. It reads no
// environment: for the token in $MESH_GATEWAY_TOKEN use the function [Find], or pass it to [WithLiveToken].
func New(opts ...Option) *Scanner {
	var c config
	for _, opt := range opts {
		opt(&c)
	}
	s := &Scanner{extended: c.extended}
	if live := c.live; len(live) > 0 {
		s.live = func() []token { return live }
	}
	return s
}

// WithLiveToken adds a token that must not leave: wherever it stands verbatim, rule 0 matches, ahead of all others and
// without asking for a word boundary. Give the option once for each token. White space around the token is cut off
// first, as the client does before it sends one; a token of fewer than 16 characters (runes) is then ignored, since it
// would flag ordinary words. The token may hold any bytes. SPEC.md, "Credential scan", the paragraph above the table.
func WithLiveToken(text string) Option {
	return func(c *config) {
		if t, ok := newToken(text); ok && !slices.Contains(c.live, t) {
			c.live = append(c.live, t)
		}
	}
}

// Find reports the first rule in table order that matches anywhere in content, at its leftmost match. The live tokens
// are rule 0; of two that start at one byte the longer is reported. Clean content costs no allocation. SPEC.md,
// "Credential scan".
func (s *Scanner) Find(content string) (Finding, bool) {
	return find(content, s.tokens(), s.extended).result()
}

// FindAll reports every match of every rule, sorted by Start, then by rule number, then the longer first. The matches of
// one rule never overlap: each is the leftmost after the one before and as long as the rule allows, as
// [regexp.Regexp.FindAllString] does it. For rule 0 that holds for each token by itself. Matches of two rules may
// overlap: a DeepSeek key, for instance, is an OpenAI key too (rules 4 and 6). The answer is nil for clean content.
func (s *Scanner) FindAll(content string) []Finding {
	return findAll(content, s.tokens(), s.extended)
}

// Find is the check that a send makes: a Scanner's Find with the token that $MESH_GATEWAY_TOKEN holds at this moment, if
// it has 16 characters or more, and the twelve rules. It allocates nothing on clean content. SPEC.md, "Credential scan".
func Find(content string) (Finding, bool) {
	var room [1]token
	live := room[:0]
	if t, ok := newToken(os.Getenv("MESH_GATEWAY_TOKEN")); ok {
		live = append(live, t)
	}
	return find(content, live, false).result()
}

func (s *Scanner) tokens() []token {
	if s.live == nil {
		return nil
	}
	return s.live()
}
