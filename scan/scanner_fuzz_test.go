package scan_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/scan"
)

// pieces make up random contents: prefixes, key characters, the words for rules 10 and
// 12, and characters that end a run or a word.
var pieces = []string{
	"pypi-", "sk-", "sk-ant-", "sk-admin-", "sk-proj-", "admin-", "proj-", "xai-", "AIza", "gho_", "ghp_", "ghs_", "AKIA",
	"eyJ", ".eyJ", "aws", "MESH_GATEWAY_TOKEN", "MESH_GATEWAY_TOKE",
	"ghu_", "ghr_", "github_pat_", "ASIA", "ABIA", "ACCA", "AQ.", "GOCSPX-", "ya29.", "gsk_", "hf_", "xoxb-", "xox",
	"-----BEGIN ", "PRIVATE KEY", "RSA ", " BLOCK", "-----", "-----END ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
	"[REDACTED:", "live-gateway-token]", "aws-access-key-id]",
	"a", "0", "f", "Z", "g", "_", "-", "/", "+", "=", ".", ",", " ", "\n", "\t", "\"", "\\n", "(", "{", ":", "~", "\x7f", "*", "\xff", "é", "\u2028",
}

// fillers are repeated to lengths close to the rules' limits.
var (
	fillers = []string{"a", "0", "f", "Z", "9A", "aZ0_", "a-", "-", "_", "/", "a/", "+=", "aB3", "."}
	lengths = []int{1, 2, 14, 15, 16, 17, 19, 20, 21, 29, 30, 31, 32, 33, 34, 35, 36, 39, 40, 41, 47, 48, 49, 64, 100}
)

// randomContent joins up to twenty pieces.
func randomContent(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(20) + 1 {
		if r.IntN(5) < 2 {
			filler := fillers[r.IntN(len(fillers))]
			length := lengths[r.IntN(len(lengths))]
			b.WriteString(strings.Repeat(filler, length)[:length])
			continue
		}
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// randomTokens returns parts of a content as tokens: usually none, else up to three, each
// 10 to 40 bytes long.
func randomTokens(r *rand.Rand, content string) []string {
	var tokens []string
	for range max(0, r.IntN(8)-4) {
		if length := 10 + r.IntN(31); length < len(content) {
			start := r.IntN(len(content) - length)
			tokens = append(tokens, content[start:start+length])
		}
	}
	return tokens
}

// checkAgainstReference compares Find, FindAll and Redact with the reference.
func checkAgainstReference(t *testing.T, content string, tokens []string, extended bool) {
	t.Helper()
	s, live := scannerFor(tokens, extended)
	want := referenceAll(content, live, extended)
	require.Equal(t, want, hitsOf(s.FindAll(content)), "FindAll(%q), tokens %q", content, tokens)

	wantFirst, wantFound := referenceFirst(content, live, extended)
	first, found := s.Find(content)
	require.Equal(t, wantFound, found, "Find(%q), tokens %q", content, tokens)
	require.Equal(t, wantFirst, hitOf(first), "Find(%q), tokens %q", content, tokens)

	checkRedacted(t, s, content, live, want)
}

// scannerFor returns a Scanner and the tokens long enough for it.
func scannerFor(tokens []string, extended bool) (*scan.Scanner, []string) {
	var opts []scan.Option
	var live []string
	for _, token := range tokens {
		opts = append(opts, scan.WithLiveToken(token))
		if trimmed := strings.TrimSpace(token); utf8.RuneCountInString(trimmed) >= 16 && !slices.Contains(live, trimmed) {
			live = append(live, trimmed)
		}
	}
	if extended {
		opts = append(opts, scan.WithExtendedRules())
	}
	return scan.New(opts...), live
}

// checkRedacted requires that Redact's result has no match and that only matches were
// removed.
func checkRedacted(t *testing.T, s *scan.Scanner, content string, tokens []string, hits []hit) {
	t.Helper()
	redacted := s.Redact(content)
	require.Empty(t, s.FindAll(redacted), "Redact(%q) = %q, tokens %q", content, redacted, tokens)
	if len(hits) == 0 {
		require.Equal(t, content, redacted)
		return
	}
	if slices.ContainsFunc(tokens, looksReplaced) {
		return // such a token matches within replacements
	}
	if !strings.Contains(content, "[REDACTED]") {
		require.NotContains(t, redacted, "[REDACTED]", "no replacement without a name")
	}
	rest := content
	for i, kept := range strings.Split(unmarked.Replace(redacted), "\x00") {
		at := strings.Index(rest, kept)
		require.GreaterOrEqual(t, at, 0, "Redact(%q) = %q: %q is new", content, redacted, kept)
		require.True(t, i > 0 || at == 0, "Redact(%q) = %q: the beginning changed", content, redacted)
		rest = rest[at+len(kept):]
	}
}

// looksReplaced reports whether a token can start, end or lie within a replacement.
func looksReplaced(token string) bool {
	return strings.ContainsAny(token, "[]") || strings.Contains("REDACTED:"+strings.Join(ruleNames, " REDACTED:"), token)
}

// ruleNames are the names of all rules, in table order.
var ruleNames = strings.Fields(`live-gateway-token pypi-token anthropic-api-key openai-admin-key openai-api-key xai-api-key
	deepseek-api-key google-api-key github-token aws-access-key-id aws-secret-key jwt mesh-gateway-token
	github-user-token github-fine-grained-token github-app-token aws-other-key-id google-auth-key google-client-secret
	google-access-token groq-api-key huggingface-token slack-token pem-private-key`)

// unmarked turns Redact's replacements into a zero byte.
var unmarked = func() *strings.Replacer {
	pairs := []string{"[REDACTED]", "\x00"}
	for _, name := range ruleNames {
		pairs = append(pairs, "[REDACTED:"+name+"]", "\x00")
	}
	return strings.NewReplacer(pairs...)
}()

// FuzzScan compares the scan with the reference on random bytes and on joined key pieces,
// since random bytes hardly ever form a key.
func FuzzScan(f *testing.F) {
	f.Add("plain text", "", uint64(0), false)
	for _, c := range readNearMisses(f) {
		f.Add(c.miss, c.hits, uint64(0), true)
		f.Add(c.hits, "", uint64(1), false)
	}
	f.Fuzz(func(t *testing.T, text, token string, seed uint64, extended bool) {
		text = text[:min(len(text), 2000)]
		if seed == 0 {
			checkAgainstReference(t, text, []string{token}, extended)
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		cut := r.IntN(len(text) + 1)
		content := text[:cut] + randomContent(r) + text[cut:]
		checkAgainstReference(t, content, append(randomTokens(r, content), token), extended)
	})
}

// TestAgainstReference is a short fuzz test with a fixed seed.
func TestAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range whole.Cases(1500, 150) {
		content := randomContent(r)
		checkAgainstReference(t, content, randomTokens(r, content), r.IntN(2) == 0)
	}
}
