package models_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// wireTables maps normalized ids to spellings seen in the wild.
var wireTables = map[models.Provider]map[string][]string{
	models.XAI: {
		"grok-3-mini":             {"x-ai/grok-3-mini-beta"},
		"grok-4":                  {"x-ai/grok-4-07-09", "grok-4-0709", "grok-4-latest"},
		"grok-2":                  {"x-ai/grok-2-1212"},
		"grok-4.5":                {"x-ai/grok-4-5"},
		"grok-4.20-reasoning":     {"grok-4-20-0309-reasoning", "grok-4.20-0309-reasoning"},
		"grok-4-1-fast-reasoning": {"grok-4-1-fast-reasoning"},
	},
	models.DeepSeek: {
		"deepseek-chat":              {"deepseek/deepseek-chat-v3.1", "deepseek-chat-v3-0324"},
		"deepseek-reasoner":          {"deepseek/deepseek-reasoner-v3.1-terminus", "deepseek/deepseek-r1"},
		"deepseek-v3.2-terminus":     {"deepseek-v3.2-terminus"},
		"deepseek-thinking-v3.2-exp": {"deepseek-thinking-v3.2-exp"},
		"deepseek-v4-flash":          {"deepseek-v4-flash"},
		"deepseek-v4-pro":            {"deepseek-v4-pro"},
		"deepseek-flash":             {"deepseek/deepseek-v4.1-flash"},
	},
	models.OpenAI: {
		"gpt-4o":        {"openai/gpt-4o-2024-08-06"},
		"o3-mini":       {"o3-mini-2025-01-31"},
		"gpt-5.2":       {"openai/gpt-5-2"},
		"gpt-5-mini":    {"gpt-5-mini"},
		"gpt-4o-mini":   {"ft:gpt-4o-mini-2024-07-18:acme::abc"},
		"gpt-3.5-turbo": {"gpt-3.5-turbo-0125"},
	},
	models.Anthropic: {
		"claude-opus-4-8":   {"anthropic/claude-opus-4.8"},
		"claude-opus-4-5":   {"claude-opus-4-5@20251101", "us.anthropic.claude-opus-4-5-20251101-v1:0"},
		"claude-3-5-sonnet": {"anthropic/claude-3.5-sonnet", "claude-3-5-sonnet-20241022"},
		"claude-opus-4":     {"claude-opus-4-20250514", "claude-opus-4-0"},
		"claude-3-7-sonnet": {"claude-3.7-sonnet:thinking"},
		"claude-sonnet-4-5": {"claude-4.5-sonnet"},
	},
	models.Gemini: {
		"gemini-2.0-flash":          {"models/gemini-2.0-flash-001"},
		"gemini-2.5-pro":            {"google/gemini-2.5-pro-preview-06-05", "google/gemini-2.5-pro-preview-03-25"},
		"gemini-2.5-flash":          {"gemini-2.5-flash-preview-09-2025"},
		"gemini-3.6-flash":          {"google/gemini-3-6-flash"},
		"gemini-3-pro-preview":      {"gemini-3-pro-preview"}, // whether gemini-3-pro exists is known only from a list: see TestRewrites
		"gemini-3.8-flash-lite-tts": {"gemini 3.8 flash lite tts"},
		"gemini-embedding-001":      {"gemini-embedding-001"},
	},
}

// otherSpellings are more prefixes, suffixes and traps.
var otherSpellings = map[models.Provider]map[string][]string{
	models.XAI: {
		"grok-4":                 {"xai/grok-4", "X-AI/Grok-4", " grok 4 ", "x-ai/grok-4:free", "grok-4-0709-latest", "x-ai/x-ai/grok-4"},
		"grok-4.20":              {"grok-4-20", "grok-4-20-0309", "grok-4.20-03-09"},
		"grok-4.20-13":           {"grok-4-20-13"}, // 20 is not a month
		"grok-4-1-fast":          {"grok-4-1-fast"},
		"grok-4.3":               {"x-ai/grok-4-3", "grok-4-3-latest"},
		"grok-4-9":               {"x-ai/grok-4-9"}, // no source has this version
		"grok-2-vision":          {"grok-2-vision-1212", "grok-2-vision-latest"},
		"grok-beta":              {"grok-beta", "x-ai/grok-beta", "grok-beta:free"},
		"grok-vision-beta":       {"grok-vision-beta"},
		"grok-code-fast-1":       {"x-ai/grok-code-fast-1", "grok-code-fast-1-0825"},
		"grok-3-9999":            {"grok-3-9999"},
		"x-ai/grok":              {" x-ai/grok "}, // a name is kept if only the vendor would remain
		"grok-4.20-multi-agent":  {"grok-4.20-multi-agent-0309"},
		"grok-imagine-video-1.5": {"grok-imagine-video-1.5"},
	},
	models.DeepSeek: {
		"deepseek-chat":               {"deepseek-ai/DeepSeek-Chat", "deepseek-chat-v3", "deepseek-chat-v3.2-speciale", "deepseek-chat-v3.2-exp:free"},
		"deepseek-coder":              {"deepseek-coder-v2"},
		"deepseek-coder-v2-lite":      {"deepseek-coder-v2-lite"},
		"deepseek-r1":                 {"deepseek-r1", "DeepSeek-R1"}, // deepseek-reasoner would be longer
		"deepseek-r1-0528":            {"deepseek/deepseek-r1-0528"},
		"deepseek-flash":              {"deepseek-v4.1-flash", "deepseek-flash"},
		"deepseek-v3.1":               {"deepseek/deepseek-v3.1"},
		"deepseek-reasoner":           {"deepseek-ai/DeepSeek-R1", "deepseek/deepseek-r1:free"},
		"deepseek-non-reasoner-v3.1":  {"deepseek-non-reasoner-v3.1"},
		"deepseek-chat-v3.1-terminat": {"deepseek-chat-v3.1-terminat"},
	},
	models.OpenAI: {
		"gpt-4":                  {"gpt-4-0314", "gpt-4-0613", "openai/GPT-4"},
		"gpt-4-32k":              {"gpt-4-32k-0314"},
		"gpt-3.5-turbo":          {"gpt-3-5-turbo", "gpt-3.5-turbo-0301", "gpt-3.5-turbo-1106", "ft:gpt-3.5-turbo-0613:acme:Tuned Name:9"},
		"gpt-4-1106-preview":     {"gpt-4-1106-preview"},
		"gpt-4-0125-preview":     {"gpt-4-0125-preview"},
		"gpt-3.5-turbo-0914":     {"gpt-3.5-turbo-0914"}, // not in the table
		"gpt-5":                  {"gpt-5-2025-08-07"},
		"gpt-5.1-codex-max":      {"openai/gpt-5-1-codex-max"},
		"gpt-5-9":                {"gpt-5-9"}, // no such version is known
		"gpt-5.2-chat-latest":    {"openai/gpt-5.2-chat-latest", "gpt-5-2-chat-latest"},
		"gpt-4.1-mini":           {"gpt-4-1-mini-2025-04-14"},
		"gpt-audio":              {"openai/gpt-audio-2025-08-28"},
		"computer-use-preview":   {"computer-use-preview-2025-03-11"},
		"ft-gpt-4":               {"ft-gpt-4"},
		"ft:gpt-4o":              {"ft:gpt-4o"}, // a fine-tune has an organization
		"openai/gpt":             {"openai/gpt"},
		"gpt-2025-08-07":         {"gpt-2025-08-07"},
		"gpt-4o-2024-13-06":      {"gpt-4o-2024-13-06"}, // not a date
		"gpt-4o-2024-08-32":      {"gpt-4o-2024-08-32"},
		"gpt-3-50":               {"gpt-3-50"},
		"gpt-4o-search-preview":  {"gpt-4o-search-preview-2025-03-11"},
		"text-embedding-3-small": {"text-embedding-3-small"},
	},
	models.Anthropic: {
		"claude-opus-4-5": {
			"anthropic.claude-opus-4-5-20251101-v1:0", "eu.anthropic.claude-opus-4-5-20251101-v1:0",
			"apac.anthropic.claude-opus-4-5-20251101-v2:0", "global.anthropic.claude-opus-4-5-20251101-v1:0",
			"publishers/anthropic/models/claude-opus-4-5@20251101", "claude-opus-4-5@latest", "claude-opus-4-5@default",
			"projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-4-5",
			"claude-opus-4-5-latest", "claude-opus-4-5[1m]", "claude-opus-4-5-20251101[1m]", "Claude Opus 4.5", "claude-opus-4-5-20251101:thinking",
		},
		"claude-opus-4-6":        {"anthropic.claude-opus-4-6-v1", "global.anthropic.claude-opus-4-6-v1"}, // Bedrock's without a revision
		"claude-opus-4-8-fast":   {"anthropic/claude-opus-4.8-fast"},
		"claude-mythos-preview":  {"claude-mythos-preview"},
		"claude-2.1":             {"claude-2.1", "anthropic/claude-2.1"}, // real 1.x and 2.x ids have a dot
		"claude-instant-1.2":     {"claude-instant-1.2"},
		"claude-v2:1":            {"anthropic.claude-v2:1"}, // only the vendor would remain
		"claude-3-7-sonnet":      {"claude-sonnet-3-7", "claude-sonnet-3.7", "claude-3-7-sonnet-latest"},
		"claude-3-haiku":         {"claude-haiku-3-20240307", "claude-3-haiku-20240307"},
		"claude-sonnet-4":        {"claude-4-sonnet", "claude-4.0-sonnet-20250514", "claude-sonnet-4-0"},
		"claude-fable-5-1":       {"claude-5.1-fable"},
		"claude-opus-latest":     {"anthropic/claude-opus-latest"},
		"claude-opus-4-99999999": {"claude-opus-4-99999999"}, // not a date
		"claude-opus-20250514":   {"claude-opus-20250514"},
		"claude-opus-4-05":       {"claude-opus-4-05"},
	},
	models.Gemini: {
		"gemini-2.5-pro": {
			"gemini/gemini-2.5-pro", "publishers/google/models/gemini-2.5-pro", "models/gemini-2-5-pro-latest",
			"projects/p/locations/l/publishers/google/models/gemini-2.5-pro", "projects/p/models/gemini-2.5-pro",
			"gemini-2.5-pro-exp-03-25", "gemini-2.5-pro-exp-0325",
		},
		"gemini-1.5-pro":                         {"gemini-1.5-pro-002", "gemini-1-5-pro-001"},
		"gemini-1.5-pro-003":                     {"gemini-1.5-pro-003"},
		"gemini-2.5-flash-native-audio":          {"gemini-2.5-flash-native-audio-preview-09-2025"},
		"gemini-2.5-flash-preview-tts":           {"gemini-2.5-flash-preview-tts"},
		"gemini-2.5-flash-lite-preview":          {"google/gemini-2.5-flash-lite-preview"},
		"gemini-3-pro-preview-11-1999":           {"gemini-3-pro-preview-11-1999"},
		"gemini-flash-latest":                    {"google/gemini-flash-latest"},
		"gemini-exp-1206":                        {"gemini-exp-1206"},
		"imagen-4.0-generate-001":                {"models/imagen-4.0-generate-001"},
		"imagen-4.0-generate-preview-06-06":      {"imagen-4.0-generate-preview-06-06"},
		"veo-3.0-generate-001":                   {"google/veo-3.0-generate-001"},
		"text-embedding-004":                     {"text-embedding-004"},
		"gemini-embedding-exp-03-07":             {"gemini-embedding-exp-03-07"},
		"gemini-2.0-flash-exp-image-generation":  {"gemini-2.0-flash-exp-image-generation"},
		"gemini-live-2.5-flash-preview":          {"gemini-live-2.5-flash-preview"},
		"gemini-3.1-pro-preview-customtools":     {"google/gemini-3.1-pro-preview-customtools"},
		"models/gemini":                          {"models/gemini"},
		"gemini-2.0-flash-preview-image-generat": {"gemini-2.0-flash-preview-image-generat"},
	},
}

func TestNormalizeModelID(t *testing.T) {
	t.Parallel()
	for _, tables := range []map[models.Provider]map[string][]string{wireTables, otherSpellings} {
		for p, table := range tables {
			for want, ids := range table {
				for _, id := range ids {
					assert.Equal(t, want, models.NormalizeModelID(p, id), "%s %s", p, id)
				}
			}
		}
	}
}

func TestNormalizeAcceptsAnySpellingOfAProvider(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "grok-4.5", models.NormalizeModelID("X AI", "x-ai/grok-4-5"))
	assert.Equal(t, "gemini-2.5-pro", models.NormalizeModelID("Google", "models/gemini-2.5-pro"))
}

func TestNormalizeKeepsUnknownNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Qwen/Qwen3-Max-2025-01-25:free", models.NormalizeModelID("alibaba", " Qwen/Qwen3-Max-2025-01-25:free\n"))
	assert.Equal(t, "openai/gpt-5-2", models.NormalizeModelID("", "openai/gpt-5-2"))
	for p := range wireTables {
		assert.Empty(t, models.NormalizeModelID(p, ""))
		assert.Equal(t, " \t", models.NormalizeModelID(p, " \t"), "blank text is kept")
	}
}

// Names longer than any id are not searched.
func TestNormalizeKeepsLongNames(t *testing.T) {
	t.Parallel()
	longest := "GPT-4" + strings.Repeat("o", 256-len("GPT-4"))
	assert.Equal(t, strings.ToLower(longest), models.NormalizeModelID(models.OpenAI, " "+longest+" "))
	assert.Equal(t, longest+"o", models.NormalizeModelID(models.OpenAI, longest+"o"))
	endless := "x-ai/grok-4" + strings.Repeat(":free", 1<<20)
	assert.Equal(t, endless, models.NormalizeModelID(models.XAI, endless))
	assert.Equal(t, []string{endless}, modelid.RulesOf(models.XAI).Spellings(endless))
}

// realIDs reads testdata/normalized.csv: the five providers' ids and aliases in the
// sampled catalog and every id in the registry, each with its normalized form.
func realIDs(t testing.TB) [][]string {
	t.Helper()
	file, err := os.Open("testdata/normalized.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 300)
	return rows[1:]
}

func TestNormalizeRealIDs(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, row := range realIDs(t) {
		assert.Equal(t, row[2], models.NormalizeModelID(models.Provider(row[0]), row[1]), row[1])
		listed[row[0]+" "+row[1]] = true
	}
	for key := range models.Retirements().All() {
		assert.True(t, listed[string(key.Provider)+" "+key.ID], "%v is missing in testdata/normalized.csv", key)
	}
}
