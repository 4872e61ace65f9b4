package prices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

// TestSourceKeys checks every price in the list. Calls files from older versions have
// text in place of keys.
func TestSourceKeys(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	tomorrow, err := facts.ReadFS(newfacts.Tomorrow())
	require.NoError(t, err)
	newer := prices.Of(tomorrow)
	own, err := prices.BuiltIn().With(prices.Row{Provider: models.OpenAI, ModelHint: "own", InputPerMTok: "1", OutputPerMTok: "2", Source: "our contract"})
	require.NoError(t, err)
	for _, list := range []*prices.List{prices.BuiltIn(), newer, own} {
		priced := 0
		for _, row := range list.Rows("") {
			for _, u := range []prices.Usage{{Input: 1}, {Input: 1, ChargedUSD: "1"}} {
				cost, err := list.CostOf(prices.Call{Provider: row.Provider, Model: row.ModelHint, At: at, Usage: u})
				if err != nil {
					continue
				}
				priced++
				assert.Equal(t, cost.Source, prices.SourceText(row.Provider, cost.SourceKey))
				assert.Less(t, len(cost.SourceKey), 100)
			}
		}
		assert.Greater(t, priced, 100)
	}
	for _, text := range []string{"", "OpenAI's price list", "https://example.com/pricing", "page+rocket", "our contract", "+", "@"} {
		assert.Equal(t, text, prices.SourceText(models.OpenAI, text))
	}
	assert.Equal(t, "OpenAI's pricing page; genai-prices 0.1.8; price table of 2026-12-01", prices.SourceText(models.OpenAI, "page+genai@2026-12-01"))
}
