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

func TestRetiringModels(t *testing.T) {
	t.Parallel()
	chat := []byte(`{"prompt_tokens":1000000,"completion_tokens":100000,"total_tokens":1100000}`)
	use := func(p models.Provider, model string, usd prices.USD, status int) calls.Record {
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
	assert.Equal(t, []any{cost.USD, 1, prices.USD("3.5")}, []any{row.Same.USD, row.SameCalls, row.SameUSD})
	assert.Equal(t, []string{report.CodeRetired}, r.Codes)
	assert.Contains(t, r.Advice[0].Text, "o4-mini")
}

// A provider's dates don't apply on a platform.
func TestRetiringModelsOfPlatforms(t *testing.T) {
	t.Parallel()
	use := func(platform string, p models.Provider, model string) calls.Record {
		return calls.Record{Provider: p, Platform: platform, Model: model, Time: at(1), Status: 400, Usage: []byte(`{"input_tokens":1,"output_tokens":1}`), USD: "1"}
	}
	r := build(t, report.Options{},
		use("bedrock", models.Anthropic, "claude-opus-4-1-20250805"), use("openrouter", models.Anthropic, "claude-opus-4-1-20250805"),
		use("azure", models.OpenAI, "o4-mini"), use("vertex", models.Gemini, "gemini-2.5-pro"))
	require.Len(t, r.Retiring, 2)
	assert.Equal(t, []any{"vertex", models.StateRetired, "2026-10-20"}, []any{r.Retiring[0].Platform, r.Retiring[0].State, r.Retiring[0].Date})
	assert.Equal(t, []any{"bedrock", models.StateRetiring, "2027-01-08"}, []any{r.Retiring[1].Platform, r.Retiring[1].State, r.Retiring[1].Date})
}
