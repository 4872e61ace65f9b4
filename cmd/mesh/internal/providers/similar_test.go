package providers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for unknown, want := range map[string]string{
		"gpt5.2": "gpt-5.2", "gpt-52-mini": "", "GPT 5.2": "gpt-5.2", "gtp-5.2": "gpt-5.2", "gpt-5.22": "gpt-5.2",
		"opus": "claude-opus-5-5", "sonnet": "claude-sonnet-5-5", "claude-opus": "claude-opus-5-5", "opus-4.6": "claude-opus-4-6",
		"claude-opus-55": "claude-opus-5-5", "gpt-4oo": "gpt-4o", "grok-47": "grok-4.7",
		"gpt-99": "", "gpt-5.9": "", "claude-opus-6": "", "gpt-no-such-model": "", "no-such-model": "", "bogus": "", "x": "", "": "", "-": "", "9": "",
	} {
		var first string
		if names := providers.Similar(prices.BuiltIn(), models.Retirements(), "", unknown, now); len(names) > 0 {
			first = names[0]
		}
		assert.Equal(t, want, first, unknown)
	}
	assert.Equal(t, []string{"claude-opus-5-5", "claude-opus-5", "claude-opus-4-8"}, providers.Similar(prices.BuiltIn(), models.Retirements(), models.Anthropic, "opus", now))
	assert.Empty(t, providers.Similar(prices.BuiltIn(), models.Retirements(), models.OpenAI, "opus", now), "another provider")
	later := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	assert.NotContains(t, providers.Similar(prices.BuiltIn(), models.Retirements(), "", "claude-opus-45", later), "claude-opus-4-5", "retired by then")
}
