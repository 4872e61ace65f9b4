package prices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// platformCase is a call with a million input tokens. Either usd is its cost, or wants is
// what the price lacks.
type platformCase struct {
	name                    string
	platform                prices.Platform
	region, profile         string
	provider                models.Provider
	model, mode, usd, wants string
}

var platformCases = []platformCase{
	{"an older model in a region", "bedrock", "us-east-1", "", "anthropic", "claude-3-haiku-20240307", "", "0.25", ""},
	{"an older model with a profile", "bedrock", "eu-west-1", "eu", "anthropic", "claude-opus-4", "", "15", ""},
	{"a model in extended access", "bedrock", "eu-west-1", "eu", "anthropic", "claude-opus-4-1", "", "", "region"},
	{"a newer model in a region", "bedrock", "us-east-1", "", "anthropic", "claude-opus-5", "", "5.5", ""},
	{"with a profile", "bedrock", "ap-south-1", "apac", "anthropic", "claude-opus-4-5-20251101", "", "5.5", ""},
	{"in capitals", "bedrock", "AP-SOUTH-1", "APAC", "anthropic", "claude-opus-5", "", "5.5", ""},
	{"with the profile of all regions", "bedrock", "us-east-1", "global", "anthropic", "claude-opus-5", "", "5", ""},
	{"a government", "bedrock", "us-gov-west-1", "us-gov", "anthropic", "claude-sonnet-4-5", "", "3.6", ""},
	{"a government, another model", "bedrock", "us-gov-west-1", "us-gov", "anthropic", "claude-opus-5", "", "", "region"},
	{"a government's region, without its profile", "bedrock", "us-gov-west-1", "", "anthropic", "claude-3-haiku-20240307", "", "", "region"},
	{"a profile that no rule covers", "bedrock", "us-east-1", "mars", "anthropic", "claude-3-haiku-20240307", "", "", "region"},
	{"a region that is not known", "bedrock", "", "", "anthropic", "claude-opus-5", "", "", "region"},
	{"a batch", "bedrock", "us-east-1", "us", "anthropic", "claude-opus-5", "batch", "2.75", ""},
	{"a tier", "bedrock", "us-east-1", "us", "anthropic", "claude-opus-5", "flex", "", "mode"},
	{"a speed of the developer's own API", "bedrock", "us-east-1", "global", "anthropic", "claude-opus-5", "fast", "", "mode"},
	{"another developer", "bedrock", "us-west-2", "", "openai", "openai.gpt-oss-20b", "", "", "platform"},
	{"a developer that is not known", "bedrock", "us-west-2", "us", "", "us.amazon.nova-lite-v1:0", "", "", "platform"},
	{"Claude, all locations", "vertex", "global", "", "anthropic", "claude-opus-5", "", "5", ""},
	{"a location", "vertex", "us-east5", "", "anthropic", "claude-opus-5", "", "5.5", ""},
	{"several locations", "vertex", "eu", "", "anthropic", "claude-sonnet-4-5", "", "3.3", ""},
	{"the region is in the usage as well", "vertex", "us", "", "anthropic", "claude-opus-5", "us", "5.5", ""},
	{"an older Claude", "vertex", "us-east5", "", "anthropic", "claude-3-haiku-20240307", "", "0.25", ""},
	{"no location", "vertex", "", "", "anthropic", "claude-opus-5", "", "", "region"},
	{"a profile of another platform", "vertex", "global", "us", "anthropic", "claude-opus-5", "", "", "region"},
	{"Gemini 2", "vertex", "us-central1", "", "gemini", "gemini-2.5-flash", "", "0.3", ""},
	{"an embedding", "vertex", "us-central1", "", "gemini", "gemini-embedding-001", "", "0.15", ""},
	{"Gemini 3", "vertex", "us-central1", "", "gemini", "gemini-3-flash-preview", "", "", "region"},
	{"Gemini 3, all locations", "vertex", "global", "", "gemini", "gemini-3-flash-preview", "", "0.5", ""},
	{"a tier of the Gemini API", "vertex", "global", "", "gemini", "gemini-3-flash-preview", "flex", "", "mode"},
	{"Azure, not configured", "azure", "", "", "openai", "gpt-4o", "", "", "region"},
	{"a global deployment", "azure", "global", "", "openai", "gpt-4o", "", "2.5", ""},
	{"a data zone", "azure", "data-zone", "", "openai", "gpt-4o", "", "2.75", ""},
	{"a regional deployment", "azure", "regional", "", "openai", "gpt-4o", "", "", "region"},
	{"Claude in Foundry", "azure", "global", "", "anthropic", "claude-opus-5", "", "5", ""},
	{"Grok on Azure", "azure", "global", "", "xai", "grok-4.3", "", "", "platform"},
	{"a tier of OpenAI", "azure", "global", "", "openai", "gpt-5.4", "priority", "", "mode"},
	{"OpenRouter without a charge", "openrouter", "", "", "anthropic", "claude-opus-5", "", "", "platform"},
	{"a platform that is not known", "elsewhere", "", "", "anthropic", "claude-opus-5", "", "", "platform"},
	{"a name without rows", "", "", "", "groq", "llama-3.3-70b", "", "", "model"},
}

func TestCostOnAPlatform(t *testing.T) {
	t.Parallel()
	for _, c := range platformCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cost, err := prices.BuiltIn().CostOf(prices.Call{
				Provider: c.provider, Platform: c.platform, Region: c.region, Profile: c.profile, Model: c.model, Mode: c.mode,
				Usage: prices.Usage{Input: 1_000_000}, At: platformDay,
			})
			if c.wants == "" {
				require.NoError(t, err)
				assert.EqualValues(t, c.usd, cost.USD)
				assert.Equal(t, c.platform, cost.Platform)
				return
			}
			var unpriced *prices.UnpricedError
			require.ErrorAs(t, err, &unpriced)
			assert.EqualValues(t, c.wants, unpriced.Missing)
		})
	}
}

var platformDay = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// The developer's tool fees don't apply on a platform.
func TestFeesOfAPlatformAreNotKnown(t *testing.T) {
	t.Parallel()
	call := prices.Call{
		Provider: models.OpenAI, Platform: prices.PlatformAzure, Region: "global", Model: "gpt-5-mini", At: platformDay,
		Usage: prices.Usage{Input: 1, ToolUses: map[string]int64{"web_search": 1}},
	}
	_, err := prices.BuiltIn().CostOf(call)
	var unpriced *prices.UnpricedError
	require.ErrorAs(t, err, &unpriced)
	assert.EqualValues(t, "tool", unpriced.Missing)
}

// OpenRouter's charge is the cost, even if it's 0. On other platforms a charge is the
// developer's own price.
func TestChargesOfPlatforms(t *testing.T) {
	t.Parallel()
	call := prices.Call{Platform: prices.PlatformOpenRouter, Model: "z-ai/glm-5", Usage: prices.Usage{Input: 7, ChargedUSD: "0.00000012"}, At: platformDay}
	cost, err := prices.BuiltIn().CostOf(call)
	require.NoError(t, err)
	assert.EqualValues(t, "0.00000012", cost.USD)

	call.Usage.ChargedUSD = "0"
	cost, err = prices.BuiltIn().CostOf(call)
	require.NoError(t, err)
	assert.EqualValues(t, "0", cost.USD)

	call.Model = "" // transcriptions name no model
	cost, err = prices.BuiltIn().CostOf(call)
	require.NoError(t, err)
	assert.EqualValues(t, "0", cost.USD)

	call.Provider, call.Platform, call.Model, call.Usage.ChargedUSD = models.XAI, prices.PlatformAzure, "grok-4.3", "0.5"
	_, err = prices.BuiltIn().CostOf(call)
	require.ErrorIs(t, err, prices.ErrUnpriced)
}

// Platform rows come before developer rows, and no factor applies to either.
func TestOwnRowsOfPlatforms(t *testing.T) {
	t.Parallel()
	list, err := prices.BuiltIn().With(
		prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "2"},
		prices.Row{Provider: "azure", ModelHint: "gpt-4o", InputPerMTok: "3"},
		prices.Row{Provider: "bedrock", ModelHint: "us.amazon.nova-lite-v1:0", InputPerMTok: "0.06"},
		prices.Row{Provider: "groq", ModelHint: "llama-3.3-70b", InputPerMTok: "0.59"},
		prices.Row{Provider: "local", ModelHint: "qwen3", InputPerMTok: "0"},
	)
	require.NoError(t, err)
	million := prices.Usage{Input: 1_000_000}
	for want, call := range map[string]prices.Call{
		"2":    {Provider: models.OpenAI, Model: "gpt-4o", Usage: million},
		"3":    {Provider: models.OpenAI, Platform: prices.PlatformAzure, Region: "data-zone", Model: "gpt-4o", Usage: million},
		"0.06": {Platform: prices.PlatformBedrock, Region: "us-east-1", Profile: "us", Model: "us.amazon.nova-lite-v1:0", Usage: million},
		"0.59": {Provider: "groq", Model: "llama-3.3-70b", Usage: million},
		"0":    {Provider: "local", Model: "qwen3", Usage: prices.Usage{Input: 5, CacheRead: 3, Output: 7, AudioInput: 2}},
	} {
		call.At = platformDay
		cost, err := list.CostOf(call)
		require.NoError(t, err, want)
		assert.EqualValues(t, want, cost.USD)
	}
}

// The error names what the user has to configure, and only if it's missing.
func TestAzureWithoutAKindSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for region, reason := range map[string]string{"": "on Azure until its deployment kind is configured", "regional": "in this region"} {
		_, err := prices.BuiltIn().CostOf(prices.Call{
			Provider: models.OpenAI, Platform: prices.PlatformAzure, Region: region, Model: "gpt-4o", Usage: prices.Usage{Input: 1}, At: time.Now(),
		})
		require.ErrorContains(t, err, reason)
	}
}
