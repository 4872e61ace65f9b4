package prices_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Messages that add up to the totals are priced one by one, and so are compactions next
// to them. An advisor counts as a separate call.
func TestIterations(t *testing.T) {
	t.Parallel()
	const message = `{"type":"message","input_tokens":60000,"output_tokens":500}`
	one := prices.Iteration{Input: 60_000, Output: 500}
	for name, test := range map[string]struct {
		usage string
		want  []prices.Iteration
		usd   prices.USD
	}{
		"two messages":              {`"input_tokens":120000,"output_tokens":1000,"iterations":[` + message + `,` + message + `]`, []prices.Iteration{one, one}, "0.0125"},
		"they do not add up":        {`"input_tokens":120000,"output_tokens":1001,"iterations":[` + message + `,` + message + `]`, nil, "0.0625025"},
		"a message has no counts":   {`"input_tokens":120000,"output_tokens":1000,"iterations":[` + message + `,` + message + `,{"type":"message"}]`, nil, "0.0625"},
		"one message":               {`"input_tokens":60000,"output_tokens":500,"iterations":[` + message + `]`, nil, "0.00625"},
		"types may be missing":      {`"input_tokens":120000,"output_tokens":1000,"iterations":[{"input_tokens":60000,"output_tokens":500},` + message + `]`, []prices.Iteration{one, one}, "0.0125"},
		"a compaction":              {`"input_tokens":60000,"output_tokens":500,"iterations":[{"type":"compaction","input_tokens":60000,"output_tokens":500},` + message + `]`, []prices.Iteration{one, one}, "0.0125"},
		"only a compaction":         {`"input_tokens":60000,"output_tokens":500,"iterations":[{"type":"compaction","input_tokens":60000,"output_tokens":500}]`, nil, "0.0625"},
		"a search":                  {`"input_tokens":120000,"output_tokens":1000,"server_tool_use":{"web_search_requests":2},"iterations":[` + message + `,` + message + `]`, []prices.Iteration{one, one}, "0.0325"},
		"writes without a lifetime": {`"input_tokens":2,"output_tokens":2,"cache_creation_input_tokens":90000,"cache_creation":{"ephemeral_1h_input_tokens":90000,"ephemeral_5m_input_tokens":0},"iterations":[{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":80000},{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":10000}]`, []prices.Iteration{{Input: 1, CacheWrite1h: 80_000, Output: 1}, {Input: 1, CacheWrite1h: 10_000, Output: 1}}, "0.0180012"},
		"an advisor":                {`"input_tokens":60000,"output_tokens":500,"iterations":[` + message + `,{"type":"advisor_message","model":"claude-opus-5-5","input_tokens":90000,"output_tokens":800}]`, []prices.Iteration{{Model: "claude-opus-5-5", Input: 90_000, Output: 800}}, "0.38225"},
		"an advisor of the model":   {`"input_tokens":60000,"output_tokens":500,"iterations":[{"type":"advisor_message","model":"claude-haiku-5-5","input_tokens":60000,"output_tokens":500}]`, []prices.Iteration{{Model: "claude-haiku-5-5", Input: 60_000, Output: 500}}, "0.0125"},
		"all of them": {
			`"input_tokens":120000,"output_tokens":1000,"iterations":[` + message + `,{"type":"advisor_message","model":"claude-opus-5-5","input_tokens":90000,"output_tokens":800},` + message + `]`,
			[]prices.Iteration{one, one, {Model: "claude-opus-5-5", Input: 90_000, Output: 800}}, "0.3885",
		},
	} {
		u, err := prices.ParseUsage(models.Anthropic, []byte("{"+test.usage+"}"))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, u.Iterations, name)
		call := prices.Call{Provider: models.Anthropic, Model: "claude-haiku-5-5", Usage: u, At: on(t, "2026-11-20")}
		cost, err := prices.BuiltIn().CostOf(call)
		require.NoError(t, err, name)
		assert.Equal(t, test.usd, cost.USD, name)
		requireLinesAddUp(t, &cost)
		usd, err := prices.BuiltIn().USDOf(call)
		require.NoError(t, err, name)
		assert.Equal(t, test.usd, usd, name)
	}
}

func TestLinesOfIterations(t *testing.T) {
	t.Parallel()
	u := prices.Usage{Input: 130_000, Output: 3, ToolUses: map[string]int64{"web_search": 1}, Iterations: []prices.Iteration{
		{Input: 10, Output: 1}, {Model: "claude-opus-5-5", Input: 7}, {Input: 129_970, Output: 1}, {Input: 20, Output: 1},
	}}
	call := prices.Call{Provider: models.Anthropic, Model: "claude-haiku-5-5", Usage: u, At: on(t, "2026-11-20")}
	cost, err := prices.BuiltIn().CostOf(call)
	require.NoError(t, err)
	assert.Equal(t, []prices.Line{
		{Kind: "web_search", ToolUses: 1, USDPerUse: "0.01", USD: "0.01"},
		{Kind: "input", Tokens: 30, USDPerMTok: "0.1", USD: "0.000003"},
		{Kind: "output", Tokens: 2, USDPerMTok: "0.5", USD: "0.000001"},
		{Kind: "input", Tokens: 7, USDPerMTok: "4", USD: "0.000028", Model: "claude-opus-5-5"},
		{Kind: "input", Tokens: 129_970, USDPerMTok: "0.5", USD: "0.064985"},
		{Kind: "output", Tokens: 1, USDPerMTok: "2.5", USD: "0.0000025"},
	}, cost.Lines)
	assert.EqualValues(t, 100_001, cost.TierThresholdTokens)
	assert.Equal(t, "standard", cost.Mode)

	// The other iterations still give a lower bound.
	call.Usage.Iterations[1].Model = "claude-none"
	_, err = prices.BuiltIn().CostOf(call)
	var unpriced *prices.UnpricedError
	require.ErrorAs(t, err, &unpriced)
	assert.Equal(t, "claude-none", unpriced.Model)
	assert.EqualValues(t, "0.0749915", unpriced.BoundUSD)

	for _, wrong := range [][]prices.Iteration{{{Input: 130_001}}, {{Input: -1}}, {{Output: 2}, {Output: 2}}, {{Model: "m", Input: -1}}, {{Model: "m", Input: 1 << 60}}} {
		call.Usage.Iterations = wrong
		_, err = prices.BuiltIn().CostOf(call)
		var value *prices.ValueError
		require.ErrorAs(t, err, &value)
		assert.Equal(t, "Usage.Iterations", value.Field)
	}
}
