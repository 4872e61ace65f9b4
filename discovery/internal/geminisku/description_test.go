package geminisku

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The reference splits words with regular expressions and a replacer: slower than Words,
// but simpler.
var (
	referenceSeparators = strings.NewReplacer("_", " ", "-", " ", "(", " ", ")", " ", ",", " ", "/", " ", ":", " ", ";", " ", "[", " ", "]", " ",
		"–", " ", "—", " ", "<", " < ", ">", " > ", "≤", " ≤ ", "≥", " ≥ ")
	referenceSign = regexp.MustCompile(`[<>≤≥+]|^\d+[km]$|^\d{6,}$`)
)

func referenceWords(text string) []string {
	return strings.Fields(referenceSeparators.Replace(thousands().ReplaceAllString(strings.ToLower(text), "$1$2$3")))
}

func FuzzWords(f *testing.F) {
	for _, text := range []string{
		"Generate content input token count gemini 3.7 flash text", "Generate_content_cached_(>200k)", "200,000+ tokens, 1,000,000", "a—b–c≤d≥e<f>g",
		"\u00a0\u2003x\u0085y", "12,345", "200000 99999 200k 7m 3g", "k", "5m", "٣٠٠٠٠٠", "\xff<\xff", "İ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, want := Words(text), referenceWords(text)
		require.Equal(t, strings.Join(want, " "), strings.Join(words, " "))
		require.Len(t, words, len(want))
		for _, word := range words {
			assert.Equal(t, referenceSign.MatchString(word), hasLengthSign(word), word)
		}
	})
}
