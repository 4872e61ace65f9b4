package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// ownPrices has, in USD per million tokens: input 10, cache reads 1, cache writes 20,
// output 30.
func ownPrices(t *testing.T) *prices.List {
	t.Helper()
	own := prices.Row{Provider: models.Anthropic, ModelHint: "m", InputPerMTok: "10", CacheReadPerMTok: "1", CacheWrite5mPerMTok: "20", OutputPerMTok: "30", Source: "us"}
	list, err := prices.BuiltIn().With(own)
	require.NoError(t, err)
	return list
}

func TestCache(t *testing.T) {
	t.Parallel()
	record := func(usage string, usd prices.USD) calls.Record {
		return calls.Record{Provider: models.Anthropic, Model: "m", Time: at(1), Usage: []byte(usage), Status: 200, USD: usd}
	}
	const mixed = `{"input_tokens":100,"cache_read_input_tokens":800,"cache_creation_input_tokens":100,"output_tokens":10}`
	// 0.001 + 0.0008 + 0.002 + 0.0003 = 0.0041; without caches 1,000 · 10 / 1e6 + 0.0003
	// = 0.0103.
	r := build(t, report.Options{Prices: ownPrices(t)}, record(mixed, "0.0041"))
	assert.Equal(t, []string{"0.0062", "0.0103"}, []string{string(r.Cache.SavedUSD), string(r.Cache.WithoutUSD)})
	assert.Equal(t, []any{0.8, 1, 0}, []any{*r.Cache.Ratio, r.Cache.Calls, r.Cache.Skipped})
	require.Len(t, r.Cache.Models, 1)
	assert.Equal(t, "m", r.Cache.Models[0].Model)

	// Without other input, the input price isn't in the cost: 0.0008 + 0.0003, and 0.0083
	// without caches.
	const only = `{"input_tokens":0,"cache_read_input_tokens":800,"cache_creation_input_tokens":0,"output_tokens":10}`
	r = build(t, report.Options{Prices: ownPrices(t)}, record(only, "0.0011"))
	assert.Equal(t, []string{"0.0072", "0.0083"}, []string{string(r.Cache.SavedUSD), string(r.Cache.WithoutUSD)})

	// Writes that are never read cost more than input.
	const written = `{"input_tokens":100,"cache_read_input_tokens":0,"cache_creation_input_tokens":100,"output_tokens":0}`
	r = build(t, report.Options{Prices: ownPrices(t)}, record(written, "0.003"))
	assert.EqualValues(t, "-0.001", r.Cache.SavedUSD)

	r = build(t, report.Options{Prices: ownPrices(t)}, record(mixed, "0.0042"), record(`{"input_tokens":100,"output_tokens":10}`, "0.0013"))
	assert.Equal(t, []any{"0", "0.0055", 1, 1}, []any{string(r.Cache.SavedUSD), string(r.Cache.WithoutUSD), r.Cache.Calls, r.Cache.Skipped}, "the list gives another cost")
	assert.Empty(t, r.Cache.Models[0].SavedUSD, "what it saved is unknown, not 0")
	checkReport(t, r)
}
