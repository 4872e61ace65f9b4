package scan

import (
	"os"
	"slices"
	"strings"
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

// namedPasses is the number of passes in which Redact writes the names of rules. Two or three passes are enough for any text,
// unless a live token can begin or end within a replacement.
const namedPasses = 8

// Redact returns content with every match of every rule replaced by "[REDACTED:<rule name>]". FindAll of the same Scanner finds
// nothing in the result. All other bytes are unchanged.
//
// Matches that overlap become one replacement, with the name of the first of their rules. The text after a replacement begins a
// new word, and is replaced too if it then matches. The replacement of an AWS key contains "aws", so text before it may match
// rule 10, and is then replaced too. If a live token is a part of a replacement, the replacement is "[REDACTED]".
func (s *Scanner) Redact(content string) string {
	for pass := 0; ; pass++ {
		search := &search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
		found := search.all()
		if len(found) == 0 {
			return content
		}
		// A match has 16 bytes or more, so a replacement without a name makes the text shorter: the loop ends.
		content = search.replaced(found, pass < namedPasses)
	}
}

// replaced returns the content with each group of overlapping matches replaced.
func (s *search) replaced(found []span, named bool) string {
	var out strings.Builder
	copied := 0
	for fresh := []span(nil); len(found)+len(fresh) > 0; fresh = s.startingAt(copied) {
		var group span
		group, found = joined(fresh, found)
		out.WriteString(s.content[copied:group.start])
		out.WriteString(s.marker(group.rule, named))
		copied = group.end
	}
	out.WriteString(s.content[copied:])
	return out.String()
}

// marker returns the replacement of a match.
func (s *search) marker(rule int, named bool) string {
	const nameless = "[REDACTED]" // shorter than any live token
	marker := "[REDACTED:" + table[rule].Name + "]"
	for _, token := range s.live {
		named = named && !strings.Contains(marker, token.prefix)
	}
	if named {
		return marker
	}
	return nameless
}

// joined merges the first matches with all that overlap them, and returns the merged match and the rest of found. The fresh
// matches, if any, start at the same position, and no match in found starts before it.
func joined(fresh, found []span) (span, []span) {
	if len(fresh) == 0 {
		fresh, found = found[:1], found[1:]
	}
	group := fresh[0]
	for _, m := range fresh[1:] {
		group = group.join(m)
	}
	for len(found) > 0 && found[0].start < group.end {
		group = group.join(found[0])
		found = found[1:]
	}
	return group, found
}

func (m span) join(o span) span {
	return span{rule: min(m.rule, o.rule), start: m.start, end: max(m.end, o.end)}
}
