package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// A cost names the tier and the mode that its prices are for.
func TestCostNamesItsTierAndMode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		model string
		u     discovery.Usage
		tier  int64
		mode  string
	}{
		{"gpt-5.4", discovery.Usage{Input: 272_000}, 0, "standard"},
		{"gpt-5.4", discovery.Usage{Input: 272_001}, 272_001, "standard"},
		{"gpt-5.4", discovery.Usage{Input: 1, Mode: "Batch"}, 0, "batch"},
		{"gpt-5.4", discovery.Usage{Input: 1, ChargedUSD: "1"}, 0, ""},
	} {
		cost, err := discovery.BuiltInPrices().CostOf(discovery.Call{Provider: discovery.OpenAI, Model: row.model, Usage: row.u, At: on(t, "2026-11-20")})
		require.NoError(t, err)
		assert.Equal(t, row.tier, cost.TierThresholdTokens, row)
		assert.Equal(t, row.mode, cost.Mode, row)
	}
}
