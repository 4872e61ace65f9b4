package prices_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// on returns a time given as a date or in RFC 3339.
func on(t *testing.T, text string) time.Time {
	t.Helper()
	layout := time.DateOnly
	if len(text) > len(layout) {
		layout = time.RFC3339
	}
	at, err := time.Parse(layout, text)
	require.NoError(t, err)
	return at
}

// mustWith returns the built-in list with rows of our own.
func mustWith(t testing.TB, rows ...prices.Row) *prices.List {
	t.Helper()
	list, err := prices.BuiltIn().With(rows...)
	require.NoError(t, err)
	return list
}

// usageCase is a line of testdata/usage_cases.jsonl: a usage object, and its cost computed by hand from the price list.
type usageCase struct {
	Provider models.Provider
	Model    string
	Date     string
	Usage    json.RawMessage
	Expected string `json:"expected_usd"`
	API, Why string
}

func usageCases(t testing.TB) []usageCase {
	t.Helper()
	file, err := os.Open("testdata/usage_cases.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var cases []usageCase
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c usageCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		cases = append(cases, c)
	}
	return cases
}

func TestCostOfWorkedCases(t *testing.T) {
	t.Parallel()
	cases := usageCases(t)
	require.Len(t, cases, 23)
	for _, c := range cases {
		usage, err := prices.ParseUsage(c.Provider, c.Usage)
		require.NoError(t, err, c.Why)
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: c.Provider, Model: c.Model, Usage: usage, At: on(t, c.Date)})
		require.NoError(t, err, c.Why)
		assert.EqualValues(t, c.Expected, cost.USD, "%s %s: %s", c.Provider, c.Model, c.Why)
	}
}

// costCase is a call and what it costs, or what is missing of its price.
type costCase struct {
	name     string
	provider models.Provider
	model    string
	date     string
	usage    prices.Usage
	mode     string
	want     string         // the exact cost, "" where it is not known
	missing  prices.Missing // UnpricedError.Missing
}

func (c costCase) call(t *testing.T) prices.Call {
	t.Helper()
	return prices.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: on(t, c.date), Mode: c.mode}
}

// checkCosts computes every case with a list.
func checkCosts(t *testing.T, list *prices.List, cases []costCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			cost, err := list.CostOf(c.call(t))
			usd, again := list.USDOf(c.call(t))
			assert.Equal(t, err, again)
			assert.EqualValues(t, c.want, usd)
			if c.want != "" {
				require.NoError(t, err)
				assert.EqualValues(t, c.want, cost.USD)
				return
			}
			assert.Zero(t, cost)
			require.ErrorIs(t, err, prices.ErrUnpriced)
			var unpriced *prices.UnpricedError
			require.ErrorAs(t, err, &unpriced)
			assert.Equal(t, c.missing, unpriced.Missing)
			assert.Equal(t, []any{c.provider, c.model}, []any{unpriced.Provider, unpriced.Model})
		})
	}
}

// thousand is a call of a thousand tokens of input and a thousand of output.
var thousand = prices.Usage{Input: 1_000, Output: 1_000}

func with(u prices.Usage, change func(*prices.Usage)) prices.Usage {
	change(&u)
	return u
}

func TestCostOfPeriodsAndTiers(t *testing.T) {
	t.Parallel()
	long := with(thousand, func(u *prices.Usage) { u.Input = 300_000 })
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"the last day of a price", models.OpenAI, "o3", "2025-06-09", thousand, "", "0.05", ""},
		{"the first day of the next", models.OpenAI, "o3", "2025-06-10", thousand, "", "0.01", ""},
		{"the end of the day is UTC", models.OpenAI, "o3", "2025-06-10T00:30:00+01:00", thousand, "", "0.05", ""},
		{"before the first price", models.OpenAI, "gpt-6.2-sol", "2026-11-16", thousand, "", "", "period"},
		{"after the last price", models.DeepSeek, "deepseek-chat", "2026-07-24", thousand, "", "", "period"},
		{"an ended long-context price", models.Anthropic, "claude-opus-4-6", "2026-03-12", long, "", "3.0375", ""},
		{"and after it", models.Anthropic, "claude-opus-4-6", "2026-03-13", long, "", "1.525", ""},
		{"a cache price that changed", models.Anthropic, "claude-sonnet-5-5", "2026-10-06", prices.Usage{CacheRead: 1_000}, "", "0.0002", ""},
		{"and after it", models.Anthropic, "claude-sonnet-5-5", "2026-10-07", prices.Usage{CacheRead: 1_000}, "", "0.0001", ""},
		{"a long prompt", models.OpenAI, "gpt-6.2-astra", "2026-11-20", long, "", "4.86", ""},
		{"its base row", models.OpenAI, "gpt-6.2-astra", "2026-11-20", thousand, "", "0.048", ""},
		{"xAI's older threshold is above 128000", models.XAI, "grok-4", "2026-08-01", prices.Usage{Input: 128_000}, "", "0.384", ""},
		{"xAI's older threshold plus one", models.XAI, "grok-4", "2026-08-01", prices.Usage{Input: 128_001}, "", "0.768006", ""},
		{"tool input does not choose the tier", models.Gemini, "gemini-2.5-pro", "2026-11-20", prices.Usage{Input: 200_000, ToolInput: 1_000}, "", "0.25125", ""},
		{"cached and written tokens do", models.OpenAI, "gpt-6-sol", "2026-11-20", prices.Usage{Input: 1, CacheRead: 272_000}, "", "0.108804", ""},
		{"nothing was used", models.OpenAI, "gpt-4o", "2026-11-20", prices.Usage{}, "", "0", ""},
	})
}

func TestCostOfWhatIsNotPriced(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"an unknown model", models.OpenAI, "gpt-99", day, thousand, "", "", "model"},
		{"a model of another provider", models.OpenAI, "claude-opus-5-5", day, thousand, "", "", "model"},
		{"a model that is listed without a price", models.Gemini, "gemini-pro-latest", day, thousand, "", "", "model"},
		{"the same, with nothing used", models.Anthropic, "claude-mythos-5-2", day, prices.Usage{}, "", "", "model"},
		{"a fine-tune is not its base", models.OpenAI, "ft:gpt-4o-2024-08-06:acme::x1", day, thousand, "", "", "model"},
		{"a build that is not listed", models.OpenAI, "gpt-4o-2026-02-03", day, thousand, "", "", "model"},
		{"a build of Claude costs what its model does", models.Anthropic, "claude-opus-4-6-20260205", day, thousand, "", "0.03", ""},
		{"an empty cell of cached input", models.OpenAI, "gpt-5-pro", day, prices.Usage{Input: 1, CacheRead: 1}, "", "", "cache_read"},
		{"the same without cached tokens", models.OpenAI, "gpt-5-pro", day, thousand, "", "0.135", ""},
		{"an empty cell of a cache write", models.OpenAI, "gpt-5.4", day, prices.Usage{CacheWrite5m: 1}, "", "", "cache_write_5m"},
		{"an empty cell of the longer write", models.OpenAI, "gpt-6-sol", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"an empty cell of the tier", models.XAI, "grok-4.5-latest", day, prices.Usage{Input: 200_000, CacheRead: 1}, "", "", "cache_read"},
		{"a price with one source is not billed by", models.Anthropic, "claude-3-sonnet-20240229", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"the hour of an old model", models.Anthropic, "claude-2.1", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"cached input that was filled in later", models.Gemini, "gemini-4-neon", day, prices.Usage{CacheRead: 1_000}, "", "0.00015", ""},
		{"a model whose prices have one source", models.Anthropic, "claude-mythos-5-2", day, thousand, "", "", "model"},
		{"a cached price with one source", models.OpenAI, "gpt-realtime-mini", day, prices.Usage{CacheRead: 1}, "", "", "cache_read"},
		{"a model with only a third party's price", models.OpenAI, "gpt-image-2.6-flare", day, thousand, "", "", "model"},
		{"the day from which a model is routed to its successor", models.Gemini, "gemini-2.5-pro", "2026-12-01", thousand, "", "", "period"},
		{"routed to its successor", models.Gemini, "gemini-2.5-pro", "2026-12-02", thousand, "", "0.0045", ""},
		{"routed to its successor, a long prompt", models.Gemini, "gemini-2.5-pro", "2026-12-02", prices.Usage{Input: 300_000}, "", "0.225", ""},
		{"routed to its successor after its promotion", models.Gemini, "gemini-2.5-pro", "2027-01-01", thousand, "", "0.009", ""},
		{"a search of the successor", models.Gemini, "gemini-2.5-pro", "2026-12-02", prices.Usage{ToolUses: map[string]int64{"grounding": 1}}, "", "", "tool"},
		{"writes that were filled in later", models.OpenAI, "gpt-6.2-astra", day, prices.Usage{CacheWrite5m: 1_000}, "", "0.01", ""},
		{"writes of a page without them", models.OpenAI, "gpt-4o", day, prices.Usage{CacheWrite5m: 1}, "", "", "cache_write_5m"},
		{"flex of a page without it", models.OpenAI, "gpt-6.2-sol", day, thousand, "flex", "", "mode"},
	})
}

// What the provider charged is the cost, whatever the list has.
func TestCostOfACharge(t *testing.T) {
	t.Parallel()
	usage, err := prices.ParseUsage(models.XAI, []byte(`{"prompt_tokens":125,"completion_tokens":48,"total_tokens":173,"cost_in_usd_ticks":37756000}`))
	require.NoError(t, err)
	for _, model := range []string{"grok-4.7", "grok-of-tomorrow"} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: "x-ai", Model: model, Usage: usage, Mode: "priority", At: time.Now()})
		require.NoError(t, err)
		assert.Equal(t, prices.Cost{
			Provider: models.XAI, Model: model, USD: "0.0037756", Source: "charged by the provider", SourceKey: "charged",
			Lines: []prices.Line{{Kind: "charged", Tokens: 173, USD: "0.0037756"}},
		}, cost)
	}
}

func TestFloat64OfACost(t *testing.T) {
	t.Parallel()
	for usd, want := range map[prices.USD]float64{
		"0.1": 0.1, "9007199254740993": 9007199254740992, "0.12345678901234567890": 0.12345678901234568, "0": 0, "": 0, "1e3": 0, "-1": -1,
	} {
		assert.InDelta(t, want, prices.Cost{USD: usd}.Float64(), 0, usd)
	}
}

func TestCostOfHasALineForEachKindOfToken(t *testing.T) {
	t.Parallel()
	cost, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.Anthropic, Model: "global.anthropic.claude-opus-4-5-20251101-v1:0", At: on(t, "2026-11-20"), Mode: "batch",
		Usage: prices.Usage{Input: 1, ToolInput: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5, Output: 6},
	})
	require.NoError(t, err)
	assert.Equal(t, []prices.Line{
		{Kind: "input", Tokens: 1, USDPerMTok: "2.5", USD: "0.0000025"}, {Kind: "tool_input", Tokens: 2, USDPerMTok: "2.5", USD: "0.000005"}, {Kind: "cache_read", Tokens: 3, USDPerMTok: "0.25", USD: "0.00000075"},
		{Kind: "cache_write_5m", Tokens: 4, USDPerMTok: "3.125", USD: "0.0000125"}, {Kind: "cache_write_1h", Tokens: 5, USDPerMTok: "5", USD: "0.000025"}, {Kind: "output", Tokens: 6, USDPerMTok: "12.5", USD: "0.000075"},
	}, cost.Lines)
	assert.EqualValues(t, "0.00012075", cost.USD)
	assert.InDelta(t, 0.00012075, cost.Float64(), 0)
	assert.Equal(t, "2026-10-24", *cost.VerifiedAt)
	assert.Contains(t, cost.Source, "Anthropic's pricing page")
	assert.Equal(t, "global.anthropic.claude-opus-4-5-20251101-v1:0", cost.Model)
}

func TestInvalidCallsAreValueErrors(t *testing.T) {
	t.Parallel()
	at := on(t, "2026-11-20")
	for field, call := range map[string]prices.Call{
		"Provider":           {Provider: "No_Body", Model: "m", At: at},
		"Model":              {Provider: models.OpenAI, Model: " ", At: at},
		"At":                 {Provider: models.OpenAI, Model: "gpt-4o"},
		"Usage.Input":        {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{Input: -1}},
		"Usage.ToolInput":    {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ToolInput: -1}},
		"Usage.CacheRead":    {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{CacheRead: 1 << 60}},
		"Usage.CacheWrite5m": {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{CacheWrite5m: -1}},
		"Usage.CacheWrite1h": {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{CacheWrite1h: -1}},
		"Usage.AudioInput":   {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{AudioInput: -1}},
		"Usage.ImageOutput":  {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ImageOutput: 1 << 60}},
		"Usage.Requests":     {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ToolUses: map[string]int64{"web_search": -1}}},
		"Usage.Output":       {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{Output: -1, ChargedUSD: "1"}},
		"Usage.ChargedUSD":   {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ChargedUSD: "-0.5"}},
	} {
		cost, err := prices.BuiltIn().CostOf(call)
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field)
		}
		assert.NotErrorIs(t, err, prices.ErrUnpriced, field)
		assert.Zero(t, cost, field)
	}
}

// What has no price in the list is never left out of a cost.
func TestCostOfCountsWithoutAPrice(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	for field, missing := range map[string]prices.Missing{
		"AudioInput": "audio", "AudioCacheRead": "audio", "AudioOutput": "audio", "ImageInput": "image", "ImageCacheRead": "image", "ImageOutput": "image",
	} {
		usage := thousand
		reflect.ValueOf(&usage).Elem().FieldByName(field).SetInt(1)
		checkCosts(t, prices.BuiltIn(), []costCase{{field, models.OpenAI, "gpt-4o", day, usage, "", "", missing}})
		checkCosts(t, mustWith(t, prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1"}),
			[]costCase{{field + " with a price of our own", models.OpenAI, "gpt-4o", day, usage, "", "", missing}})
	}
	searched := with(thousand, func(u *prices.Usage) { u.ToolUses = map[string]int64{"web_search": 0, "xx_search": 1} })
	_, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: searched, At: on(t, day)})
	assert.Equal(t, &prices.UnpricedError{Provider: models.XAI, Model: "grok-4.7", Missing: prices.MissingTool, Name: "xx_search", BoundUSD: "0.008"}, err)
	searched.ToolUses = map[string]int64{"web_search": 0}
	_, err = prices.BuiltIn().CostOf(prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: searched, At: on(t, day)})
	require.NoError(t, err)
}

// CostOf has no context: it can wait for nothing. It reads no key either.
func TestCostOfReadsNoKey(t *testing.T) {
	t.Setenv("XAI_API_KEY", "a.key.of.the.tests")
	t.Setenv("GOOGLE_CLOUD_BILLING_API_KEY", "a.key.of.the.tests")
	for provider, model := range map[models.Provider]string{models.XAI: "grok-4.7", models.Gemini: "gemini-2.5-pro"} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: provider, Model: model, Usage: thousand, At: time.Now()})
		require.NoError(t, err)
		assert.NotContains(t, []string{discovery.SourceCloudBilling, discovery.SourceLanguageModels}, cost.Source)
	}
}

// Other vendors sell the models of DeepSeek and xAI at prices of their own, and a marketplace has several prices for one model.
func TestModelsOfOtherVendorsHaveNoListedPrice(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider models.Provider
		model    string
		priced   bool
	}{
		{models.DeepSeek, "deepseek-v4-pro", true},
		{models.DeepSeek, "deepseek/deepseek-v4-pro", true},
		{models.DeepSeek, "deepseek-ai/DeepSeek-V4-Pro", true},
		{models.DeepSeek, "fireworks/deepseek-v4-pro", false},
		{models.DeepSeek, "Azure/DeepSeek-V4-Pro", false},
		{models.DeepSeek, "together/deepseek-ai/deepseek-v4-pro", false},
		{models.DeepSeek, "deepseek/deepseek-v4-pro:free", false},
		{models.XAI, "grok-4.7", true},
		{models.XAI, " X-AI/Grok-4.7\n", true},
		{models.XAI, "xai/grok-4-7", true},
		{models.XAI, "azure/grok-4.7", false},
		{models.XAI, "x-ai/grok-4.7:free", false},
		{models.OpenAI, "openai/gpt-4o", true},
		{models.OpenAI, "azure/gpt-4o", false},
		{models.OpenAI, "openai/gpt-4o:nitro", false},
		{models.OpenAI, "gpt-4o:FREE", false},
		{models.Anthropic, "anthropic/claude-opus-4.8", true},
		{models.Anthropic, "anthropic/claude-opus-4.8:thinking", false},
		{models.Gemini, "models/gemini-2.5-pro", true},
		{models.Gemini, "google/gemini-2.5-pro:free", false},
	} {
		call := prices.Call{Provider: row.provider, Model: row.model, Usage: prices.Usage{Input: 1_000}, At: on(t, "2026-10-20")}
		_, err := prices.BuiltIn().CostOf(call)
		assert.Equal(t, row.priced, err == nil, row)
		assert.Equal(t, row.priced, len(prices.BuiltIn().ForModel(row.provider, row.model)) > 0, row)

		own := mustWith(t, prices.Row{Provider: row.provider, ModelHint: row.model, InputPerMTok: "1000"})
		cost, err := own.CostOf(call)
		require.NoError(t, err, row)
		assert.EqualValues(t, "1", cost.USD, row)
	}
}

func TestUnpricedErrorNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	usage := with(thousand, func(u *prices.Usage) { u.Mode = "count:future_tokens" })
	for _, row := range []struct {
		call prices.Call
		want prices.UnpricedError
		text string
	}{
		{
			prices.Call{Provider: "claude", Model: "claude-99"},
			prices.UnpricedError{Provider: models.Anthropic, Model: "claude-99", Missing: prices.MissingModel},
			"prices: the cost is not known: model: claude-99 has no price in the list",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Mode: "Teleport"},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", Missing: prices.MissingMode, Name: "teleport"},
			"prices: the cost is not known: mode teleport: gpt-5.4 has no known price in this mode",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Usage: usage},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", Missing: prices.MissingCount, Name: "future_tokens", BoundUSD: "0.0175"},
			"prices: the cost is not known: count future_tokens: gpt-5.4 has no known price for this count",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "whisper-1", Usage: prices.Usage{Mode: "count:seconds"}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "whisper-1", Missing: prices.MissingDuration},
			"prices: the cost is not known: duration: whisper-1 is billed by duration",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5-pro", Usage: prices.Usage{CacheRead: 1}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5-pro", Missing: prices.MissingCacheRead},
			"prices: the cost is not known: cache_read: gpt-5-pro has no known price of cache_read",
		},
	} {
		row.call.At = on(t, "2026-11-20")
		_, err := prices.BuiltIn().CostOf(row.call)
		assert.Equal(t, &row.want, err)
		assert.EqualError(t, err, row.text)
		assert.ErrorIs(t, err, prices.ErrUnpriced)
	}
}

// A key that was pasted in place of a model or a mode does not reach the text of the error.
func TestUnpricedErrorShowsNoKey(t *testing.T) {
	t.Parallel()
	pasted := strings.Repeat("k", 40)
	for _, call := range []prices.Call{{Model: pasted}, {Model: "gpt-4o", Mode: pasted}} {
		call.Provider, call.At = models.OpenAI, on(t, "2026-11-20")
		_, err := prices.BuiltIn().CostOf(call)
		require.ErrorIs(t, err, prices.ErrUnpriced)
		assert.NotContains(t, err.Error(), pasted)
	}
}
