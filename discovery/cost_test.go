package discovery_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
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

// pricing returns a client that logs nothing, and the failures that it reports.
func pricing(opts ...discovery.Option) (*discovery.Client, *[]discovery.Failure) {
	failures := new([]discovery.Failure)
	record := func(f discovery.Failure) { *failures = append(*failures, f) }
	return discovery.New(append([]discovery.Option{discovery.WithLogger(discardLogger), discovery.WithFailureHandler(record)}, opts...)...), failures
}

// usageCase is a line of testdata/usage_cases.jsonl: a usage object, and its cost computed by hand from the price list.
type usageCase struct {
	Provider discovery.Provider
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
	client, failures := pricing()
	cases := usageCases(t)
	require.Len(t, cases, 23)
	for _, c := range cases {
		usage, err := discovery.ParseUsage(c.Provider, c.Usage)
		require.NoError(t, err, c.Why)
		cost, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: c.Provider, Model: c.Model, Usage: usage, At: on(t, c.Date)})
		require.NoError(t, err)
		if assert.NotNil(t, cost, "%s: %v", c.Why, *failures) {
			assert.Equal(t, c.Expected, cost.Exact, "%s %s: %s", c.Provider, c.Model, c.Why)
		}
	}
}

// costCase is a call and what it costs, or what is missing of its price.
type costCase struct {
	name     string
	provider discovery.Provider
	model    string
	date     string
	usage    discovery.Usage
	mode     string
	want     string // the exact cost, "" where it is not known
	missing  string
}

func (c costCase) query(t *testing.T) discovery.CostQuery {
	t.Helper()
	return discovery.CostQuery{Provider: c.provider, Model: c.model, Usage: c.usage, At: on(t, c.date), Mode: c.mode}
}

// checkCosts computes every case with a client. A cost that is not known has one failure, which names what is missing.
func checkCosts(t *testing.T, cases []costCase, opts ...discovery.Option) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			client, failures := pricing(opts...)
			cost, err := client.CostOf(t.Context(), c.query(t))
			require.NoError(t, err)
			if c.want != "" {
				require.NotNil(t, cost, *failures)
				assert.Equal(t, c.want, cost.Exact)
				assert.Empty(t, *failures)
				return
			}
			assert.Nil(t, cost)
			require.Len(t, *failures, 1)
			assert.Equal(t, discovery.ReasonPartial, (*failures)[0].Reason)
			assert.Contains(t, (*failures)[0].Err.Error(), "not known: "+c.missing)
		})
	}
}

// thousand is a call of a thousand tokens of input and a thousand of output.
var thousand = discovery.Usage{Input: 1_000, Output: 1_000}

func with(u discovery.Usage, change func(*discovery.Usage)) discovery.Usage {
	change(&u)
	return u
}

func TestCostOfPeriodsAndTiers(t *testing.T) {
	t.Parallel()
	long := with(thousand, func(u *discovery.Usage) { u.Input = 300_000 })
	checkCosts(t, []costCase{
		{"the last day of a price", discovery.OpenAI, "o3", "2025-06-09", thousand, "", "0.05", ""},
		{"the first day of the next", discovery.OpenAI, "o3", "2025-06-10", thousand, "", "0.01", ""},
		{"the end of the day is UTC", discovery.OpenAI, "o3", "2025-06-10T00:30:00+01:00", thousand, "", "0.05", ""},
		{"before the first price", discovery.OpenAI, "gpt-6.2-sol", "2026-11-16", thousand, "", "", "period"},
		{"after the last price", discovery.DeepSeek, "deepseek-chat", "2026-07-24", thousand, "", "", "period"},
		{"an ended long-context price", discovery.Anthropic, "claude-opus-4-6", "2026-03-12", long, "", "3.0375", ""},
		{"and after it", discovery.Anthropic, "claude-opus-4-6", "2026-03-13", long, "", "1.525", ""},
		{"a cache price that changed", discovery.Anthropic, "claude-sonnet-5-5", "2026-10-06", discovery.Usage{CacheRead: 1_000}, "", "0.0002", ""},
		{"and after it", discovery.Anthropic, "claude-sonnet-5-5", "2026-10-07", discovery.Usage{CacheRead: 1_000}, "", "0.0001", ""},
		{"a tier without a price", discovery.OpenAI, "gpt-6.2-astra", "2026-11-20", long, "", "", "tier"},
		{"its base row", discovery.OpenAI, "gpt-6.2-astra", "2026-11-20", thousand, "", "0.048", ""},
		{"xAI's older threshold is above 128000", discovery.XAI, "grok-4", "2026-08-01", discovery.Usage{Input: 128_000}, "", "0.384", ""},
		{"xAI's older threshold plus one", discovery.XAI, "grok-4", "2026-08-01", discovery.Usage{Input: 128_001}, "", "0.768006", ""},
		{"tool input does not choose the tier", discovery.Gemini, "gemini-2.5-pro", "2026-11-20", discovery.Usage{Input: 200_000, ToolInput: 1_000}, "", "0.25125", ""},
		{"cached and written tokens do", discovery.OpenAI, "gpt-6-sol", "2026-11-20", discovery.Usage{Input: 1, CacheRead: 272_000}, "", "0.108804", ""},
		{"nothing was used", discovery.OpenAI, "gpt-4o", "2026-11-20", discovery.Usage{}, "", "0", ""},
	})
}

func TestCostOfWhatIsNotPriced(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	checkCosts(t, []costCase{
		{"an unknown model", discovery.OpenAI, "gpt-99", day, thousand, "", "", "model"},
		{"a model of another provider", discovery.OpenAI, "claude-opus-5-5", day, thousand, "", "", "model"},
		{"a model that is listed without a price", discovery.Gemini, "gemini-pro-latest", day, thousand, "", "", "model"},
		{"the same, with nothing used", discovery.Anthropic, "claude-mythos-5-2", day, discovery.Usage{}, "", "", "model"},
		{"a fine-tune is not its base", discovery.OpenAI, "ft:gpt-4o-2024-08-06:acme::x1", day, thousand, "", "", "model"},
		{"a build that is not listed", discovery.OpenAI, "gpt-4o-2026-02-03", day, thousand, "", "", "model"},
		{"a build of Claude costs what its model does", discovery.Anthropic, "claude-opus-4-6-20260205", day, thousand, "", "0.03", ""},
		{"an empty cell of cached input", discovery.OpenAI, "gpt-5-pro", day, discovery.Usage{Input: 1, CacheRead: 1}, "", "", "cache price"},
		{"the same without cached tokens", discovery.OpenAI, "gpt-5-pro", day, thousand, "", "0.135", ""},
		{"an empty cell of a cache write", discovery.OpenAI, "gpt-5.4", day, discovery.Usage{CacheWrite5m: 1}, "", "", "cache price"},
		{"an empty cell of the longer write", discovery.OpenAI, "gpt-6-sol", day, discovery.Usage{CacheWrite1h: 1}, "", "", "cache price"},
		{"an empty cell of the tier", discovery.XAI, "grok-4.5-latest", day, discovery.Usage{Input: 200_000, CacheRead: 1}, "", "", "cache price"},
		{"a price with one source is not billed by", discovery.Anthropic, "claude-3-sonnet-20240229", day, discovery.Usage{CacheWrite1h: 1}, "", "", "cache price"},
		{"the hour of a new model", discovery.Anthropic, "claude-fable-5-2", day, discovery.Usage{CacheWrite1h: 1}, "", "", "cache price"},
		{"and its five minutes", discovery.Anthropic, "claude-fable-5-2", day, discovery.Usage{CacheWrite5m: 1_000}, "", "0.01", ""},
	})
}

func TestCostOfModes(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	batch := with(thousand, func(u *discovery.Usage) { u.Mode = "batch" })
	audio := with(thousand, func(u *discovery.Usage) { u.Mode = "audio" })
	long := with(thousand, func(u *discovery.Usage) { u.Input = 300_000 })
	checkCosts(t, []costCase{
		{"a batch", discovery.OpenAI, "gpt-4o", day, batch, "", "0.00625", ""},
		{"a batch of the query", discovery.Anthropic, "claude-opus-5-5", day, thousand, "Batch", "0.012", ""},
		{"the query beats the usage", discovery.OpenAI, "gpt-4o", day, batch, "standard", "0.0125", ""},
		{"standard names", discovery.OpenAI, "gpt-4o", day, thousand, "default", "0.0125", ""},
		{"a batch with a long prompt", discovery.OpenAI, "gpt-6-sol", day, long, "batch", "0.6075", ""},
		{"a batch halves cache writes", discovery.Anthropic, "claude-opus-5-5", day, discovery.Usage{CacheWrite1h: 1_000}, "batch", "0.004", ""},
		{"flex", discovery.OpenAI, "gpt-5-nano", day, thousand, "flex", "0.000225", ""},
		{"flex of a model that does not offer it", discovery.OpenAI, "gpt-4o", day, thousand, "flex", "", "mode"},
		{"priority", discovery.OpenAI, "gpt-4o", day, thousand, "priority", "0.02125", ""},
		{"fast is priority", discovery.OpenAI, "gpt-5.5", day, thousand, "fast", "0.0875", ""},
		{"priority with a long prompt", discovery.OpenAI, "gpt-5.4", day, long, "priority", "", "mode"},
		{"priority of one source", discovery.OpenAI, "gpt-4.1-nano", day, thousand, "priority", "", "mode"},
		{"fast mode", discovery.Anthropic, "claude-opus-5-5", day, thousand, "fast", "0.048", ""},
		{"fast mode of one source", discovery.Anthropic, "claude-opus-4-7", day, thousand, "fast", "", "mode"},
		{"a region of one source", discovery.Anthropic, "claude-opus-5-5", day, thousand, "us", "", "mode"},
		{"a region", discovery.XAI, "grok-4.7", day, thousand, "us", "0.0088", ""},
		{"two modes at once", discovery.OpenAI, "gpt-5.4", day, thousand, "batch+eu", "", "mode"},
		{"an unknown mode", discovery.OpenAI, "gpt-5.4", day, thousand, "teleport", "", "mode"},
		{"a mode of DeepSeek", discovery.DeepSeek, "deepseek-flash", day, thousand, "batch", "", "mode"},
		{"Gemini's batch", discovery.Gemini, "gemini-2.5-pro", day, thousand, "batch", "0.005625", ""},
		{"Gemini's batch with cached input", discovery.Gemini, "gemini-2.5-pro", day, discovery.Usage{CacheRead: 1}, "batch", "", "cache price"},
		{"audio", discovery.OpenAI, "gpt-4o-audio-preview", day, audio, "", "", "mode"},
		{"the query does not hide audio", discovery.OpenAI, "gpt-4o-audio-preview", day, audio, "batch", "", "mode"},
		{"nor does standard", discovery.OpenAI, "gpt-4o-audio-preview", day, audio, "standard", "", "mode"},
	})
}

func TestCostOfDeepSeekByTheHour(t *testing.T) {
	t.Parallel()
	checkCosts(t, []costCase{
		{"flat before the peak prices, at a peak hour", discovery.DeepSeek, "deepseek-v4-flash", "2026-08-14T02:00:00Z", thousand, "", "0.00042", ""},
		{"flat off the peak too", discovery.DeepSeek, "deepseek-v4-flash", "2026-08-14T12:00:00Z", thousand, "", "0.00042", ""},
		{"peak", discovery.DeepSeek, "deepseek-v4-flash", "2026-08-17T01:00:00Z", thousand, "", "0.00176", ""},
		{"off the peak", discovery.DeepSeek, "deepseek-v4-flash", "2026-08-17T04:00:00Z", thousand, "", "0.00088", ""},
		{"a Saturday", discovery.DeepSeek, "deepseek-v4-pro", "2026-11-21T09:59:59Z", thousand, "", "0.00264", ""},
		{"the clock is UTC", discovery.DeepSeek, "deepseek-flash", "2026-11-18T09:00:00+08:00", thousand, "", "0.0015", ""},
		{"a peak price from before there were any", discovery.DeepSeek, "deepseek-v4-flash-vision-exp", "2026-08-16", thousand, "", "", "period"},
		{"half of an odd price is exact", discovery.DeepSeek, "deepseek-flash", "2026-11-18T12:00:00Z", discovery.Usage{CacheRead: 1}, "", "0.000000003", ""},
	})
}

// What the provider charged is the cost, whatever the table has.
func TestCostOfACharge(t *testing.T) {
	t.Parallel()
	usage, err := discovery.ParseUsage(discovery.XAI, []byte(`{"prompt_tokens":125,"completion_tokens":48,"total_tokens":173,"cost_in_usd_ticks":37756000}`))
	require.NoError(t, err)
	for _, model := range []string{"grok-4.7", "grok-of-tomorrow"} {
		client, failures := pricing()
		cost, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: "x-ai", Model: model, Usage: usage, Mode: "priority"})
		require.NoError(t, err)
		assert.Empty(t, *failures)
		assert.Equal(t, &discovery.CallCost{
			Provider: discovery.XAI, Model: model, USD: 0.0037756, Exact: "0.0037756", Source: "charged by the provider",
			Lines: []discovery.CostLine{{What: "charged", Tokens: 173, USD: "0.0037756"}},
		}, cost)
	}
}

func TestCostOfHasALineForEachKindOfToken(t *testing.T) {
	t.Parallel()
	client, _ := pricing()
	cost, err := client.CostOf(t.Context(), discovery.CostQuery{
		Provider: discovery.Anthropic, Model: "us.anthropic.claude-opus-4-5-20251101-v1:0", At: on(t, "2026-11-20"), Mode: "batch",
		Usage: discovery.Usage{Input: 1, ToolInput: 2, CacheRead: 3, CacheWrite5m: 4, CacheWrite1h: 5, Output: 6},
	})
	require.NoError(t, err)
	require.NotNil(t, cost)
	assert.Equal(t, []discovery.CostLine{
		{"input", 1, "2.5", "0.0000025"}, {"tool_input", 2, "2.5", "0.000005"}, {"cache_read", 3, "0.25", "0.00000075"},
		{"cache_write_5m", 4, "3.125", "0.0000125"}, {"cache_write_1h", 5, "5", "0.000025"}, {"output", 6, "12.5", "0.000075"},
	}, cost.Lines)
	assert.Equal(t, "0.00012075", cost.Exact)
	assert.InDelta(t, 0.00012075, cost.USD, 0)
	assert.Equal(t, "2026-10-24", *cost.VerifiedAt)
	assert.Contains(t, cost.Source, "Anthropic's pricing page")
	assert.Equal(t, "us.anthropic.claude-opus-4-5-20251101-v1:0", cost.Model)
}

func TestInvalidCostQueries(t *testing.T) {
	t.Parallel()
	client, failures := pricing()
	for field, query := range map[string]discovery.CostQuery{
		"provider":             {Provider: "nobody", Model: "m"},
		"model":                {Provider: discovery.OpenAI, Model: " "},
		"usage input":          {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{Input: -1}},
		"usage tool input":     {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{ToolInput: -1}},
		"usage cache read":     {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{CacheRead: 1 << 60}},
		"usage cache write 5m": {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{CacheWrite5m: -1}},
		"usage cache write 1h": {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{CacheWrite1h: -1}},
		"usage audio input":    {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{AudioInput: -1}},
		"usage image output":   {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{ImageOutput: 1 << 60}},
		"usage requests":       {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{Requests: map[string]int64{"web_search": -1}}},
		"usage output":         {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{Output: -1, ChargedUSD: "1"}},
		"usage charged USD":    {Provider: discovery.OpenAI, Model: "gpt-4o", Usage: discovery.Usage{ChargedUSD: "-0.5"}},
	} {
		cost, err := client.CostOf(t.Context(), query)
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field)
		}
		assert.Nil(t, cost, field)
	}
	assert.Empty(t, *failures)
}

func TestUnknownCostIsAStrictError(t *testing.T) {
	t.Parallel()
	client, _ := pricing(discovery.WithStrictErrors())
	cost, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: discovery.OpenAI, Model: "gpt-99"})
	assert.Nil(t, cost)
	var failure discovery.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "CostOf", failure.Operation)
}

// A key that was pasted in place of a model does not reach the failure.
func TestFailureOfACostShowsNoKey(t *testing.T) {
	t.Parallel()
	client, failures := pricing()
	pasted := strings.Repeat("k", 40)
	_, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: discovery.OpenAI, Model: pasted})
	require.NoError(t, err)
	require.Len(t, *failures, 1)
	assert.NotContains(t, (*failures)[0].Error(), pasted)
}
