package discovery_test

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// never matches descriptions without a list price for text tokens, and noTokens those
// without any price. They were written independently of the code that they check.
var (
	never    = regexp.MustCompile(`(?i)cach|batch|flex|priority|bidi|free|commit`)
	noTokens = regexp.MustCompile(`(?i)storage|hour|grounding|imagen|period of time`)
)

// FuzzSKU reads a SKU with any description, unit and amount: no panic, no price for
// storage and the like, no price in both directions, and only the price that follows from
// the unit's definition.
func FuzzSKU(f *testing.F) {
	for _, description := range []string{
		flashText, "Generate content cached content gemini 2.5 flash storage by hour", "Generate_content cached text storage token hours for gemini 3 flash",
		"GenerateContent output token count for Gemini 1.5 Pro when input is greater than 128k tokens", "Gemini 3.1 Flash Image Text Input - Predictions",
		"Number of text tokens of cached content for Gemini 2.0 Flash over a period of time expressed in token hours", " Imagen 4 Generation (output)",
		"Generate content search query gemini 3 paid one", "gemini gemini input token", "Gemini Pro Input Tokens Storage",
	} {
		f.Add(description, "count", "count", "0", "750", "1", "0")
		f.Add(description, "h", "s", "0", "1000", "3600", "0")
		f.Add(description, "count", "count", "2", "999999999", "1e-3", "5")
	}
	f.Fuzz(func(t *testing.T, description, usage, base, units, nanos, factor, start string) {
		text, err := json.Marshal(map[string]any{"skus": []any{map[string]any{"skuId": "A", "description": description, "pricingInfo": []any{map[string]any{
			"effectiveTime": "2026-01-01T00:00:00Z",
			"pricingExpression": map[string]any{
				"usageUnit": usage, "baseUnit": base, "baseUnitConversionFactor": factor,
				"tieredRates": []any{map[string]any{"startUsageAmount": start, "unitPrice": map[string]any{"currencyCode": "USD", "units": units, "nanos": nanos}}},
			},
		}}}}})
		require.NoError(t, err)
		s := skuServer()
		s.set("cloudbilling", respond(string(text)))
		c := s.inProcess()
		rows, err := c.FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		r := rows[0]
		price, d := r.InputPerMTok, discovery.Input
		if r.OutputPerMTok != nil {
			require.Nil(t, r.InputPerMTok)
			price, d = r.OutputPerMTok, discovery.Output
		}
		if price != nil {
			assert.False(t, usage != "count" || base != "count" || noTokens.MatchString(description) || !strings.Contains(strings.ToLower(description), "gemini"), summary(r))
			assert.NotContains(t, []string{"storage", "grounding", "other", "unknown"}, r.Mode)
			assert.InEpsilon(t, exactPrice(t, units, nanos, factor)+1, *price+1, 1e-12)
			assert.False(t, math.IsInf(*price, 0) || math.IsNaN(*price) || *price < 0)
		}
		if r.ModelHint == "" {
			return
		}
		got, err := c.PricingForGeminiModel(t.Context(), r.ModelHint, discovery.GeminiPriceQuery{Direction: d, TierThresholdTokens: r.TierThresholdTokens, PricingOptions: withKey})
		require.NoError(t, err)
		if got != nil {
			assert.Equal(t, *price, *got)
			assert.Positive(t, *got)
			assert.False(t, never.MatchString(strings.SplitN(description, "when", 2)[0]), summary(r))
			assert.Equal(t, "text standard", r.Modality+" "+r.Mode)
		}
	})
}

// exactPrice returns USD per million, computed independently: (units + nanos/1e9) /
// factor * 1e6.
func exactPrice(t *testing.T, units, nanos, factor string) float64 {
	t.Helper()
	u, ok := new(big.Float).SetString(units)
	require.True(t, ok)
	n, ok := new(big.Float).SetString(nanos)
	require.True(t, ok)
	f, ok := new(big.Float).SetString(factor)
	require.True(t, ok)
	u.Add(u, n.Quo(n, big.NewFloat(1e9)))
	usd, _ := u.Mul(u.Quo(u, f), big.NewFloat(1e6)).Float64()
	return usd
}

// FuzzSKUPages decodes any bytes: no panic, rows only from valid JSON, and a failure
// exactly if there are no rows.
func FuzzSKUPages(f *testing.F) {
	f.Add([]byte(recordedSKUs(f)[:3000]))
	for _, seed := range []string{pageOf(skuOf("A", flashText, 750)), `{}`, `{"skus":[]}`, `{"skus":[{"skuId":"A"}],"nextPageToken":null}`, `{"skus":[{}]}`, `[]`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := skuServer()
		s.set("cloudbilling", respond(string(body)))
		rows, err := s.inProcess().FetchGeminiPricing(t.Context(), withKey)
		require.NoError(t, err)
		assert.NotNil(t, rows)
		assert.Equal(t, len(rows) == 0, len(s.failures) == 1)
		assert.True(t, len(rows) == 0 || json.Valid(body))
		for _, r := range rows {
			for _, p := range []*float64{r.InputPerMTok, r.OutputPerMTok} {
				assert.True(t, p == nil || *p >= 0 && !math.IsInf(*p, 0))
			}
		}
	})
}
