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

// on parses a date or an RFC 3339 time.
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

// mustWith returns the built-in list with own rows added.
func mustWith(t testing.TB, rows ...prices.Row) *prices.List {
	t.Helper()
	list, err := prices.BuiltIn().With(rows...)
	require.NoError(t, err)
	return list
}

// usageCase is a line in testdata/usage_cases.jsonl: a usage object, and its cost
// computed by hand from the price list.
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

// costCase is a call with its expected cost or error.
type costCase struct {
	name     string
	provider models.Provider
	model    string
	date     string
	usage    prices.Usage
	mode     string
	want     string         // the exact cost, or "" if it's unknown
	missing  prices.Missing // UnpricedError.Missing
}

func (c costCase) call(t *testing.T) prices.Call {
	t.Helper()
	return prices.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: on(t, c.date), Mode: c.mode}
}

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

// The provider's charge is the cost, whatever the list says.
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
		"Usage.ToolUses":     {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ToolUses: map[string]int64{"web_search": -1}}},
		"Usage.Output":       {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{Output: -1, ChargedUSD: "1"}},
		"Usage.ChargedUSD":   {Provider: models.OpenAI, Model: "gpt-4o", At: at, Usage: prices.Usage{ChargedUSD: "-0.5"}},
	} {
		cost, err := prices.BuiltIn().CostOf(call)
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field)
			named := reflect.ValueOf(call)
			for part := range strings.SplitSeq(field, ".") {
				named = named.FieldByName(part)
			}
			assert.True(t, named.IsValid(), "%s is a field", field)
		}
		assert.NotErrorIs(t, err, prices.ErrUnpriced, field)
		assert.Zero(t, cost, field)
	}
}

// CostOf takes no context, so it can't wait for anything. It doesn't read a key either.
func TestCostOfReadsNoKey(t *testing.T) {
	t.Setenv("XAI_API_KEY", "a.key.of.the.tests")
	t.Setenv("GOOGLE_CLOUD_BILLING_API_KEY", "a.key.of.the.tests")
	for provider, model := range map[models.Provider]string{models.XAI: "grok-4.7", models.Gemini: "gemini-2.5-pro"} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: provider, Model: model, Usage: thousand, At: time.Now()})
		require.NoError(t, err)
		assert.NotContains(t, []string{discovery.SourceCloudBilling, discovery.SourceLanguageModels}, cost.Source)
	}
}
