package secret_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/secret"
)

func redactor(texts ...string) *secret.Redactor {
	var all []secret.Secret
	for _, text := range texts {
		all = append(all, secret.New(text))
	}
	return secret.NewRedactor(all...)
}

// plainJSON is how most servers write a text: only Go escapes what is special in HTML.
func plainJSON(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(text))
	return b.String()
}

func TestASecretIsFoundInEveryFormAServerEchoes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"plain-0123456789", "a+b/c==", "50% off", `quo"te\slash`, `a"b<c>&d`, "<&>", "é😀", "tab\there", "x", "~!*'()",
	} {
		goJSON, err := json.Marshal(map[string]string{"input": s})
		require.NoError(t, err)
		for form, echo := range map[string]string{
			"plain":      "Authorization: Bearer " + s,
			"twice":      s + s,
			"query":      "/peers?" + url.Values{"key": {s}}.Encode(),
			"path":       "/peers/" + url.PathEscape(s),
			"Go JSON":    string(goJSON),
			"plain JSON": plainJSON(t, s),
		} {
			redacted := redactor(s).Redact(echo)
			assert.Contains(t, redacted, secret.Redacted, "%s of %q", form, s)
			for _, trace := range []string{s, url.QueryEscape(s), url.PathEscape(s), strings.Trim(plainJSON(t, s), "\"\n")} {
				assert.NotContains(t, redacted, trace, "%s of %q", form, s)
			}
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	t.Parallel()
	r := redactor("topsecret")
	for _, text := range []string{"", "nothing here", "topsecre", "top secret", "TOPSECRET", "\xff\x00"} {
		assert.Equal(t, text, r.Redact(text))
	}
	assert.Equal(t, "a [REDACTED] b [REDACTED][REDACTED] c", r.Redact("a topsecret b topsecrettopsecret c"))
}

// Of two secrets that begin alike the longer one decides, in whichever order they were given; the shorter one would leave
// the end of the longer one standing.
func TestOfOverlappingSecretsNothingIsLeft(t *testing.T) {
	t.Parallel()
	short, long := "token", "token-of-the-peer"
	for _, r := range []*secret.Redactor{redactor(short, long), redactor(long, short), redactor(long, short, long, short)} {
		assert.Equal(t, "[REDACTED] and [REDACTED].", r.Redact(long+" and "+short+"."))
	}
	// An escaped form may be longer than another secret's plain one.
	assert.Equal(t, "[REDACTED]", redactor("a", "a b").Redact("a%20b"))
	assert.Equal(t, "[REDACTED]", redactor("a", "a b").Redact("a+b"))
	assert.Equal(t, "[REDACTED]", redactor("a", `a"b`).Redact(`a\"b`))
}

func TestEmptySecretsAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, r := range []*secret.Redactor{
		redactor(), redactor(""), secret.NewRedactor(secret.Secret{}), nil, {},
	} {
		assert.Equal(t, "as it was", r.Redact("as it was"))
		assert.Empty(t, r.Redact(""))
	}
	assert.Equal(t, "[REDACTED]!", redactor("", "s3").Redact("s3!"))
}

func TestARedactorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := redactor("one-secret", "another-secret")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 100 {
				assert.Equal(t, "[REDACTED] [REDACTED]", r.Redact("one-secret another-secret"))
			}
		})
	}
	wg.Wait()
}

// Servers and their template engines escape in many ways.
func TestASecretIsFoundHoweverItIsEscaped(t *testing.T) {
	t.Parallel()
	r := secret.NewRedactor(secret.New(`a/b+c"d'e<f&g`))
	for _, echo := range []string{
		`a\/b+c\"d'e<f&g`, `a%2fb%2bc%22d%27e%3cf%26g`, `a/b+c&quot;d&#x27;e&lt;f&amp;g`, `a/b+c&#34;d&#39;e&lt;f&amp;g`,
	} {
		assert.Equal(t, "<"+secret.Redacted+">", r.Redact("<"+echo+">"), echo)
	}
}
