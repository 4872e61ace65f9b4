package discovery_test

import (
	"context"
	"errors"
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
)

// keyOf gives a service a key of the tests.
func keyOf(service discovery.Service) discovery.Option {
	return discovery.WithKey(service, func(context.Context) (string, error) { return "a.key.of.the.tests", nil })
}

// grok is a live list: grok-4.7 at other prices than in the table, without a price of cached input.
const grok = `{"models":[{"id":"grok-4.7","aliases":["grok-new"],"prompt_text_token_price":10000,"completion_text_token_price":25000,
	"long_context_threshold":200000,"prompt_text_token_price_long_context":12345,"completion_text_token_price_long_context":50000},
	{"id":"grok-imagine","prompt_text_token_price":0,"completion_text_token_price":0},
	{"id":"grok-3","prompt_text_token_price":30000,"completion_text_token_price":150000}]}`

// live returns the built-in list with the live prices of a client.
func live(t *testing.T, c *discovery.Client) *discovery.PriceList {
	t.Helper()
	list, err := c.LivePrices(t.Context(), nil)
	require.NoError(t, err)
	return list
}

// exact computes a cost at live prices, and returns it with its source; "" if it is not known. The zero time is now.
func exact(t *testing.T, c *discovery.Client, p discovery.Provider, model string, u discovery.Usage, at time.Time) (usd, source string) {
	t.Helper()
	if at.IsZero() {
		at = time.Now()
	}
	cost, err := live(t, c).CostOf(discovery.Call{Provider: p, Model: model, Usage: u, At: at})
	if err != nil {
		require.ErrorIs(t, err, discovery.ErrUnpriced)
	}
	return cost.Exact, cost.Source
}

func TestLivePricesOfXAI(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for _, row := range []struct {
		model string
		usage discovery.Usage
		at    time.Time
		usd   string
		live  bool
	}{
		{"grok-4.7", thousand, time.Time{}, "0.0035", true},
		{"x-ai/grok-4.7", thousand, time.Time{}, "0.0035", true},
		{"grok-new", thousand, time.Time{}, "0.0035", true},
		{"grok-4.7", discovery.Usage{Input: 199_999}, time.Time{}, "0.199999", true},
		{"grok-4.7", discovery.Usage{Input: 200_000}, time.Time{}, "0.2469", true},
		{"grok-4.7", discovery.Usage{CacheRead: 1}, time.Time{}, "", true}, // the table's price is of other prices
		{"grok-3", discovery.Usage{CacheRead: 1_000}, time.Time{}, "0.00075", true},
		{"grok-4.7", thousand, time.Now().Add(-23 * time.Hour), "0.0035", true},
		{"grok-4.7", thousand, time.Now().Add(-25 * time.Hour), "0.008", false},
		{"grok-4.7", thousand, time.Now().Add(25 * time.Hour), "0.008", false},
		{"grok-4.6", thousand, time.Time{}, "0.008", false},
	} {
		usd, source := exact(t, c, discovery.XAI, row.model, row.usage, row.at)
		assert.Equal(t, row.usd, usd, row)
		if usd != "" {
			assert.Equal(t, row.live, source == discovery.SourceLanguageModels, row)
		}
	}
	rows := live(t, c).Of(discovery.XAI, "grok-4.7")
	require.Len(t, rows, 4)
	assert.Equal(t, []int64{0, 200_000}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens})
	assert.Equal(t, discovery.BuiltInPrices().Of(discovery.XAI, "grok-4.7"), rows[2:], "the table is behind the live rows")
	assert.Nil(t, rows[0].CacheReadPerMTok)
	read, err := time.Parse(time.RFC3339, *rows[0].VerifiedAt)
	require.NoError(t, err)
	assert.Equal(t, read.Add(24*time.Hour).Format(time.RFC3339), *rows[0].ValidUntil)
	assert.Equal(t, read, live(t, c).AsOf())
	age, known := rows[0].Age(time.Now())
	assert.True(t, known)
	assert.Less(t, age, time.Hour)
	assert.Equal(t, 1, s.count("xai"), "the list is cached")

	c.InvalidatePricing(discovery.Gemini)
	exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
	assert.Equal(t, 1, s.count("xai"))
	c.InvalidatePricing(discovery.XAI)
	exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
	assert.Equal(t, 2, s.count("xai"))
}

// The fields of the long context are optional: without them the long prompts are those of the table, not the short ones.
func TestLiveListWithoutLongContextPrices(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(
		`{"models":[{"id":"grok-4.7","prompt_text_token_price":20000,"completion_text_token_price":60000}]}`,
	)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for tokens, want := range map[int64][]any{199_999: {"0.399998", true}, 200_000: {"0.8", false}} {
		usd, source := exact(t, c, discovery.XAI, "grok-4.7", discovery.Usage{Input: tokens}, time.Time{})
		assert.Equal(t, want, []any{usd, source == discovery.SourceLanguageModels})
	}
	rows := live(t, c).Of(discovery.XAI, "grok-4.7")
	require.Len(t, rows, 4)
	assert.Equal(t, int64(200_000), rows[1].TierThresholdTokens)
}

func TestLivePricesWithoutAKeyReportNoFailure(t *testing.T) {
	t.Parallel()
	s := newFakeServer(nil)
	none := discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return "", nil })
	for _, c := range []*discovery.Client{s.client(t), s.client(t, none)} {
		usd, _ := exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
		assert.Equal(t, "0.008", usd)
		usd, _ = exact(t, c, discovery.Gemini, "gemini-2.5-pro", thousand, time.Time{})
		assert.Equal(t, "0.01125", usd)
	}
	assert.Empty(t, s.reasons())
	assert.Zero(t, s.count("xai")+s.count("cloudbilling"))
}

// A live list that cannot be read is one failure, and the table is used until the pause is over.
func TestFailedLivePriceListFallsBackToTheTable(t *testing.T) {
	t.Parallel()
	refused := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "not with ", r.Header.Get("Authorization"))
	}
	s := newFakeServer(map[string]http.HandlerFunc{"xai": refused, "cloudbilling": refused})
	c := s.client(t, keyOf(discovery.ServiceXAI), keyOf(discovery.ServiceCloudBilling))
	for range 3 {
		usd, _ := exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
		assert.Equal(t, "0.008", usd)
		usd, _ = exact(t, c, discovery.Gemini, "gemini-2.5-pro", thousand, time.Time{})
		assert.Equal(t, "0.01125", usd)
	}
	assert.Equal(t, []string{"gemini denied", "xai denied"}, s.reasons()[:2])
	assert.Equal(t, 2, s.count("xai")+s.count("cloudbilling"), "an outage is remembered")
	for _, f := range s.failures {
		assert.NotContains(t, f.Error(), "a.key.of.the.tests")
		assert.Equal(t, "LivePrices", f.Operation)
	}

	base := mustWith(t, discovery.ProviderPricing{Provider: discovery.XAI, ModelHint: "ours", InputPerMTok: ref(1.0)})
	strict := s.client(t, keyOf(discovery.ServiceXAI), discovery.WithStrictErrors())
	list, err := strict.LivePrices(t.Context(), base)
	var failure *discovery.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, discovery.XAI, failure.Provider)
	assert.Equal(t, base.Rows(""), list.Rows(""), "base comes back")

	vault := errors.New("the vault is sealed")
	sealed := s.client(t, discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return "", vault }))
	usd, _ := exact(t, sealed, discovery.XAI, "grok-4.7", thousand, time.Time{})
	assert.Equal(t, "0.008", usd)
	assert.Contains(t, s.reasons(), "xai missing_credential")
}

func TestFailedLivePriceListIsRequestedAgainAfterThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)))
		s := newFakeServer(map[string]http.HandlerFunc{"xai": respondStatus(503, "")})
		c := s.inProcess(keyOf(discovery.ServiceXAI))
		for range 3 {
			usd, _ := exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
			assert.Equal(t, "0.008", usd)
		}
		assert.Equal(t, 1, s.count("xai"))
		time.Sleep(discovery.DefaultOutageTTL)
		s.set("xai", respond(grok))
		usd, _ := exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
		assert.Equal(t, "0.0035", usd)
		assert.Equal(t, 2, s.count("xai"))
	})
}

func TestKeysDoNotShareLivePrices(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	key := ""
	c := s.inProcess(discovery.WithKey(discovery.ServiceXAI, func(context.Context) (string, error) { return key, nil }))
	for i, next := range []string{"first.key", "second.key", "first.key"} {
		key = next
		usd, _ := exact(t, c, discovery.XAI, "grok-4.7", thousand, time.Time{})
		assert.Equal(t, "0.0035", usd)
		assert.Equal(t, min(i+1, 2), s.count("xai"), "one request for each key")
	}
}

// skuRows is a price list of Gemini with prices in billionths of a dollar for each token.
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
		usage discovery.Usage
		usd   string
		live  bool
	}{
		{"gemini-1.5-flash-8b", discovery.Usage{Input: 1_000}, "0.0000375", true}, // the price of the table
		{"gemini-3.1-flash-lite", discovery.Usage{Input: 1_000}, "0.000249", true},
		{"gemini-2.5-flash", discovery.Usage{Input: 1_000, CacheRead: 1_000, Output: 1_000}, "0.00304", true},
		{"gemini-2.5-pro", discovery.Usage{Input: 200_000}, "0.26", true}, // the long tier is above the round figure
		{"gemini-2.5-pro", discovery.Usage{Input: 200_001}, "0.5200026", true},
		{"gemini-2.5-pro", discovery.Usage{Input: 1, CacheRead: 1}, "", true}, // the live list has no such price, and is not that of the table
		{"gemini-3.5-flash", thousand, "0.0105", true},                        // the price of output that is missing is that of the table
		{"gemini-3.6-flash", thousand, "", true},                              // and not where the prices differ
		{"gemini-3-flash-preview", thousand, "0.0035", false},
	} {
		usd, source := exact(t, c, discovery.Gemini, row.model, row.usage, time.Time{})
		assert.Equal(t, row.usd, usd, row)
		if usd != "" {
			assert.Equal(t, row.live, source == discovery.SourceCloudBilling, row)
		}
	}
	rows := live(t, c).Of(discovery.Gemini, "gemini-2.5-pro")
	require.Greater(t, len(rows), 2)
	assert.Equal(t, []int64{0, 200_001}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens}, "the shortest prompt, not the round figure")
	skus, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(skus, func(r discovery.ProviderPricing) bool { return r.TierThresholdTokens == 200_000 }), "FetchGeminiPricing has the round figure")
	assert.Equal(t, 1, s.count("cloudbilling"), "both have one cache")
}

// Where the live list has a model without understood prices, those of the table hold.
// textRows returns the rows for text.
func textRows(rows []discovery.ProviderPricing) []discovery.ProviderPricing {
	return slices.DeleteFunc(rows, func(r discovery.ProviderPricing) bool { return r.Modality != discovery.ModalityText })
}

func TestLiveRowsWithoutAPriceAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
		"Generate content input token count gemini 2.5 pro short input text", "1300",
		"Generate content output token count gemini 2.5 pro short input text", "10000",
		"Generate content cached input token count gemini 2.5 pro long input text", "250",
		"Generate content cached input token count gemini 3.5 flash text", "150",
		"Generate content cached input token count gemini 9 flash text", "150",
	))})
	c := s.client(t, keyOf(discovery.ServiceCloudBilling))
	table := discovery.BuiltInPrices()
	rows := live(t, c).Of(discovery.Gemini, "gemini-3.5-flash")
	for i, row := range textRows(table.Of(discovery.Gemini, "gemini-3.5-flash")) {
		assert.Equal(t, []any{row.Source, row.InputPerMTok, row.OutputPerMTok}, []any{rows[i].Source, rows[i].InputPerMTok, rows[i].OutputPerMTok})
	}

	rows = live(t, c).Of(discovery.Gemini, "gemini-2.5-pro")
	assert.Equal(t, discovery.SourceCloudBilling, rows[0].Source)
	assert.InDelta(t, 1.3, *rows[0].InputPerMTok, 0)
	assert.NotEqual(t, discovery.SourceCloudBilling, rows[1].Source)
	assert.InDelta(t, 2.5, *rows[1].InputPerMTok, 0)
	assert.Equal(t, int64(200_001), rows[1].TierThresholdTokens)
	for tokens, want := range map[int64]string{200_000: "0.26", 200_001: "0.5000025"} {
		usd, _ := exact(t, c, discovery.Gemini, "gemini-2.5-pro", discovery.Usage{Input: tokens}, time.Time{})
		assert.Equal(t, want, usd)
	}
	assert.Empty(t, live(t, c).Of(discovery.Gemini, "gemini-9-flash"), "no row without any price")
	assert.Empty(t, s.failures)
}

// A SKU without an id in the list is listed under its own name, and found under the id.
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
	for _, row := range list.Rows(discovery.Gemini) {
		if row.Source == discovery.SourceCloudBilling {
			names = append(names, row.ModelHint)
		}
	}
	assert.Contains(t, names, "gemini-2.5-flash")
	assert.Contains(t, names, "gemini 9 flash")
	assert.NotContains(t, names, "gemini 2.5 flash")
	checkCosts(t, list, []costCase{{"by id", discovery.Gemini, "models/gemini-9-flash", time.Now().UTC().Format(time.RFC3339), thousand, "", "0.003", ""}})
}

// Rows of With precede live rows, whichever of the two were added first.
func TestOwnPricesPrecedeLiveOnes(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	own := discovery.ProviderPricing{Provider: discovery.XAI, ModelHint: "grok-4.7", InputPerMTok: ref(1_000.0), OutputPerMTok: ref(1_000.0)}
	before, err := c.LivePrices(t.Context(), mustWith(t, own))
	require.NoError(t, err)
	after, err := live(t, c).With(own)
	require.NoError(t, err)
	for _, list := range []*discovery.PriceList{before, after} {
		now := time.Now().UTC().Format(time.RFC3339)
		checkCosts(t, list, []costCase{
			{"own", discovery.XAI, "grok-4.7", now, thousand, "", "2", ""},
			{"live", discovery.XAI, "grok-new", now, thousand, "", "0.0035", ""},
		})
		assert.Equal(t, before.Of(discovery.XAI, "grok-4.7"), list.Of(discovery.XAI, "grok-4.7"))
	}
}

// Live rows are ordinary rows: a list that is given them has the same costs.
func TestWithLiveRowsChangesNoCost(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	list := live(t, s.client(t, keyOf(discovery.ServiceXAI)))
	copied := mustWith(t, list.Of(discovery.XAI, "grok-4.7")...)
	for _, tokens := range []int64{1, 199_999, 200_000, 200_001} {
		call := discovery.Call{Provider: discovery.XAI, Model: "grok-4.7", Usage: discovery.Usage{Input: tokens}, At: time.Now()}
		want, err := list.CostOf(call)
		require.NoError(t, err)
		got, err := copied.CostOf(call)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// A failed list leaves the live rows of an earlier call.
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

func TestLivePricesOfAnEndedContext(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err := s.client(t, keyOf(discovery.ServiceXAI), discovery.WithStrictErrors()).LivePrices(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, discovery.BuiltInPrices().Rows(""), list.Rows(""))
}

// A live list is cached for a day, and is not used for a day on which the table has another price.
func TestLivePricesEndWithTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)))
		s := newFakeServer(map[string]http.HandlerFunc{"cloudbilling": respond(skuRows(
			"Generate content input token count gemini 4 argon text", "2000", "Generate content output token count gemini 4 argon text", "10000",
		))})
		c := s.inProcess(keyOf(discovery.ServiceCloudBilling))
		usd, source := exact(t, c, discovery.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.Equal(t, []string{"0.012", discovery.SourceCloudBilling}, []string{usd, source})
		time.Sleep(5 * time.Hour) // 2026-12-01
		usd, source = exact(t, c, discovery.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.Equal(t, "0.024", usd)
		assert.NotEqual(t, discovery.SourceCloudBilling, source)
		assert.Equal(t, 1, s.count("cloudbilling"))
		time.Sleep(20 * time.Hour)
		_, source = exact(t, c, discovery.Gemini, "gemini-4-argon", thousand, time.Time{})
		assert.Equal(t, discovery.SourceCloudBilling, source)
		assert.Equal(t, 2, s.count("cloudbilling"))
	})
}

// The model of a call is an id and no hint: a part of a name may be the name of another model.
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
		usd, _ := exact(t, c, discovery.Gemini, model, thousand, time.Time{})
		assert.Equal(t, priced, usd == "0.003", "%s costs %q", model, usd)
		assert.Equal(t, priced, len(live(t, c).Of(discovery.Gemini, model)) > 0, model)
	}
	price, err := c.PricingForGeminiModel(t.Context(), "omni", discovery.GeminiPriceQuery{})
	require.NoError(t, err)
	require.NotNil(t, price, "a hint may be a part of the name")
}

// A live list has the prices of the provider itself.
func TestLivePricesAreNotThoseOfOtherVendors(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for model, want := range map[string]string{"x-ai/grok-4.7": "0.0035", "grok-new": "0.0035", "azure/grok-4.7": "", "azure/grok-new": "", "grok-4.7:free": ""} {
		usd, _ := exact(t, c, discovery.XAI, model, thousand, time.Time{})
		assert.Equal(t, want, usd, model)
	}
}
