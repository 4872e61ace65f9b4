package discovery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestLivePricesOfXAI(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for _, row := range []struct {
		model string
		usage prices.Usage
		at    time.Time
		usd   string
		live  bool
	}{
		{"grok-4.7", thousand, time.Time{}, "0.0035", true},
		{"x-ai/grok-4.7", thousand, time.Time{}, "0.0035", true},
		{"grok-new", thousand, time.Time{}, "0.0035", true},
		{"grok-4.7", prices.Usage{Input: 199_999}, time.Time{}, "0.199999", true},
		{"grok-4.7", prices.Usage{Input: 200_000}, time.Time{}, "0.2469", true},
		{"grok-4.7", prices.Usage{CacheRead: 1}, time.Time{}, "", true}, // the table's cache price goes with its other prices, which differ
		{"grok-3", prices.Usage{CacheRead: 1_000}, time.Time{}, "0.00075", true},
		{"grok-4.7", thousand, time.Now().Add(-23 * time.Hour), "0.0035", true},
		{"grok-4.7", thousand, time.Now().Add(-25 * time.Hour), "0.008", false},
		{"grok-4.7", thousand, time.Now().Add(25 * time.Hour), "0.008", false},
		{"grok-4.6", thousand, time.Time{}, "0.008", false},
	} {
		usd, source := exact(t, c, models.XAI, row.model, row.usage, row.at)
		assert.EqualValues(t, row.usd, usd, row)
		if usd != "" {
			assert.Equal(t, row.live, source == discovery.SourceLanguageModels, row)
		}
	}
	rows := live(t, c).ForModel(models.XAI, "grok-4.7")
	require.Len(t, rows, 4)
	assert.Equal(t, []int64{0, 200_000}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens})
	assert.Equal(t, prices.BuiltIn().ForModel(models.XAI, "grok-4.7"), rows[2:], "the table follows the live rows")
	assert.Empty(t, rows[0].CacheReadPerMTok)
	read, err := time.Parse(time.RFC3339, rows[0].VerifiedAt)
	require.NoError(t, err)
	assert.Equal(t, read.Add(24*time.Hour).Format(time.RFC3339), rows[0].ValidUntil)
	assert.Equal(t, read, live(t, c).AsOf())
	age, known := rows[0].Age(time.Now())
	assert.True(t, known)
	assert.Less(t, age, time.Hour)
	assert.Equal(t, 1, s.count("xai"), "the list is cached")

	c.InvalidatePricing(models.Gemini)
	exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
	assert.Equal(t, 1, s.count("xai"))
	c.InvalidatePricing(models.XAI)
	exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
	assert.Equal(t, 2, s.count("xai"))
}

// Long-context fields are optional. If they're missing, long prompts cost what the table
// says, not the short price.
func TestLiveListWithoutLongContextPrices(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(
		`{"models":[{"id":"grok-4.7","prompt_text_token_price":20000,"completion_text_token_price":60000}]}`,
	)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for tokens, want := range map[int64][]any{199_999: {"0.399998", true}, 200_000: {"0.8", false}} {
		usd, source := exact(t, c, models.XAI, "grok-4.7", prices.Usage{Input: tokens}, time.Time{})
		assert.Equal(t, want, []any{string(usd), source == discovery.SourceLanguageModels})
	}
	rows := live(t, c).ForModel(models.XAI, "grok-4.7")
	require.Len(t, rows, 4)
	assert.Equal(t, int64(200_000), rows[1].TierThresholdTokens)
}
