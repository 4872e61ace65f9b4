package prices

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// row returns a row of a model of OpenAI.
func row(model, verified string) prices.Row {
	return prices.Row{Provider: models.OpenAI, ModelHint: model, InputPerMTok: "1", OutputPerMTok: "8", VerifiedAt: verified}
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := []prices.Row{row("gpt-new", "2026-11-20"), row("gpt-old", "2026-01-01"), row("gpt-unknown", "")}
	var got []string
	for _, r := range stale(slices.Clone(rows), models.Retirements(), now, 30*24*time.Hour, true) {
		got = append(got, r.ModelHint)
	}
	assert.Equal(t, []string{"gpt-old", "gpt-unknown"}, got)
	assert.Empty(t, stale(rows[:1], models.Retirements(), now, 30*24*time.Hour, true))
}

func TestStaleLeavesDeprecatedModelsOut(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := prices.BuiltIn().ForModel(models.XAI, "grok-beta")
	assert.Empty(t, stale(slices.Clone(rows), models.Retirements(), now, 30*24*time.Hour, false))
	assert.Len(t, stale(slices.Clone(rows), models.Retirements(), now, 30*24*time.Hour, true), 1)
}
