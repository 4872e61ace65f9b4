package discovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Every model that has a price is known to Check: with its date, or as listed without one. The ids without a date are no keys
// of the registry.
func TestEveryModelOfThePriceTableIsKnownToCheck(t *testing.T) {
	t.Parallel()
	registry, day, listed := discovery.Retirements(), noon(t, "2026-11-21"), 0
	for _, p := range []discovery.Provider{discovery.OpenAI, discovery.DeepSeek, discovery.Anthropic, discovery.Gemini, discovery.XAI} {
		for _, row := range discovery.BuiltInPrices().Rows(p) {
			status := registry.Check(p, row.ModelHint, day)
			assert.NotEqual(t, discovery.StateUnknown, status.State, row.ModelHint)
			assert.NotEmpty(t, status.Matched, row.ModelHint)
			if status.State == discovery.StateListed {
				listed++
				assert.NotContains(t, registry, discovery.ModelKey{Provider: p, ID: row.ModelHint})
			}
			typo := registry.Check(p, row.ModelHint+"x", day)
			assert.Equal(t, discovery.RetirementStatus{State: discovery.StateUnknown}, typo, row.ModelHint+"x")
		}
	}
	assert.Greater(t, listed, 100)
}
