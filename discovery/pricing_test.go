package discovery_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func tiers(thresholds ...int64) []discovery.ProviderPricing {
	records := make([]discovery.ProviderPricing, len(thresholds))
	for i, threshold := range thresholds {
		records[i] = discovery.ProviderPricing{SKUID: fmt.Sprint(i), TierThresholdTokens: threshold}
	}
	return records
}

func TestPriceAt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		thresholds []int64
		tokens     int64
		want       string // SKUID, or "" for no row
	}{
		{nil, 0, ""},
		{[]int64{0}, 0, "0"},
		{[]int64{0}, 1 << 40, "0"},
		{[]int64{0}, -1, ""},
		{[]int64{0, 128_000}, 127_999, "0"},
		{[]int64{0, 128_000}, 128_000, "1"},
		{[]int64{128_000, 0}, 128_001, "0"},
		{[]int64{200_000, 128_000, 0}, 150_000, "1"},
		{[]int64{200_000}, 199_999, ""},
		{[]int64{0, 5, 5}, 9, "1"},
	} {
		got, ok := discovery.PriceAt(tiers(row.thresholds...), row.tokens)
		assert.Equal(t, row.want != "", ok, "%v", row)
		if assert.Equal(t, ok, got != nil, "%v", row) && ok {
			assert.Equal(t, row.want, got.SKUID, "%v", row)
		}
	}
}

// In any order, PriceAt returns the highest row that is not above the prompt.
func TestPriceAtReturnsTheHighestMatchingTier(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		thresholds := make([]int64, random.IntN(6))
		for i := range thresholds {
			thresholds[i] = random.Int64N(10)
		}
		tokens := random.Int64N(10)
		got, ok := discovery.PriceAt(tiers(thresholds...), tokens)
		for _, threshold := range thresholds {
			if threshold <= tokens {
				require.True(t, ok)
				assert.GreaterOrEqual(t, got.TierThresholdTokens, threshold)
			}
		}
		if ok {
			assert.LessOrEqual(t, got.TierThresholdTokens, tokens)
		}
	}
}

func TestPriceAtPointsIntoTheRecords(t *testing.T) {
	t.Parallel()
	records := tiers(0)
	got, _ := discovery.PriceAt(records, 1)
	assert.Same(t, &records[0], got)
}

func TestAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for verified, want := range map[string]time.Duration{
		"2026-11-20": 36 * time.Hour, "2026-11-21T11:00:00Z": time.Hour, "2026-11-21T13:30:00+02:00": 30 * time.Minute, "2026-12-01": 0,
	} {
		age, known := discovery.ProviderPricing{VerifiedAt: &verified}.Age(now)
		assert.True(t, known, verified)
		assert.Equal(t, want, age, verified)
	}
	for _, verified := range []*string{nil, ptr(""), ptr("yesterday"), ptr("2026-13-01")} {
		_, known := discovery.ProviderPricing{VerifiedAt: verified}.Age(now)
		assert.False(t, known)
	}
}

// Unknown values are null.
func TestPricingJSON(t *testing.T) {
	t.Parallel()
	empty, err := json.Marshal(discovery.ProviderPricing{Provider: models.Gemini})
	require.NoError(t, err)
	assert.JSONEq(t, `{"provider":"gemini","model_hint":"","sku_id":"","sku_description":"","input_per_mtok":null,"output_per_mtok":null,
		"tier_threshold_tokens":0,"cache_read_per_mtok":null,"cache_write_5m_per_mtok":null,"cache_write_1h_per_mtok":null,
		"usage_unit":null,"source":"","verified_at":null,"valid_from":null,"valid_until":null,"raw_pricing":null,"modality":"","mode":""}`, string(empty))
	full, err := json.Marshal(discovery.ProviderPricing{
		InputPerMTok: ptr(0.1), OutputPerMTok: ptr(0.0), RawPricing: &discovery.RawPricing{CacheWrite5m: 1, CacheWrite1h: 2, CacheHit: 0.5},
	})
	require.NoError(t, err)
	assert.Contains(t, string(full), `"input_per_mtok":0.1,"output_per_mtok":0,`)
	assert.Contains(t, string(full), `"raw_pricing":{"cache_write_5m":1,"cache_write_1h":2,"cache_hit":0.5}`)
}
