package scan

import (
	"os"
	"slices"
	"strings"
)

// Scanner finds credentials with a set of rules and live tokens. Make one with [New]: the
// zero Scanner has just the standard rules. A Scanner is immutable, and printing it shows
// no token.
type Scanner struct {
	// live is a function because fmt can't print its result. fmt would print a slice if
	// the Scanner were in an unexported field, where no String method is called. nil
	// means no tokens.
	live func() []key
	ruleSet
}

// ruleSet selects rules. The zero value selects the twelve standard rules.
type ruleSet struct{ extended, withoutHeuristics, escapes bool }

// Option configures a [Scanner]. Options may be given in any order.
type Option func(*config)

type config struct {
	live []key
	ruleSet
}

// New returns a Scanner with the twelve standard rules and those added by opts. Nil
// options are ignored.
//
// New doesn't read the environment. To find the token in $MESH_GATEWAY_TOKEN, pass it to
// [WithLiveToken], or call [Find].
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

// WithLiveToken adds a token in use. Rule 0 matches it anywhere, even within a word, and
// before all other rules. Give the option once per token.
//
// Like the client, it removes surrounding white space. It ignores tokens under 16
// characters (runes), which may be ordinary words. A token may contain any bytes.
func WithLiveToken(text string) Option {
	return func(c *config) {
		if t, ok := newToken(text); ok && !slices.Contains(c.live, t) {
			c.live = append(c.live, t)
		}
	}
}

// WithoutHeuristics turns off rules 10 and 12, which also match harmless text. Use it for
// source files, where recorded responses and images contain thousands of runs with 40
// characters. Package client checks messages with these rules.
func WithoutHeuristics() Option {
	return func(c *config) { c.withoutHeuristics = true }
}

// Find returns the leftmost match of the first rule that matches anywhere, and reports
// whether there is a match. Live tokens are rule 0. If two tokens match at the same
// position, it returns the longer. If nothing matches, it allocates nothing.
func (s *Scanner) Find(content string) (Finding, bool) {
	if len(content) < minToken {
		return Finding{}, false
	}
	search := search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
	return search.first()
}

// FindAll returns every match of every rule, or nil. It sorts them by Start, then by rule
// number, then the longer first.
//
// Matches of one rule (or one live token) don't overlap: like
// [regexp.Regexp.FindAllString], FindAll takes the leftmost match after the previous one,
// as long as possible. Matches of two rules may overlap. For example, a DeepSeek key is
// also an OpenAI key (rules 4 and 6).
func (s *Scanner) FindAll(content string) []Finding {
	search := search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
	var out []Finding
	for _, match := range search.all() {
		out = append(out, match.finding())
	}
	return out
}

// Find is [Scanner.Find] with the twelve standard rules and the token currently in
// $MESH_GATEWAY_TOKEN, if that has at least 16 characters. If nothing matches, it
// allocates nothing.
func Find(content string) (Finding, bool) {
	if len(content) < minToken { // even reading the environment would take longer
		return Finding{}, false
	}
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

// namedPasses is the number of passes in which Redact writes rule names. Any text needs
// at most three, unless a live token can start or end within a replacement.
const namedPasses = 8

// Redact replaces every match of every rule by "[REDACTED:<rule name>]". All other bytes
// stay the same, and FindAll of the same Scanner finds nothing in the result.
//
// Overlapping matches become one replacement, named after the first of their rules. Text
// after a replacement starts a new word, and text before an AWS replacement may match
// rule 10, because the replacement contains "aws". If either matches, it's replaced, too.
// If a live token occurs in a replacement, the replacement is "[REDACTED]".
func (s *Scanner) Redact(content string) string {
	for pass := 0; ; pass++ {
		search := &search{content: content, live: s.tokens(), ruleSet: s.ruleSet}
		found := search.all()
		if len(found) == 0 {
			return content
		}
		// Terminates: a match has at least 16 bytes, so a nameless replacement shortens
		// the text.
		content = search.replaced(found, pass < namedPasses)
	}
}

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

// joined merges the first matches with everything that overlaps them, and returns the
// rest of found. Fresh matches, if any, start at the same position, and before all of
// found.
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
