package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// ownPrices are 10 USD per million tokens of input, 1 of reads from the cache, 20 of writes and 30 of output.
func ownPrices(t *testing.T) *prices.List {
	t.Helper()
	own := prices.Row{Provider: models.Anthropic, ModelHint: "m", InputPerMTok: "10", CacheReadPerMTok: "1", CacheWrite5mPerMTok: "20", OutputPerMTok: "30", Source: "us"}
	list, err := prices.BuiltIn().With(own)
	require.NoError(t, err)
	return list
}

func TestCache(t *testing.T) {
	t.Parallel()
	record := func(usage, usd string) calls.Record {
		return calls.Record{Provider: models.Anthropic, Model: "m", Time: at(1), Usage: []byte(usage), Status: 200, Complete: true, USD: usd}
	}
	const mixed = `{"input_tokens":100,"cache_read_input_tokens":800,"cache_creation_input_tokens":100,"output_tokens":10}`
	// 0.001 + 0.0008 + 0.002 + 0.0003 = 0.0041; without caches 1,000 · 10 / 1e6 + 0.0003 = 0.0103.
	r := build(t, report.Options{Prices: ownPrices(t)}, record(mixed, "0.0041"))
	assert.Equal(t, []string{"0.0062", "0.0103"}, []string{r.Cache.SavedUSD, r.Cache.WithoutUSD})
	assert.Equal(t, []any{0.8, 1, 0}, []any{*r.Cache.Ratio, r.Cache.Calls, r.Cache.Skipped})
	require.Len(t, r.Cache.Models, 1)
	assert.Equal(t, "m", r.Cache.Models[0].Model)

	// Without other input the price of input is in no line of the cost: 0.0008 + 0.0003, and 0.0083 without caches.
	const only = `{"input_tokens":0,"cache_read_input_tokens":800,"cache_creation_input_tokens":0,"output_tokens":10}`
	r = build(t, report.Options{Prices: ownPrices(t)}, record(only, "0.0011"))
	assert.Equal(t, []string{"0.0072", "0.0083"}, []string{r.Cache.SavedUSD, r.Cache.WithoutUSD})

	// Writes that are never read cost more than input.
	const written = `{"input_tokens":100,"cache_read_input_tokens":0,"cache_creation_input_tokens":100,"output_tokens":0}`
	r = build(t, report.Options{Prices: ownPrices(t)}, record(written, "0.003"))
	assert.Equal(t, "-0.001", r.Cache.SavedUSD)

	r = build(t, report.Options{Prices: ownPrices(t)}, record(mixed, "0.0042"), record(`{"input_tokens":100,"output_tokens":10}`, "0.0013"))
	assert.Equal(t, []any{"0", "0.0055", 1, 1}, []any{r.Cache.SavedUSD, r.Cache.WithoutUSD, r.Cache.Calls, r.Cache.Skipped}, "a cost that the list does not lead to")
	checkReport(t, r)
}

func TestRetiringModels(t *testing.T) {
	t.Parallel()
	chat := []byte(`{"prompt_tokens":1000000,"completion_tokens":100000,"total_tokens":1100000}`)
	use := func(p models.Provider, model, usd string, status int) calls.Record {
		return calls.Record{Provider: p, Model: model, Time: at(1), Usage: chat, Status: status, USD: usd, Labels: map[string]string{"project": "p-" + model}}
	}
	r := build(t, report.Options{},
		use(models.OpenAI, "o4-mini", "0", 404), use(models.OpenAI, "o4-mini", "0", 404), use(models.OpenAI, "gpt-4o", "3.5", 200), use(models.OpenAI, "gpt-4o", "", 500),
		use(models.OpenAI, "gpt-5-mini", "1", 200), use(models.OpenAI, "gpt-5.2", "9", 200))
	require.Len(t, r.Retiring, 3, "gpt-5.2 does not retire within 90 days")
	for i, want := range []struct {
		model string
		state models.RetirementState
		date  string
		days  int
	}{{"o4-mini", models.StateRetired, "2026-10-23", -30}, {"gpt-5-mini", models.StateRetiring, "2026-12-11", 19}, {"gpt-4o", models.StateRetiring, "2027-01-14", 53}} {
		row := r.Retiring[i]
		assert.Equal(t, want.model, row.Model)
		assert.Equal(t, []any{want.state, want.date, want.days}, []any{row.State, row.Date, row.Days}, want.model)
		assert.Equal(t, []string{"p-" + want.model}, row.Values)
		last := models.Retirements().Check(models.OpenAI, row.Replacement, now)
		assert.NotEqual(t, models.StateRetired, last.State)
	}
	assert.Nil(t, r.Retiring[0].Same, "no call has a cost")
	row := r.Retiring[2]
	require.NotNil(t, row.Same)
	usage, err := prices.ParseUsage(models.OpenAI, chat)
	require.NoError(t, err)
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: row.Replacement, Usage: usage, At: now})
	require.NoError(t, err)
	assert.Equal(t, []any{cost.USD, 1, "3.5"}, []any{row.Same.USD, row.SameCalls, row.SameUSD})
	assert.Equal(t, []string{report.CodeRetired}, r.Codes)
	assert.Contains(t, r.Advice[0].Text, "o4-mini")
}
