package discovery_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// anthropicListed has the published prices: input, 5m write, 1h write, hit, output; three
// zeros mean no cache prices.
var anthropicListed = []struct {
	ids    []string
	prices [5]float64
}{
	{[]string{"claude-haiku-5-5"}, [5]float64{0.10, 0.125, 0.20, 0.01, 0.50}},
	{[]string{"claude-sonnet-5-5"}, [5]float64{2, 2.50, 4, 0.10, 10}},
	{[]string{"claude-opus-5-5"}, [5]float64{4, 5, 8, 0.20, 20}},
	{[]string{"claude-fable-5-1", "claude-mythos-5-1"}, [5]float64{10, 12.50, 20, 0.25, 50}},
	{[]string{"claude-fable-5", "claude-mythos-5"}, [5]float64{10, 12.50, 20, 1, 50}},
	{[]string{"claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5", "claude-opus-4-5-20251101"}, [5]float64{5, 6.25, 10, 0.50, 25}},
	{[]string{"claude-sonnet-5"}, [5]float64{2, 2.50, 4, 0.20, 10}},
	{[]string{
		"claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4", "claude-sonnet-4-20250514", "claude-3-7-sonnet",
		"claude-3-7-sonnet-20250219", "claude-3-5-sonnet", "claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022", "claude-3-sonnet", "claude-3-sonnet-20240229",
	}, [5]float64{3, 3.75, 6, 0.30, 15}},
	{[]string{"claude-haiku-4-5", "claude-haiku-4-5-20251001"}, [5]float64{1, 1.25, 2, 0.10, 5}},
	{[]string{"claude-3-5-haiku", "claude-3-5-haiku-20241022"}, [5]float64{0.80, 1, 1.60, 0.08, 4}},
	{[]string{"claude-opus-4-1", "claude-opus-4-1-20250805", "claude-opus-4", "claude-opus-4-20250514", "claude-3-opus", "claude-3-opus-20240229"}, [5]float64{15, 18.75, 30, 1.50, 75}},
	{[]string{"claude-3-haiku", "claude-3-haiku-20240307"}, [5]float64{0.25, 0.30, 0.50, 0.03, 1.25}},
	{[]string{"claude-2.0", "claude-2.1"}, [5]float64{8, 0, 0, 0, 24}},
}

func pricesOf(t *testing.T, p discovery.ProviderPricing) [5]float64 {
	t.Helper()
	require.NotNil(t, p.InputPerMTok)
	require.NotNil(t, p.OutputPerMTok)
	all := [5]float64{0: *p.InputPerMTok, 4: *p.OutputPerMTok}
	if p.RawPricing != nil {
		all[1], all[2], all[3] = p.RawPricing.CacheWrite5m, p.RawPricing.CacheWrite1h, p.RawPricing.CacheHit
	}
	return all
}

func TestAnthropicPrices(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, want := range anthropicListed {
		for _, id := range want.ids {
			got, ok := discovery.PricingForAnthropicModel(id)
			require.True(t, ok, id)
			assert.Equal(t, want.prices, pricesOf(t, *got), id)
			assert.Equal(t, id, got.ModelHint)
			assert.Zero(t, got.TierThresholdTokens)
			assert.Equal(t, want.prices[1] == 0, got.RawPricing == nil, "%s: a missing cache price is nil, not 0", id)
			rows++
		}
	}
	assert.Len(t, discovery.ListAnthropicPricing(), rows+2, "plus the tiered model's second tier, and the model without a 1-hour cache price")
}

func TestAnthropicRowsHaveASource(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range discovery.ListAnthropicPricing() {
		assert.False(t, seen[p.SKUID], p.SKUID)
		seen[p.SKUID] = true
		assert.Equal(t, models.Anthropic, p.Provider)
		assert.NotEmpty(t, p.Source, p.SKUID)
		assert.Nil(t, p.ValidUntil, p.SKUID)
		assert.Contains(t, p.SKUDescription, p.ModelHint)
		assert.Nil(t, p.UsageUnit)
		assert.Equal(t, []string{"text", "standard"}, []string{p.Modality, p.Mode})
		age, known := p.Age(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
		assert.True(t, known, p.SKUID)
		assert.Less(t, age, 60*24*time.Hour, p.SKUID)
		for _, price := range pricesOf(t, p) {
			assert.GreaterOrEqual(t, price, 0.0)
		}
		third := regexp.MustCompile(`fable-5-2|claude-3-sonnet|claude-2`).MatchString(p.ModelHint)
		assert.Equal(t, third, regexp.MustCompile("third-party").MatchString(p.Source), p.SKUID)
	}
}

// At exactly 100,000 tokens the lower tier applies. One more, and all tokens cost the
// upper tier's price.
func TestAnthropicTiers(t *testing.T) {
	t.Parallel()
	var rows []discovery.ProviderPricing
	for _, p := range discovery.ListAnthropicPricing() {
		if p.ModelHint == "claude-haiku-5-5" {
			rows = append(rows, p)
		}
	}
	require.Len(t, rows, 2)
	for tokens, want := range map[int64][5]float64{
		0: anthropicListed[0].prices, 100_000: anthropicListed[0].prices, 100_001: {0.50, 0.625, 1.00, 0.05, 2.50}, 1_000_000: {0.50, 0.625, 1.00, 0.05, 2.50},
	} {
		got, ok := discovery.PriceAt(rows, tokens)
		require.True(t, ok)
		assert.Equal(t, want, pricesOf(t, *got), tokens)
	}
}

func TestAnthropicSpellings(t *testing.T) {
	t.Parallel()
	for id, hint := range map[string]string{
		"anthropic/claude-opus-4.8":                           "claude-opus-4-8",
		"us.anthropic.claude-opus-4-5-20251101-v1:0":          "claude-opus-4-5-20251101",
		"claude-opus-4-5@20251101":                            "claude-opus-4-5-20251101",
		" Claude-Haiku-4-5 ":                                  "claude-haiku-4-5",
		"claude-3-5-sonnet-latest":                            "claude-3-5-sonnet",
		"claude-3.7-sonnet:thinking":                          "claude-3-7-sonnet",
		"claude-4.5-sonnet":                                   "claude-sonnet-4-5",
		"claude-sonnet-4-6[1m]":                               "claude-sonnet-4-6",
		"claude-opus-4-0":                                     "claude-opus-4",
		"publishers/anthropic/models/claude-sonnet-4@default": "claude-sonnet-4",
		"claude-opus-4-6-20260205":                            "claude-opus-4-6", // a build that isn't in the table
	} {
		got, ok := discovery.PricingForAnthropicModel(id)
		if assert.True(t, ok, id) {
			assert.Equal(t, hint, got.ModelHint, id)
		}
	}
}

// Every id in the table is found, with and without a date, and in other vendors'
// spellings.
func TestEveryAnthropicRowIsFoundUnderItsSpellings(t *testing.T) {
	t.Parallel()
	dated := regexp.MustCompile(`^(claude-.*)-(\d{8})$`)
	for _, want := range anthropicListed {
		for _, id := range want.ids {
			names := []string{
				" " + id + "\n", strings.ToUpper(id), "anthropic/" + id, "anthropic." + id + "-v1:0", "global.anthropic." + id + "-v2:0",
				"publishers/anthropic/models/" + id, id + ":beta", "Anthropic/" + strings.ReplaceAll(id, "-", " "),
			}
			if parts := dated.FindStringSubmatch(id); parts != nil {
				names = append(names, parts[1]+"@"+parts[2], "eu.anthropic."+id+"-v1:0")
			} else {
				names = append(names, id+"@default", id+"-latest")
			}
			for _, name := range names {
				got, ok := discovery.PricingForAnthropicModel(name)
				if assert.True(t, ok, name) {
					assert.Equal(t, id, got.ModelHint, name)
					assert.Equal(t, want.prices, pricesOf(t, *got), name)
				}
			}
		}
	}
}

func TestModelsWithoutAnAnthropicPrice(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", " ", "claude", "claude-opus", "claude-opus-4-8-fast", "anthropic/claude-opus-4.8-fast", "claude-opus-4-7-fast", "claude-opus-5-fast", "claude-mythos-preview",
		"claude-opus-4-9", "claude-haiku-5", "claude-instant-1.2", "claude-2", "claude-2.0-100k", "gpt-4o", "claude-haiku-5-5@100001", "claude-opus-4-5-2025",
	} {
		got, ok := discovery.PricingForAnthropicModel(id)
		assert.False(t, ok, id)
		assert.Nil(t, got, id)
	}
}

// Callers may change the returned rows.
func TestAnthropicRowsAreCopies(t *testing.T) {
	t.Parallel()
	before := discovery.ListAnthropicPricing()
	spoilt := discovery.ListAnthropicPricing()
	for i := range spoilt {
		*spoilt[i].InputPerMTok, *spoilt[i].OutputPerMTok, *spoilt[i].VerifiedAt = -1, -1, ""
		if spoilt[i].RawPricing != nil {
			spoilt[i].RawPricing.CacheHit = -1
		}
		one, ok := discovery.PricingForAnthropicModel(spoilt[i].ModelHint)
		require.True(t, ok)
		*one.InputPerMTok, one.RawPricing = -1, nil
	}
	slices.Reverse(spoilt)
	assert.Equal(t, before, discovery.ListAnthropicPricing())
}

// A missing 1-hour cache price is nil, not 0. The row has the other prices, and no
// RawPricing.
func TestAnthropicModelWithoutA1hCachePrice(t *testing.T) {
	t.Parallel()
	got, ok := discovery.PricingForAnthropicModel("claude-2.1")
	require.True(t, ok)
	assert.Nil(t, got.RawPricing)
	assert.Nil(t, got.CacheWrite1hPerMTok)
	assert.Equal(t, []float64{8, 24}, []float64{*got.InputPerMTok, *got.OutputPerMTok})
	complete, ok := discovery.PricingForAnthropicModel("claude-fable-5-2")
	require.True(t, ok)
	assert.Equal(t, &discovery.RawPricing{CacheWrite5m: 10, CacheWrite1h: 16, CacheHit: 0.2}, complete.RawPricing)
}

// claude-3-sonnet's 1-hour price has only one source: it's shown in RawPricing, but not
// used for costs.
func TestAnthropicPriceWithOneSourceIsNotUsedForCosts(t *testing.T) {
	t.Parallel()
	got, ok := discovery.PricingForAnthropicModel("claude-3-sonnet-20240229")
	require.True(t, ok)
	assert.InDelta(t, 6.0, got.RawPricing.CacheWrite1h, 0)
	assert.Nil(t, got.CacheWrite1hPerMTok)
}

func TestAnthropicPeriods(t *testing.T) {
	t.Parallel()
	now, ok := discovery.PricingForAnthropicModel("claude-sonnet-5-5")
	require.True(t, ok)
	assert.Equal(t, "2026-10-07", *now.ValidFrom)
	assert.InDelta(t, 0.1, *now.CacheReadPerMTok, 0)
	var before []prices.Row
	for _, p := range prices.BuiltIn().Rows(models.Anthropic) {
		if p.ModelHint == "claude-sonnet-5-5" && p.ValidUntil != "" {
			before = append(before, p)
		}
	}
	require.Len(t, before, 1)
	assert.Equal(t, []string{"2026-09-28", "2026-10-07"}, []string{before[0].ValidFrom, before[0].ValidUntil})
	assert.Equal(t, prices.USD("0.2"), before[0].CacheReadPerMTok)
}
