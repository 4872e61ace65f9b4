package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

const billingKey = "billing.key.of.the.tests"

var withKey = discovery.PricingOptions{APIKey: discovery.NewSecret(billingKey)}

// skuOf returns a SKU in the billing catalog's form. replace has pairs: a string and its
// replacement.
func skuOf(id, description string, nanos int, replace ...string) string {
	text := fmt.Sprintf(`{"name":"services/AEFD-7695-64FA/skus/%[1]s","skuId":"%[1]s","description":%[2]q,
		"category":{"serviceDisplayName":"Gemini API","resourceFamily":"ApplicationServices","resourceGroup":"Gemini","usageType":"OnDemand"},
		"serviceRegions":["global"],"pricingInfo":[{"summary":"","pricingExpression":{"usageUnit":"count","displayQuantity":1000000,
		"tieredRates":[{"startUsageAmount":0,"unitPrice":{"currencyCode":"USD","units":"0","nanos":%[3]d}}],"usageUnitDescription":"count",
		"baseUnit":"count","baseUnitDescription":"count","baseUnitConversionFactor":1},"currencyConversionRate":1,
		"effectiveTime":"2026-08-13T07:00:00Z"}],"serviceProviderName":"Google","geoTaxonomy":{"type":"GLOBAL","regions":[]}}`, id, description, nanos)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			panic("nothing to replace: " + replace[i])
		}
		text = strings.ReplaceAll(text, replace[i], replace[i+1])
	}
	return text
}

// early returns skuOf with a price valid since 1999, because synctest starts in 2000.
func early(id, description string, nanos int) string {
	return skuOf(id, description, nanos, "2026-08-13", "1999-01-01")
}

// pageOf returns a last page with these SKUs.
func pageOf(skus ...string) string {
	return `{"skus":[` + strings.Join(skus, ",") + `],"nextPageToken":""}`
}

func skuServer(skus ...string) *fakeServer {
	return newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(pageOf(skus...))})
}

func recordedSKUs(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/gemini_skus.json")
	require.NoError(tb, err)
	return string(text)
}

func recordedServer(tb testing.TB) *fakeServer {
	tb.Helper()
	return newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(recordedSKUs(tb))})
}

// rowOf returns the row for a single SKU.
func rowOf(t *testing.T, text string) discovery.ProviderPricing {
	t.Helper()
	s := skuServer(text)
	rows, err := s.inProcess().FetchGeminiPricing(t.Context(), withKey)
	require.NoError(t, err)
	require.Empty(t, s.reasons())
	require.Len(t, rows, 1)
	return rows[0]
}

// priceOf returns a hint's price, or -1 if it's nil.
func priceOf(t *testing.T, s *fakeServer, hint string, d discovery.Direction, tokens int64) float64 {
	t.Helper()
	return priceWith(t, s.inProcess(), hint, d, tokens)
}

// priceWith is priceOf for a client that may already have the prices.
func priceWith(t *testing.T, c *discovery.Client, hint string, d discovery.Direction, tokens int64) float64 {
	t.Helper()
	got, err := c.PricingForGeminiModel(t.Context(), hint, discovery.GeminiPriceQuery{Direction: d, TierThresholdTokens: tokens, PricingOptions: withKey})
	require.NoError(t, err)
	if got == nil {
		return -1
	}
	return *got
}

// skuOf's fields must match the recorded ones.
func TestSKUsHaveTheRecordedFields(t *testing.T) {
	t.Parallel()
	var page struct{ SKUs []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(recordedSKUs(t)), &page))
	assert.Len(t, page.SKUs, 46)
	assert.JSONEq(t, string(page.SKUs[3]), skuOf("01FB-5D61-EA5A", "Generate content input token count gemini 3.7 flash text", 750))
}
