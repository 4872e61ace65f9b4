package discovery_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// keyOf gives a service a test key.
func keyOf(service discovery.Service) discovery.Option {
	return discovery.WithKey(service, func(context.Context) (string, error) { return "a.key.of.the.tests", nil })
}

// grok is a live list: grok-4.7 has other prices than in the table, and none for cached
// input.
const grok = `{"models":[{"id":"grok-4.7","aliases":["grok-new"],"prompt_text_token_price":10000,"completion_text_token_price":25000,
	"long_context_threshold":200000,"prompt_text_token_price_long_context":12345,"completion_text_token_price_long_context":50000},
	{"id":"grok-imagine","prompt_text_token_price":0,"completion_text_token_price":0},
	{"id":"grok-3","prompt_text_token_price":30000,"completion_text_token_price":150000}]}`

// live returns the built-in list with a client's live prices.
func live(t *testing.T, c *discovery.Client) *prices.List {
	t.Helper()
	list, err := c.LivePrices(t.Context(), nil)
	require.NoError(t, err)
	return list
}

// exact computes a cost at live prices, and returns it with its source; "" means unknown.
// The zero time means now.
func exact(t *testing.T, c *discovery.Client, p models.Provider, model string, u prices.Usage, at time.Time) (usd prices.USD, source string) {
	t.Helper()
	return exactBy(t, live(t, c), p, model, u, at)
}

// exactBy computes a cost with a given list, now if at is zero.
func exactBy(t *testing.T, list *prices.List, p models.Provider, model string, u prices.Usage, at time.Time) (usd prices.USD, source string) {
	t.Helper()
	if at.IsZero() {
		at = time.Now()
	}
	cost, err := list.CostOf(prices.Call{Provider: p, Model: model, Usage: u, At: at})
	if err != nil {
		require.ErrorIs(t, err, prices.ErrUnpriced)
	}
	return cost.USD, cost.Source
}

func TestKeysDoNotShareLivePrices(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	key := ""
	c := s.inProcess(discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return key, nil }))
	for i, next := range []string{"first.key", "second.key", "first.key"} {
		key = next
		usd, _ := exact(t, c, models.XAI, "grok-4.7", thousand, time.Time{})
		assert.EqualValues(t, "0.0035", usd)
		assert.Equal(t, min(i+1, 2), s.count("xai"), "one request for each key")
	}
}

// skuRows is a Gemini price list with prices in nano-dollars per token.
func skuRows(rows ...string) string {
	skus := make([]string, len(rows)/2)
	for i := range skus {
		skus[i] = fmt.Sprintf(`{"skuId":"%04d-0000-0000","description":%q,"pricingInfo":[{"pricingExpression":{"usageUnit":"count","tieredRates":[{"startUsageAmount":0,
			"unitPrice":{"currencyCode":"USD","units":"0","nanos":%s}}],"baseUnit":"count","baseUnitConversionFactor":1}}]}`, i, rows[2*i], rows[2*i+1])
	}
	return `{"skus":[` + strings.Join(skus, ",") + `],"nextPageToken":""}`
}

func TestLivePricesOfGemini(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
		"Generate content input token count gemini 3.1 flash lite text", "249", // 0.25 in the table: more than truncation removes
		"Generate content output token count gemini 3.1 flash lite text", "1500",
		"Generate content input token count gemini 1.5 flash 8b text", "37", // 0.0375 truncated
		"Generate content output token count gemini 1.5 flash 8b text", "150",
		"Generate content input token count gemini 2.5 flash text", "400",
		"Generate content cached input token count gemini 2.5 flash text", "40",
		"Generate content output token count gemini 2.5 flash text", "2600",
		"Generate content input token count gemini 2.5 pro short input text", "1300",
		"Generate content input token count gemini 2.5 pro long input text", "2600",
		"Generate content output token count gemini 2.5 pro short input text", "10000",
		"Generate content output token count gemini 2.5 pro long input text", "15000",
		"Generate content input token count gemini 3.5 flash text", "1500",
		"Generate content input token count gemini 3.6 flash text", "1600",
	))})
	c := s.client(t, keyOf(discovery.ServiceCloudBilling))
	for _, row := range []struct {
		model string
		usage prices.Usage
		usd   string
		live  bool
	}{
		{"gemini-1.5-flash-8b", prices.Usage{Input: 1_000}, "0.0000375", true}, // the table's price
		{"gemini-3.1-flash-lite", prices.Usage{Input: 1_000}, "0.000249", true},
		{"gemini-2.5-flash", prices.Usage{Input: 1_000, CacheRead: 1_000, Output: 1_000}, "0.00304", true},
		{"gemini-2.5-pro", prices.Usage{Input: 200_000}, "0.26", true}, // the long tier applies above the round figure
		{"gemini-2.5-pro", prices.Usage{Input: 200_001}, "0.5200026", true},
		{"gemini-2.5-pro", prices.Usage{Input: 1, CacheRead: 1}, "", true}, // the live list lacks this price, and the table's is for another input price
		{"gemini-3.5-flash", thousand, "0.0105", true},                     // the missing output price is in the table
		{"gemini-3.6-flash", thousand, "", true},                           // but not if the prices differ
		{"gemini-3-flash-preview", thousand, "0.0035", false},
	} {
		usd, source := exact(t, c, models.Gemini, row.model, row.usage, time.Time{})
		assert.EqualValues(t, row.usd, usd, row)
		if usd != "" {
			assert.Equal(t, row.live, source == discovery.SourceCloudBilling, row)
		}
	}
	rows := live(t, c).ForModel(models.Gemini, "gemini-2.5-pro")
	require.Greater(t, len(rows), 2)
	assert.Equal(t, []int64{0, 200_001}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens}, "the shortest prompt, not the round figure")
	skus, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(skus, func(r discovery.ProviderPricing) bool { return r.TierThresholdTokens == 200_000 }), "FetchGeminiPricing has the round figure")
	assert.Equal(t, 1, s.count("cloudbilling"), "both have one cache")
}

func textRows(rows []prices.Row) []prices.Row {
	return slices.DeleteFunc(rows, func(r prices.Row) bool { return r.Modality != prices.ModalityText })
}

// If the live list has a model but no price that we understand, the table's prices hold.
func TestLiveRowsWithoutAPriceAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sleepUntilNovember()
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
			"Generate content input token count gemini 2.5 pro short input text", "1300",
			"Generate content output token count gemini 2.5 pro short input text", "10000",
			"Generate content cached input token count gemini 2.5 pro long input text", "250",
			"Generate content cached input token count gemini 3.5 flash text", "150",
			"Generate content cached input token count gemini 9 flash text", "150",
		))})
		c := s.inProcess(keyOf(discovery.ServiceCloudBilling))
		table := prices.BuiltIn()
		rows := live(t, c).ForModel(models.Gemini, "gemini-3.5-flash")
		for i, row := range textRows(table.ForModel(models.Gemini, "gemini-3.5-flash")) {
			assert.Equal(t, []any{row.Source, row.InputPerMTok, row.OutputPerMTok}, []any{rows[i].Source, rows[i].InputPerMTok, rows[i].OutputPerMTok})
		}

		rows = live(t, c).ForModel(models.Gemini, "gemini-2.5-pro")
		assert.Equal(t, discovery.SourceCloudBilling, rows[0].Source)
		assert.Equal(t, prices.USD("1.3"), rows[0].InputPerMTok)
		assert.NotEqual(t, discovery.SourceCloudBilling, rows[1].Source)
		assert.Equal(t, prices.USD("2.5"), rows[1].InputPerMTok)
		assert.Equal(t, int64(200_001), rows[1].TierThresholdTokens)
		for tokens, want := range map[int64]string{200_000: "0.26", 200_001: "0.5000025"} {
			usd, _ := exact(t, c, models.Gemini, "gemini-2.5-pro", prices.Usage{Input: tokens}, time.Time{})
			assert.EqualValues(t, want, usd)
		}
		assert.Empty(t, live(t, c).ForModel(models.Gemini, "gemini-9-flash"), "no row without a price")
		assert.Empty(t, s.failures)
	})
}

// A SKU whose model has no id in the list is listed under its own name, and found by id.
func TestLivePricesKeepModelsThatTheBaseLacks(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
		"Generate content input token count gemini 9 flash text", "1000",
		"Generate content output token count gemini 9 flash text", "2000",
		"Generate content input token count gemini 2.5 flash text", "400",
		"Generate content output token count gemini 2.5 flash text", "2600",
	))})
	list := live(t, s.client(t, keyOf(discovery.ServiceCloudBilling)))
	var names []string
	for _, row := range list.Rows(models.Gemini) {
		if row.Source == discovery.SourceCloudBilling {
			names = append(names, row.ModelHint)
		}
	}
	assert.Contains(t, names, "gemini-2.5-flash")
	assert.Contains(t, names, "gemini 9 flash")
	assert.NotContains(t, names, "gemini 2.5 flash")
	usd, _ := exactBy(t, list, models.Gemini, "models/gemini-9-flash", thousand, time.Time{})
	assert.EqualValues(t, "0.003", usd)
}

// Rows from With precede live rows, in whichever order they were added.
func TestOwnPricesPrecedeLiveOnes(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	own := prices.Row{Provider: models.XAI, ModelHint: "grok-4.7", InputPerMTok: "1000", OutputPerMTok: "1000"}
	before, err := c.LivePrices(t.Context(), mustWith(t, own))
	require.NoError(t, err)
	after, err := live(t, c).With(own)
	require.NoError(t, err)
	for _, list := range []*prices.List{before, after} {
		for model, want := range map[string]string{"grok-4.7": "2", "grok-new": "0.0035"} { // our own, and a live one
			usd, _ := exactBy(t, list, models.XAI, model, thousand, time.Time{})
			assert.EqualValues(t, want, usd)
		}
		assert.Equal(t, before.ForModel(models.XAI, "grok-4.7"), list.ForModel(models.XAI, "grok-4.7"))
	}
}

// Live rows are ordinary rows: passed to With, they give the same costs.
func TestWithLiveRowsChangesNoCost(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	list := live(t, s.client(t, keyOf(discovery.ServiceXAI)))
	copied := mustWith(t, list.ForModel(models.XAI, "grok-4.7")...)
	for _, tokens := range []int64{1, 199_999, 200_000, 200_001} {
		call := prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: prices.Usage{Input: tokens}, At: time.Now()}
		want, err := list.CostOf(call)
		require.NoError(t, err)
		got, err := copied.CostOf(call)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// If a list fails, an earlier call's live rows stay.
func TestLivePricesKeepEarlierRows(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	base := live(t, s.client(t, keyOf(discovery.ServiceXAI)))
	s.set("xai", respondStatus(503, ""))
	list, err := s.client(t, keyOf(discovery.ServiceXAI)).LivePrices(t.Context(), base)
	require.NoError(t, err)
	assert.Equal(t, base.Rows(""), list.Rows(""))
	assert.NotEmpty(t, s.failures)
}

// A live list is cached for a day, but isn't used on a day for which the table has
// another price.
func TestLivePricesEndWithTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)))
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
			"Generate content input token count gemini 4 argon text", "2000", "Generate content output token count gemini 4 argon text", "10000",
		))})
		c := s.inProcess(keyOf(discovery.ServiceCloudBilling))
		usd, source := exact(t, c, models.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.Equal(t, []string{"0.012", discovery.SourceCloudBilling}, []string{string(usd), source})
		time.Sleep(5 * time.Hour) // 2026-12-01
		usd, source = exact(t, c, models.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.EqualValues(t, "0.024", usd)
		assert.NotEqual(t, discovery.SourceCloudBilling, source)
		assert.Equal(t, 1, s.count("cloudbilling"))
		time.Sleep(20 * time.Hour)
		_, source = exact(t, c, models.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.Equal(t, discovery.SourceCloudBilling, source)
		assert.Equal(t, 2, s.count("cloudbilling"))
	})
}

// A call's model is an id, not a hint: part of a name may be another model's name.
func TestLivePricesOfGeminiNeedAnID(t *testing.T) {
	t.Parallel()
	var skus []string
	for _, model := range []string{"3.9 flash", "3.9 flash lite", "omni flash", "2.0 flash", "8 pro preview"} {
		skus = append(skus, "Generate content input token count gemini "+model+" text", "1000", "Generate content output token count gemini "+model+" text", "2000")
	}
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(skus...))})
	c := s.client(t, keyOf(discovery.ServiceCloudBilling))
	for model, priced := range map[string]bool{
		"gemini-3.9-flash": true, "models/gemini-3.9-flash": true, "gemini-3.9-flash-001": true, "gemini-3.9-flash-preview": true,
		"gemini-3.9-flash-latest": true, "gemini-8-pro": true, "gemini-8-pro-preview": true, "gemini-omni-flash": true,
		"omni": false, "gemini-omni": false, "8": false, "gemini-8": false, "2.0": false, "gemini-2.0": false, "flash lite": false,
	} {
		usd, _ := exact(t, c, models.Gemini, model, thousand, time.Time{})
		assert.Equal(t, priced, usd == "0.003", "%s costs %q", model, usd)
		assert.Equal(t, priced, len(live(t, c).ForModel(models.Gemini, model)) > 0, model)
	}
	price, err := c.PricingForGeminiModel(t.Context(), "omni", discovery.GeminiPriceQuery{})
	require.NoError(t, err)
	require.NotNil(t, price, "a hint may be part of the name")
}

// Live lists have the provider's own prices, which don't apply to other vendors.
func TestLivePricesAreNotThoseOfOtherVendors(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for model, want := range map[string]string{"x-ai/grok-4.7": "0.0035", "grok-new": "0.0035", "azure/grok-4.7": "", "azure/grok-new": "", "grok-4.7:free": ""} {
		usd, _ := exact(t, c, models.XAI, model, thousand, time.Time{})
		assert.EqualValues(t, want, usd, model)
	}
}
