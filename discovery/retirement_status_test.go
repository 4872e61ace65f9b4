package discovery_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
)

func TestCheckReturnsTheStateOfAModel(t *testing.T) {
	t.Parallel()
	registry := discovery.Retirements()
	for _, c := range []struct {
		p    discovery.Provider
		id   string
		want discovery.RetirementStatus
	}{
		{discovery.OpenAI, "o1-mini-2024-09-12", discovery.RetirementStatus{State: "retired", Date: "2025-10-27", Matched: "o1-mini-2024-09-12"}},
		{discovery.OpenAI, "openai/GPT-4o", discovery.RetirementStatus{State: "retiring", Date: "2027-01-14", Replacement: "gpt-6-luna", Matched: "gpt-4o"}},
		{discovery.Gemini, "gemini-1.5-pro-002", discovery.RetirementStatus{State: "retired", Date: "2025-09-29", Matched: "gemini-1.5-pro"}},
		{discovery.DeepSeek, "deepseek/deepseek-v4-flash", discovery.RetirementStatus{State: "deprecated", Replacement: "deepseek-flash", Matched: "deepseek-v4-flash"}},
		{"google", "models/gemini-2.5-flash-lite", discovery.RetirementStatus{State: "listed", Matched: "gemini-2.5-flash-lite"}},
		{discovery.DeepSeek, "deepseek-v4-pro", discovery.RetirementStatus{State: "listed", Matched: "deepseek-v4-pro"}},
		{discovery.Anthropic, "anthropic/claude-opus-5.5", discovery.RetirementStatus{State: "listed", Matched: "claude-opus-5-5"}},
		{discovery.Anthropic, "claude-opuss-5-5", discovery.RetirementStatus{State: "unknown"}},
		{discovery.OpenAI, "gpt-4o-2031-12-31", discovery.RetirementStatus{State: "unknown"}},
		{"meta", "llama", discovery.RetirementStatus{State: "unknown"}},
		{discovery.OpenAI, "", discovery.RetirementStatus{State: "unknown"}},
	} {
		got := registry.Check(c.p, c.id, noon(t, "2026-11-21"))
		if c.want.Replacement == "" {
			got.Replacement = "" // see TestReplacementsAreNotRetired
		}
		assert.Equal(t, c.want, got, c.id)
	}
	onTheDay := registry.Check(discovery.OpenAI, "gpt-4o", noon(t, "2027-01-14"))
	assert.Equal(t, discovery.StateRetiring, onTheDay.State)
	dayAfter := registry.Check(discovery.OpenAI, "gpt-4o", noon(t, "2027-01-15"))
	assert.Equal(t, discovery.StateRetired, dayAfter.State)
	assert.Equal(t, discovery.StateUnknown, discovery.Registry(nil).Check(discovery.OpenAI, "nothing", time.Now()).State)
}

// A replacement that is retired itself leads to its own replacement.
func TestReplacementsAreNotRetired(t *testing.T) {
	t.Parallel()
	day := noon(t, "2026-11-21")
	registry := discovery.Retirements()
	found := 0
	for key := range registry {
		status := registry.Check(key.Provider, key.ID, day)
		if status.Replacement != "" {
			found++
			assert.False(t, registry.IsRetiredOn(key.Provider, status.Replacement, day), "%s → %s", key.ID, status.Replacement)
		}
	}
	assert.Greater(t, found, 200)
	// gpt-3.5-turbo replaces it in the table, and is retired since 2026-10-23.
	assert.Equal(t, "gpt-3.5-turbo", registry.Check(discovery.OpenAI, "gpt-3.5-turbo-0613", noon(t, "2026-10-01")).Replacement)
	followed := registry.Check(discovery.OpenAI, "gpt-3.5-turbo-0613", day).Replacement
	assert.NotContains(t, []string{"", "gpt-3.5-turbo"}, followed)
}

func TestFixedDates(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"openai/tts-1": "2027-01-06", "openai/gpt-4.1-mini-2025-04-14": "2027-01-14", "openai/o1-preview-2024-09-12": "2025-07-28",
		"anthropic/claude-opus-4-0": "2026-06-15", "anthropic/claude-3-5-sonnet-latest": "2025-10-28",
		"gemini/gemini-2.5-flash-preview-09-2025": "2026-02-17", "gemini/gemini-2.5-flash-preview-09-25": "2026-02-17",
		"xai/grok-imagine-image-quality": "2026-11-02", "xai/grok-code-fast": "2026-05-15", "xai/grok-3-mini": "2026-02-28",
		"deepseek/deepseek-v4-flash-vision-exp": "deprecated", "deepseek/deepseek-v4-pro": "",
		"anthropic/claude-sonnet-3-7": "", "anthropic/claude-opus-3": "", // not verified, so not loaded
	} {
		p, name, _ := strings.Cut(id, "/")
		date, _ := discovery.RetirementDate(discovery.Provider(p), name)
		assert.Equal(t, want, date, id)
	}
	_, err := time.Parse(time.DateOnly, discovery.RetirementsAsOf())
	require.NoError(t, err)
}

// Live data takes precedence over the table in both directions.
func TestLiveRetirementsReplaceTheTable(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", keys["ANTHROPIC_API_KEY"])
	s := newFakeServer(map[string]http.HandlerFunc{"anthropic": respond(`{"has_more":false,"data":[
		{"id":"claude-opus-4-1-20250805","lifecycle":"active","retires_at":null},
		{"id":"claude-2.1","lifecycle":"retired","retires_at":null},
		{"id":"claude-sonnet-4-5-20250929","lifecycle":"deprecated","retires_at":"2099-03-01T00:00:00Z"},
		{"id":"claude-3-haiku-20240307","lifecycle":"deprecated","retires_at":"2026-04-20T00:00:00Z"},
		{"id":"claude-opus-4-20250514","lifecycle":"active","retires_at":"soon"}]}`)})
	registry, err := s.client(t).Retirements(t.Context())
	require.NoError(t, err)
	for id, want := range map[string]string{
		"claude-opus-4-1-20250805":   "", // active: not retired, whatever the table has
		"claude-opus-4-1":            "",
		"claude-2.1":                 "2025-07-21",
		"claude-sonnet-4-5-20250929": "2099-03-01",
		"claude-sonnet-4-5":          "2099-03-01", // the alias follows its build
		"claude-3-haiku-20240307":    "deprecated", // overdue
		"claude-opus-4-20250514":     "2026-06-15", // an unreadable date changes nothing
	} {
		date, _ := registry.RetirementDate(discovery.Anthropic, id)
		assert.Equal(t, want, date, id)
	}
	assert.Equal(t, discovery.StateListed, registry.Check(discovery.Anthropic, "claude-opus-4-1", time.Now()).State)
}

func TestRegistryHasJSON(t *testing.T) {
	t.Parallel()
	registry := discovery.Registry{{Provider: discovery.OpenAI, ID: "gpt-4o"}: "2027-01-14", {Provider: discovery.XAI, ID: "a/b"}: "deprecated"}
	text, err := json.Marshal(registry)
	require.NoError(t, err)
	assert.JSONEq(t, `{"openai/gpt-4o":"2027-01-14","xai/a/b":"deprecated"}`, string(text))
	var back discovery.Registry
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, registry, back)
	for _, wrong := range []string{`{"gpt-4o":""}`, `{"meta/llama":""}`, `{"":""}`} {
		assert.Error(t, json.Unmarshal([]byte(wrong), &back), wrong)
	}

	soon := discovery.Retirement{ModelKey: discovery.ModelKey{Provider: discovery.OpenAI, ID: "gpt-4o"}, Date: "2027-01-14"}
	text, err = json.Marshal(soon)
	require.NoError(t, err)
	assert.JSONEq(t, `{"provider":"openai","id":"gpt-4o","date":"2027-01-14"}`, string(text))
	var read discovery.Retirement
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, soon, read)
	line, err := soon.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "openai/gpt-4o 2027-01-14", string(line))
}

func TestProviderOf(t *testing.T) {
	t.Parallel()
	for _, row := range retirements.Rows() {
		for _, id := range []string{row.ID, prefixOf[discovery.Provider(row.Provider)] + row.ID, strings.ToUpper(row.ID)} {
			p, ok := discovery.ProviderOf(id)
			assert.True(t, ok, id)
			assert.Equal(t, discovery.Provider(row.Provider), p, id)
		}
	}
	for id, want := range map[string]discovery.Provider{
		"us.anthropic.claude-opus-4-5-20251101-v1:0": discovery.Anthropic,
		"us-gov.anthropic.claude-opus-4-5":           discovery.Anthropic,
		"ft:gpt-4o-mini-2024-07-18:acme::abc":        discovery.OpenAI,
		"publishers/google/models/gemini-2.5-pro":    discovery.Gemini,
		"other-vendor/grok-3":                        discovery.XAI,
		"other-vendor/deepseek-chat":                 discovery.DeepSeek,
		"":                                           "", "llama-4": "", "gpts": "", "claude": "", "mistral/mixtral": "",
	} {
		p, ok := discovery.ProviderOf(id)
		assert.Equal(t, want, p, id)
		assert.Equal(t, want != "", ok, id)
	}
}

func TestNormalizeRemovesAnyVendorAndEveryBedrockRegion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p        discovery.Provider
		id, want string
	}{
		{discovery.XAI, "other-vendor/grok-3", "grok-3"},
		{discovery.XAI, "a/b/grok-4-0709", "grok-4"},
		{discovery.XAI, "other-vendor/llama", "other-vendor/llama"},
		{discovery.DeepSeek, "fireworks/models/deepseek-chat-v3.1", "deepseek-chat"},
		{discovery.Anthropic, "jp.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
		{discovery.Anthropic, "au.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
		{discovery.Anthropic, "us-gov.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"},
	} {
		assert.Equal(t, c.want, discovery.NormalizeModelID(c.p, c.id), c.id)
	}
}
