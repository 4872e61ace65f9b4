package discovery_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func serverOfModels(models ...string) *fakeServer {
	var skus []string
	for i, m := range models {
		skus = append(skus, skuOf(fmt.Sprint(i), "Generate content output token count gemini "+m+" text", 1000*(i+1)))
	}
	return skuServer(skus...)
}

func TestModelOfAHint(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		models, hint, want string // "": no model, "?": ambiguous
	}{
		{"2.5 flash|2.5 flash lite", "2.5 flash", "2.5 flash"},
		{"2.5 flash|2.5 flash lite", "2.5 flash lite", "2.5 flash lite"},
		{"2.5 flash lite", "2.5 flash", "?"},
		{"3 pro image", "3 pro", "?"},
		{"1.5 flash 8b", "1.5 flash", "?"},
		{"3 flash deluxe", "3 flash", "?"},
		{"3 flash preview", "3 flash", "3 flash preview"},
		{"3 flash preview|3 flash lite|3 flash image", "3 flash", "3 flash preview"},
		{"3 flash preview 09 2025", "3 flash", "3 flash preview 09 2025"},
		{"3 flash|3 flash preview", "3 flash", "3 flash"},
		{"3 flash preview|3 flash 001", "3 flash", "?"},
		{"3 flash 001", "3 flash", "3 flash 001"},
		{"3 flash|3 pro", "3", "?"},
		{"3 flash|2.5 pro", "pro", "2.5 pro"},
		{"3 flash|2.5 pro", "3", "3 flash"},
		{"3 flash|3.5 flash", "flash", "?"},
		{"3.1 flash lite preview|3 flash", "flash-lite", "3.1 flash lite preview"},
		{"3 flash|2.5 flash lite", "flash lite", "2.5 flash lite"},
		{"omni flash", "omni", "omni flash"},
		{"robotics er 2 preview", "robotics", "?"},
		{"robotics er 2 preview", "er 2", "robotics er 2 preview"},
		{"3.5 flash", "5 flash", ""},
		{"3.5 flash", "3 5 flash", ""},
		{"3.5 flash", "flas", ""},
		{"3.5 flash", "pro", ""},
		{"3.5 flash", "3.5 flash text", ""},
		{"3.5 flash", "gemini", "3.5 flash"},
		{"3.5 flash|3 pro", "gemini", "?"},
		{"er1.6", "er-1.6", "er1.6"},
		{"robotics er 1.5|1.5 flash 8b", "1.5", "?"}, // the words after it must not choose between models
		{"3.5 flash|3.5 flash lite", "3.5", "?"},
		{"3.5 flash|3.5 flash lite", "gemini-3.5", "?"},
		{"2.5 flash|2.5 flash lite", "flash", "?"},
		{"robotics er 2 preview|3 flash", "2", "robotics er 2 preview"},
		{"robotics er 2 preview|3 flash", "gemini-2", ""}, // there is no such model
		{"robotics er 2 preview", "google/gemini-er-2", ""},
		{"3 flash|2.5 pro", "gemini-3", "3 flash"},
		{"3 flash|2.5 pro", "gemini/gemini-3-flash", "3 flash"},
		// Ids contain a release that SKUs leave out.
		{"3 flash|3 flash lite", "gemini-3-flash-preview", "3 flash"},
		{"3 flash|3 flash preview", "gemini-3-flash-preview", "3 flash preview"},
		{"2.0 flash|2.0 flash lite", "gemini-2.0-flash-001", "2.0 flash"},
		{"3.1 pro|3.1 pro image", "models/gemini-3.1-pro-preview", "3.1 pro"},
		{"2.5 flash|2.5 flash lite", "gemini-2.5-flash-latest", "2.5 flash"},
		{"3.1 flash lite preview", "gemini-3.1-flash-lite-latest", "3.1 flash lite preview"},
		{"2.5 flash|2.5 pro", "gemini-flash-latest", ""},      // a moving alias for any version
		{"2.5 flash", "gemini-2.5-flash-preview-09-2025", ""}, // dated previews had their own prices
		{"2.0 flash", "gemini-2.0-flash-exp", ""},
		{"2.5 flash image", "gemini-2.5-flash-001", ""},
		{"3 flash preview", "gemini-3-flash-001", ""},
	} {
		names := strings.Split(row.models, "|")
		s := serverOfModels(names...)
		want := -1.0
		for i, name := range names {
			if name == row.want {
				want = float64(i + 1)
			}
		}
		assert.Equal(t, want, priceOf(t, s, row.hint, discovery.Output, 0), "%v", row)
		if want >= 0 {
			assert.Empty(t, s.failures, "%v", row)
			continue
		}
		f := requireOneFailure(t, s, discovery.ReasonPartial)
		assert.Equal(t, "PricingForGeminiModel", f.Operation)
		if row.want == "?" {
			assert.Contains(t, f.Error(), "gemini "+names[0], "the failure lists the models")
		} else {
			assert.Contains(t, f.Error(), "no SKU for this model", "%v", row)
		}
	}
}

// Spellings of the same model count as one, whichever of them a hint matches.
func TestHintMatchesEverySpellingOfItsModel(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"robotics er 1.6", "robotics er1.6", "robotics er", "er 1.6", "er1.6"} {
		s := skuServer(skuOf("A", "Generate content input token count gemini robotics er 1.6 text", 1000),
			skuOf("B", "Generate content input token count gemini robotics er1.6 long text", 2000))
		assert.Equal(t, 1.0, priceOf(t, s, hint, discovery.Input, 0), hint)
		assert.Equal(t, 2.0, priceOf(t, s, hint, discovery.Input, 300_000), hint)
		assert.Empty(t, s.reasons(), hint)
	}
	for _, hint := range []string{"er1.6", "er-1.6", "er 1.6 preview", "gemini-er1.6"} {
		s := serverOfModels("ER1.6 preview", "3 flash", "er 1.6 preview")
		assert.Equal(t, -1.0, priceOf(t, s, hint, discovery.Output, 0), hint)
		if assert.Equal(t, []string{"gemini partial"}, s.reasons(), hint) {
			assert.Contains(t, s.failures[0].Error(), "the SKUs 0 and 2 have different prices")
		}
	}
}

func TestAmbiguousHintIsAStrictError(t *testing.T) {
	t.Parallel()
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("%d flash", i)
	}
	s := serverOfModels(names...)
	price, err := s.inProcess(discovery.WithStrictErrors()).PricingForGeminiModel(t.Context(), "flash", discovery.GeminiPriceQuery{PricingOptions: withKey})
	require.ErrorContains(t, err, "gemini 9 flash and 20 more")
	assert.Nil(t, price)
}

// builds removes words that don't change the model.
var builds = strings.NewReplacer("preview", "", "001", "", " ", "")

// expectedModel finds a hint's model by PricingForGeminiModel's rules, written
// independently on plain strings: "" means no model, "?" an ambiguous hint.
func expectedModel(models []string, hint string) string {
	bare := strings.TrimPrefix(hint, "gemini ")
	base := strings.TrimSuffix(strings.TrimSuffix(bare, " 001"), " preview")
	if strings.HasSuffix(bare, " preview 001") {
		base = strings.TrimSuffix(bare, " 001")
	}
	if slices.Contains(models, bare) {
		return bare
	}
	var previews, holding []string
	for _, m := range models {
		if rest, ok := strings.CutPrefix(m, bare+" "); ok && builds.Replace(rest) == "" {
			previews = append(previews, m)
		}
		if strings.Contains(" gemini "+m+" ", " "+hint+" ") {
			holding = append(holding, m)
		}
	}
	switch {
	case len(previews) == 1:
		return previews[0]
	case len(previews) == 0 && base != bare && slices.Contains(models, base):
		return base
	case len(previews) > 1, len(holding) > 1:
		return "?"
	case len(holding) == 0:
		return ""
	}
	for _, word := range []string{"lite", "image", "er", "robotics"} {
		if _, behind, _ := strings.Cut(" gemini "+holding[0]+" ", " "+hint+" "); strings.Contains(" "+behind, " "+word+" ") {
			return "?"
		}
	}
	return holding[0]
}

// For random lists and hints, the price is the only matching model's, or nil.
func TestHintsMatchTheIndependentRules(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 4))
	words := []string{"2", "3", "3.5", "flash", "pro", "lite", "image", "preview", "001", "er", "robotics"}
	seen := map[string]int{}
	for range whole.Cases(1500, 300) {
		var models []string
		for range 1 + random.IntN(4) {
			if m := pick(random, words, 3); !slices.Contains(models, m) {
				models = append(models, m)
			}
		}
		hint := pick(random, words, 2)
		if random.IntN(3) == 0 {
			hint = "gemini " + hint
		}
		s, want := serverOfModels(models...), expectedModel(models, hint)
		price := priceOf(t, s, hint, discovery.Output, 0)
		require.Equal(t, float64(slices.Index(models, want)+1), max(price, 0), "%q of %q", hint, models)
		require.Equal(t, want == "?" || want == "", len(s.failures) == 1, "%q of %q", hint, models)
		if want != "" && want != "?" {
			want = "model"
		}
		seen[want]++
	}
	for _, outcome := range []string{"", "?", "model"} {
		assert.Greater(t, seen[outcome], whole.Cases(50, 10), outcome)
	}
}

// pick returns a name with 1 to most different words.
func pick(random *rand.Rand, words []string, most int) string {
	var name []string
	for _, i := range random.Perm(len(words))[:1+random.IntN(most)] {
		name = append(name, words[i])
	}
	return strings.Join(name, " ")
}

// The failure should help to find a better hint: it distinguishes several possible models
// from doubt about a single one.
func TestFailureOfAnAmbiguousHintListsTheModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		models []string
		hint   string
		want   string
	}{
		{[]string{"2.5 flash", "2.5 flash lite"}, "flash", "may mean any of gemini 2.5 flash, gemini 2.5 flash lite"},
		{[]string{"3 flash", "3 pro"}, "3", "may mean any of gemini 3 flash, gemini 3 pro"},
		{[]string{"2.5 flash lite", "3 pro"}, "2.5 flash", "may mean another model than gemini 2.5 flash lite"},
	} {
		s := serverOfModels(row.models...)
		assert.Equal(t, -1.0, priceOf(t, s, row.hint, discovery.Output, 0), row.hint)
		require.Len(t, s.failures, 1, row.hint)
		assert.ErrorContains(t, s.failures[0], row.want)
	}
}
