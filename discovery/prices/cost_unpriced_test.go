package prices_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

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
			prices.UnpricedError{Provider: models.Anthropic, Model: "claude-99", What: prices.MissingModel},
			"prices: the cost is not known: model: claude-99 has no price in the list",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Mode: "Teleport"},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", What: prices.MissingMode, Name: "teleport"},
			"prices: the cost is not known: mode teleport: gpt-5.4 has no known price in this mode",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Usage: usage},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", What: prices.MissingCount, Name: "future_tokens", BoundUSD: "0.0175"},
			"prices: the cost is not known: count future_tokens: gpt-5.4 has no known price for this count",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "whisper-1", Usage: prices.Usage{Mode: "count:seconds"}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "whisper-1", What: prices.MissingDuration},
			"prices: the cost is not known: duration: whisper-1 is billed by duration",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5-pro", Usage: prices.Usage{CacheRead: 1}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5-pro", What: prices.MissingCacheRead},
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
