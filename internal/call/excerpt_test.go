package call_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

func unchanged(text string) string { return text }

func TestExcerptCountsCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		n    int
		want string
	}{
		{"", 5, ""},
		{"", 0, ""},
		{"hello", 0, ""},
		{"hello", 1, "h"},
		{"hello", 4, "hell"},
		{"hello", 5, "hello"},
		{"hello", 6, "hello"},
		{"grüße😀!", 3, "grü"},
		{"grüße😀!", 5, "grüße"},
		{"grüße😀!", 6, "grüße😀"},
		{"😀😀😀", 2, "😀😀"},
		{"e\u0301e", 1, "e"}, // a character is a rune, so a combining mark counts
		{"a\xffb", 2, "a\uFFFD"},
		{"a\xff", 2, "a\uFFFD"},
		{"\xe2\x82", 5, "\uFFFD"},
		{"ab\xf0\x9f\x98", 2, "ab"},
		{"\x00\n", 2, "\x00\n"},
	} {
		got := call.Excerpt([]byte(c.body), c.n, unchanged)
		assert.Equal(t, c.want, got, "%q to %d", c.body, c.n)
		assert.True(t, utf8.ValidString(got))
	}
}

// Part of a secret at the end wouldn't be recognized.
func TestSecretAcrossTheCutIsRedacted(t *testing.T) {
	t.Parallel()
	token := strings.Join([]string{"example", "token", "0123456789"}, "-")
	redact := secret.NewRedactor(secret.New(token)).Redact
	body := []byte("Bearer " + token + " was refused")
	for n := range len(body) + 1 {
		got := call.Excerpt(body, n, redact)
		require.NotContains(t, got, "exam", "cut at %d", n)
		require.True(t, strings.HasPrefix("Bearer [REDACTED] was refused", got), "cut at %d: %q", n, got)
	}
	assert.Equal(t, "Bearer [REDACTED] was refused", call.Excerpt(body, 500, redact))
}

// Redaction must come before invalid UTF-8 is replaced, which would change this secret.
func TestSecretThatIsNotUTF8IsRedacted(t *testing.T) {
	t.Parallel()
	latin1 := "caf\xe9-" + strings.Repeat("0", 8)
	redact := secret.NewRedactor(secret.New(latin1)).Redact
	assert.Equal(t, "<[REDACTED]>\uFFFD", call.Excerpt([]byte("<"+latin1+">\xff"), 500, redact))
}

// The excerpt is a prefix of the redacted text, n runes long, without the secret.
func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("Bearer example-token was refused"), 12, "example-token")
	f.Add([]byte("example-tokexample-token"), 3, "example-token")
	f.Add([]byte("caf\xe9\xe9 \xff\xfe"), 4, "\xe9")
	f.Add([]byte("😀😀😀"), 2, "😀")
	f.Add([]byte(`{"input":"a\"b<c"}`), 200, `a"b<c`)
	f.Add([]byte(""), 0, "")
	f.Fuzz(func(t *testing.T, body []byte, n int, text string) {
		if n < 0 || n > 1000 {
			return
		}
		redact := secret.NewRedactor(secret.New(text)).Redact
		got := call.Excerpt(body, n, redact)
		require.LessOrEqual(t, utf8.RuneCountInString(got), n)
		require.True(t, utf8.ValidString(got))
		whole := strings.ToValidUTF8(redact(string(body)), "\uFFFD")
		require.True(t, strings.HasPrefix(whole, got))
		require.Equal(t, min(n, utf8.RuneCountInString(whole)), utf8.RuneCountInString(got), "not shorter than necessary")
		// The placeholder or U+FFFD may complete a short secret ("]x" in "]xx"). That
		// reveals nothing.
		if text != "" && !strings.ContainsAny(text, secret.Redacted+"\uFFFD") && utf8.ValidString(text) {
			require.NotContains(t, got, text)
		}
	})
}
