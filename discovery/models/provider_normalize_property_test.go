package models_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// hasVersion matches ids that contain a build. It's independent of the code: any date,
// month or number, and channels that denote a version.
var hasVersion = regexp.MustCompile(`\d{4}-\d{2}-\d{2}$|-\d{8}$|-\d{4}$|-\d{4}-(non-)?reasoning$|gemini.*-(001|exp-\d\d-\d\d|preview-\d\d-\d\d(\d\d)?)$|(claude|grok)-.*\d.*-latest$|claude-.*-4-0$|grok-.*-beta$|-(chat|reasoner)-v3\.1`)

// A real id without a build only loses its vendor prefix, and may get a hyphen in place
// of a dot.
func TestNormalizeKeepsRealIDs(t *testing.T) {
	t.Parallel()
	served := []string{"deepseek/deepseek-r1"} // an older name; the model's id is different
	for _, row := range realIDs(t) {
		p, id := models.Provider(row[0]), row[1]
		plain := id[strings.LastIndex(id, "/")+1:]
		got := models.NormalizeModelID(p, id)
		if slices.Contains(served, id) || hasVersion.MatchString(plain) {
			continue
		}
		dotless := strings.NewReplacer(".", "-")
		assert.Equal(t, dotless.Replace(plain), dotless.Replace(got), id)
		if strings.Contains(plain, ".") && p != models.Anthropic {
			assert.Equal(t, plain, got, "a real id keeps its dot")
		}
	}
}

// checkNormalized checks NormalizeModelID's properties for one id.
func checkNormalized(t *testing.T, p models.Provider, id string) {
	t.Helper()
	got := models.NormalizeModelID(p, id)
	if again := models.NormalizeModelID(p, got); again != got {
		t.Errorf("%s: %q becomes %q, which becomes %q", p, id, got, again)
	}
	if id != "" && got == "" {
		t.Errorf("%s: %q becomes nothing", p, id)
	}
	if len(got) > len(id) {
		t.Errorf("%s: %q becomes longer: %q", p, id, got)
	}
	if stems[got] && !strings.EqualFold(strings.TrimSpace(id), got) {
		t.Errorf("%s: %q becomes the stem %q", p, id, got)
	}
	for _, name := range append(modelid.RulesOf(p).Spellings(id), modelid.RulesOf(p).Rewrites(id)...) {
		if stems[name] && !strings.EqualFold(strings.TrimSpace(id), name) {
			t.Errorf("%s: %q is looked up as the stem %q", p, id, name)
		}
	}
}

var stems = map[string]bool{"deepseek": true, "grok": true, "gpt": true, "claude": true, "gemini": true, "openai": true, "anthropic": true, "google": true, "xai": true, "x-ai": true}

var allProviders = []models.Provider{models.OpenAI, models.DeepSeek, models.Anthropic, models.Gemini, models.XAI, "meta", ""}

// random ids consist of these parts
var parts = []string{
	"openai/", "deepseek/", "deepseek-ai/", "anthropic/", "anthropic.", "us.anthropic.", "publishers/google/models/", "projects/p/models/",
	"google/", "gemini/", "models/", "x-ai/", "xai/", "ft:", ":acme::1", ":free", ":beta", ":thinking", "[1m]", "@latest", "@20251101", "-v1:0",
	"gpt", "claude", "gemini", "grok", "deepseek", "-4", "-3", "-5", ".5", "-20", "-0", ".1", "-opus", "-sonnet", "-haiku", "-chat", "-reasoner", "-r1",
	"-v3.1", "-terminus", "-exp", "-flash", "-pro", "-preview", "-latest", "-beta", "-0709", "-07-09", "-001", "-20250514", "-2024-08-06", "-09-2025",
	"-", ".", "/", ":", "@", " ", "\t", "\n", "\xff", "É", "\u2028", "A", "0",
}

func TestPropertiesOfNormalize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 11))
	for range 1500 {
		var id strings.Builder
		for range r.IntN(7) + 1 {
			id.WriteString(parts[r.IntN(len(parts))])
		}
		for _, p := range allProviders {
			checkNormalized(t, p, id.String())
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, row := range realIDs(f) {
		f.Add(row[1])
	}
	for _, table := range []map[models.Provider]map[string][]string{wireTables, otherSpellings} {
		for _, rows := range table {
			for _, ids := range rows {
				for _, id := range ids {
					f.Add(id)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, id string) {
		for _, p := range allProviders {
			checkNormalized(t, p, id)
		}
	})
}
