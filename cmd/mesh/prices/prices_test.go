package prices

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := list(t, row("gpt-new", "1", "2026-11-20"), row("gpt-old", "1", "2026-01-01"), row("gpt-unknown", "1", "")).Rows("")
	var got []string
	for _, r := range stale(slices.Clone(rows), now, 30*24*time.Hour, true) {
		got = append(got, r.ModelHint)
	}
	assert.Equal(t, []string{"gpt-old", "gpt-unknown"}, got)
	assert.Empty(t, stale(rows[:1], now, 30*24*time.Hour, true))
}

func TestStaleLeavesDeprecatedModelsOut(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := prices.BuiltIn().ForModel(models.XAI, "grok-beta")
	assert.Empty(t, stale(slices.Clone(rows), now, 30*24*time.Hour, false))
	assert.Len(t, stale(slices.Clone(rows), now, 30*24*time.Hour, true), 1)
}
