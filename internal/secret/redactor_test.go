package secret_test

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

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

// encodings are ways that servers write text. decoders must undo each.
var encodings = map[string]func(string) string{
	"plain":                 func(s string) string { return s },
	"query":                 url.QueryEscape,
	"path":                  url.PathEscape,
	"lower-case percent":    func(s string) string { return lowerPercent(url.QueryEscape(s)) },
	"percent keeping slash": func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/") },
	"percent, every byte":   everyByte("%%%02X"),
	"Go JSON":               func(s string) string { return goJSON(s) },
	"JSON, escaped slash":   func(s string) string { return strings.ReplaceAll(goJSON(s), "/", `\/`) },
	"JSON, escaped plus":    func(s string) string { return strings.ReplaceAll(goJSON(s), "+", `\u002B`) },
	"JSON, every character": everyByte(`\u%04x`),
	"JSON in JSON":          func(s string) string { return goJSON(strings.ReplaceAll(goJSON(s), "+", `\u002b`)) },
	"JavaScript":            template.JSEscapeString,
	"hexadecimal escapes":   everyByte(`\x%02x`),
	"octal escapes":         everyByte(`\%03o`),
	"short octal escapes":   func(s string) string { return strings.ReplaceAll(s, "+", `\53`) },
	"long Unicode escapes":  everyByte(`\U%08x`),
	"Unicode in braces":     everyByte(`\u{%x}`),
	"Unicode in braces, 6":  everyByte(`\u{%06X}`),
	"octal in JSON":         func(s string) string { return goJSON(everyByte(`\%03o`)(s)) },
	"quoted Go":             func(s string) string { return strings.Trim(strconv.Quote(s), `"`) },
	"Go HTML":               html.EscapeString,
	"Go template":           template.HTMLEscapeString,
	"HTML, named quotes":    func(s string) string { return namedEntities.Replace(s) },
	"HTML, every character": everyByte("&#%d;"),
	"HTML, hexadecimal":     everyByte("&#x%x;"),
	"JSON in HTML":          func(s string) string { return html.EscapeString(goJSON(s)) },
	"query in HTML":         func(s string) string { return html.EscapeString("?a=1&t=" + url.QueryEscape(s)) },
	"percent twice":         func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"HTML in a path":        func(s string) string { return url.PathEscape(namedEntities.Replace(s)) },
}

var namedEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;",
	"/", "&#x2F;", "=", "&#x3D;", "`", "&#x60;", "+", "&plus;")

func everyByte(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&out, format, s[i])
		}
		return out.String()
	}
}

func lowerPercent(s string) string {
	parts := strings.Split(s, "%")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToLower(parts[i][:2]) + parts[i][2:]
	}
	return strings.Join(parts, "%")
}

func goJSON(s string) string {
	text, _ := json.Marshal(s) // a string can always be encoded
	return string(text[1 : len(text)-1])
}

func TestSecretIsFoundInEveryEncoding(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"plain-0123456789", "a+b/c==0123", "50% off today", `quo"te\slash`, `a"b<c>&d'e`, "tab\there\n", "short", "x", "~!*'()", "<&>", "a%2Fb%5Cc",
	} {
		for name, encode := range encodings {
			redacted := redactor(s).Redact("before " + encode(s) + " after")
			if s != "x" {
				assert.Regexp(t, `^before (\?a=1&amp;t=)?\[REDACTED\] after$`, redacted, "%s of %q", name, s)
			}
			assert.Contains(t, redacted, secret.Redacted, "%s of %q", name, s)
		}
	}
}

// decoders undo the encodings, so that a test sees what a reader could see.
var decoders = []func(string) string{
	func(s string) string { return s },
	func(s string) string { d, _ := url.QueryUnescape(s); return d },
	html.UnescapeString,
	func(s string) string { var d string; _ = json.Unmarshal([]byte(`"`+s+`"`), &d); return d },
	func(s string) string { d, _ := strconv.Unquote(`"` + s + `"`); return d },
}

// A server, a proxy or a broken connection may cut an echo anywhere, even within an
// escape.
func TestNoPartOfASecretIsLeft(t *testing.T) {
	t.Parallel()
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=%\\\"'<>& "
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		letters := make([]byte, 8+random.IntN(60))
		for i := range letters {
			letters[i] = alphabet[random.IntN(len(alphabet))]
		}
		s := string(letters)
		from := random.IntN(len(s) - 7)
		part := s[from : from+8+random.IntN(len(s)-from-7)]
		for _, name := range slices.Sorted(maps.Keys(encodings)) { // sorted, so that every run tests the same cuts
			echo := encodings[name](part)
			cut := echo[:random.IntN(len(echo)+1)]
			for _, text := range []string{"echo=" + echo + "; ", "x" + cut} {
				redacted := redactor("another secret", s).Redact(text)
				for _, decode := range decoders {
					leaked := stretchOf(s, decode(redacted))
					require.Empty(t, leaked, "%s of %q cut from %q: %q", name, part, s, redacted)
				}
			}
		}
	}
}

// stretchOf returns eight consecutive bytes from s that text contains, or "".
func stretchOf(s, text string) string {
	for i := 0; i+8 <= len(s); i++ {
		if strings.Contains(text, s[i:i+8]) {
			return s[i : i+8]
		}
	}
	return ""
}

func TestOtherTextIsUnchanged(t *testing.T) {
	t.Parallel()
	r := redactor("topsecret", "hush")
	for _, text := range []string{"", "nothing here", "topsecr", "opsecre", "top secret", "TOPSECRET", "hus", "\xff\x00", `100% \u00 &amp &#x; \`, "%%%&&&\\\\"} {
		assert.Equal(t, text, r.Redact(text))
		assert.Equal(t, text, r.RedactWhole(text))
	}
	assert.Equal(t, "a [REDACTED] b [REDACTED][REDACTED] c [REDACTED]", r.Redact("a topsecret b topsecrettopsecret c hush"))
	assert.Equal(t, "[REDACTED] and [REDACTED]", r.Redact("topsecre and opsecret"), "eight characters are enough")
}

func TestRedactWholeKeepsParts(t *testing.T) {
	t.Parallel()
	r := redactor("a-response-token", "hush")
	const words = "no complete response within 10s"
	assert.Equal(t, words, r.RedactWhole(words))
	assert.Equal(t, "no complete [REDACTED] within 10s", redactor("a-response-token").Redact(words), "outside text is redacted even so")
	assert.Equal(t, "[REDACTED] [REDACTED] [REDACTED]", r.RedactWhole("a-response-token a%2Dresponse%2dtoken hush"))
}

func TestOverlappingSecretsAreRedactedAsOne(t *testing.T) {
	t.Parallel()
	short, long := "token", "token-of-the-peer"
	for _, r := range []*secret.Redactor{redactor(short, long), redactor(long, short), redactor(long, short, long, short)} {
		assert.Equal(t, "[REDACTED] and [REDACTED].", r.Redact(long+" and "+short+"."))
		assert.Equal(t, "[REDACTED] and [REDACTED].", r.RedactWhole(long+" and "+short+"."))
	}
	// an encoded secret may contain another secret
	assert.Equal(t, "[REDACTED]", redactor("a", "a b").Redact("a%20b"))
	assert.Equal(t, "[REDACTED]", redactor("a", "a b").Redact("a+b"))
	assert.Equal(t, "[REDACTED]", redactor("a", `a"b`).Redact(`a\"b`))
}

func TestNoCharacterIsSplit(t *testing.T) {
	t.Parallel()
	r := redactor("schlüssel-日本語", "日本語日本語", "語-EXAMPLE-語")
	assert.Equal(t, "[REDACTED]x", r.Redact("窞-EXAMPLE-x"), "the character ends with the same bytes as the secret's character")
	assert.Equal(t, "x[REDACTED]", r.Redact("x-EXAMPLE-誟"), "the character starts with the same bytes as the secret's character")
	for _, text := range []string{"schlüssel-日本語", "xüssel-日本語日本", "日本語x日本", "\xe6schlüssel-日"} {
		redacted := r.Redact(text)
		assert.Contains(t, redacted, secret.Redacted, text)
		assert.Equal(t, utf8.ValidString(text), utf8.ValidString(redacted), "%q", redacted)
	}
}

func TestEmptySecretsAreIgnored(t *testing.T) {
	t.Parallel()
	for _, r := range []*secret.Redactor{
		redactor(), redactor(""), secret.NewRedactor(secret.Secret{}), nil, {},
	} {
		assert.Equal(t, "unchanged", r.Redact("unchanged"))
		assert.Equal(t, "unchanged", r.RedactWhole("unchanged"))
		assert.Empty(t, r.Redact(""))
	}
	assert.Equal(t, "[REDACTED]!", redactor("", "s3").Redact("s3!"))
}

func TestRedactorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := redactor("one-secret", "another-secret")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 100 {
				assert.Equal(t, "[REDACTED] [REDACTED]", r.Redact("one-secret another%2Dsecret"))
			}
		})
	}
	wg.Wait()
}

func TestIndexFindsEncodedWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"peer_token":1}`: 2, `{"peer\u005ftoken":1}`: 2, `{"\u0070eer_token":1}`: 2, `%7B%22peer%5Ftoken`: 6, `{&quot;peer_token&quot;`: 7,
		`peer_token`: 0, `%70eer_token=1&peer_token=2`: 0, `peer_token=1&%70eer_token=2`: 0, `peer token`: -1, ``: -1, `{"a":"\n","peer_token":1}`: 11, `"{\"peer\\u005ftoken\":1}"`: 4,
	} {
		assert.Equal(t, want, secret.Index(text, "peer_token"), text)
	}
}

// Time must be linear in the text. Each body is some step's worst case.
func BenchmarkRedact(b *testing.B) {
	key := "EXAMPLE-" + strings.Repeat("0123456789abcdef", 3)
	plain := strings.Repeat("the quick brown fox jumps over the lazy dog. ", 1500)[:64<<10]
	for name, body := range map[string]string{
		"prose":   plain,
		"json":    strings.Repeat(`{"detail":"bad \"token\"","n":1},`, 2000)[:64<<10],
		"escapes": strings.Repeat(`%41\u0041&#65;`, 5000)[:64<<10],
		"secret":  strings.Repeat(key, 2000)[:64<<10],
	} {
		b.Run("body="+name+"/impl=redactor", func(b *testing.B) {
			r := redactor(key)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r.Redact(body)
			}
		})
		// The obvious way: replace the whole secret in several forms. It misses truncated
		// ones.
		b.Run("body="+name+"/impl=replacer", func(b *testing.B) {
			forms := []string{key, url.QueryEscape(key), url.PathEscape(key), goJSON(key), html.EscapeString(key), namedEntities.Replace(key)}
			var pairs []string
			for _, form := range slices.Compact(forms) {
				pairs = append(pairs, form, secret.Redacted)
			}
			replacer := strings.NewReplacer(pairs...)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				replacer.Replace(body)
			}
		})
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("0123456789", `x %30\u0031&#50;3456789`)
	f.Add("\x80", "\x80\x80") // neither is a character, so both are extended
	f.Fuzz(func(t *testing.T, key, text string) {
		r := redactor(key)
		redacted := r.Redact(text)
		if strings.Contains(key, "REDACTED") || strings.Contains("[REDACTED]", key) {
			return
		}
		if len(key) >= 8 {
			require.Empty(t, stretchOf(key, redacted))
		}
		require.Equal(t, utf8.ValidString(text), utf8.ValidString(text) && utf8.ValidString(redacted))
	})
}
