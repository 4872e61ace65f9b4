package prices

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// row is an OpenAI model's price.
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

// A retired model's build can't be called, nor can an alias whose builds have all
// retired.
func TestStaleLeavesBuildsAndAliasesOfRetiredModelsOut(t *testing.T) {
	t.Parallel()
	key := func(id string) models.ModelKey { return models.ModelKey{Provider: models.OpenAI, ID: id} }
	registry := models.Registry{}.With(map[models.ModelKey]string{
		key("gpt-7"): "2026-01-01", key("gpt-8-2025-01-01"): "2026-01-01", key("gpt-9-2025-01-01"): "2026-01-01", key("gpt-10"): "2027-01-01",
	})
	var rows []prices.Row
	for _, id := range []string{"gpt-7-2025-01-01", "gpt-8", "gpt-9", "gpt-9-2026-01-01", "gpt-10-2025-01-01", "gpt-11"} {
		rows = append(rows, row(id, "2026-01-01"))
	}
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	var got []string
	for _, r := range stale(slices.Clone(rows), registry, now, 30*24*time.Hour, false) {
		got = append(got, r.ModelHint)
	}
	assert.Equal(t, []string{"gpt-9", "gpt-9-2026-01-01", "gpt-10-2025-01-01", "gpt-11"}, got)
	assert.Len(t, stale(rows, registry, now, 30*24*time.Hour, true), 6)
}

// A model without a retirement date is still sold after its preview.
func TestStaleListsModelsWhosePreviewEnded(t *testing.T) {
	t.Parallel()
	rows := prices.BuiltIn().ForModel(models.Gemini, "gemini-2.5-flash-lite")
	assert.NotEmpty(t, stale(slices.Clone(rows), models.Retirements(), time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), 30*24*time.Hour, false))
}
