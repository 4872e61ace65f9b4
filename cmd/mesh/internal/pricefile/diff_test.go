package pricefile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// list returns a price list of rows.
func list(t *testing.T, rows ...prices.Row) *prices.List {
	t.Helper()
	l, err := new(prices.List).With(rows...)
	require.NoError(t, err)
	return l
}

// row returns a row of a model of OpenAI.
func row(model, input, verified string) prices.Row {
	return prices.Row{Provider: models.OpenAI, ModelHint: model, InputPerMTok: input, OutputPerMTok: "8", VerifiedAt: verified, Source: "https://example.com"}
}

func TestDiffNamesAddedChangedAndRemovedRows(t *testing.T) {
	t.Parallel()
	before := list(t, row("gpt-a", "1", "2026-01-01"), row("gpt-b", "2", "2026-01-01"), row("gpt-c", "3", "2026-01-01"))
	after := list(t, row("gpt-b", "2", "2026-11-01"), row("gpt-c", "4", "2026-11-01"), row("gpt-d", "5", "2026-11-01"))
	var got []string
	for _, change := range pricefile.Diff(before, after) {
		model := change.Old
		if model == nil {
			model = change.New
		}
		got = append(got, change.Kind+" "+model.ModelHint)
	}
	assert.Equal(t, []string{"changed gpt-c", "added gpt-d", "removed gpt-a"}, got)
	assert.Empty(t, pricefile.Diff(before, before))
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := pricefile.Pricings(list(t, row("gpt-new", "1", "2026-11-20"), row("gpt-old", "1", "2026-01-01"), row("gpt-unknown", "1", "")).Rows(""))
	var got []string
	for _, r := range pricefile.Stale(rows, now, 30*24*time.Hour, true) {
		got = append(got, r.ModelHint)
	}
	assert.Equal(t, []string{"gpt-old", "gpt-unknown"}, got)
	assert.Empty(t, pricefile.Stale(rows[:1], now, 30*24*time.Hour, true))
}

func TestStaleLeavesDeprecatedModelsOut(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rows := pricefile.Pricings(prices.BuiltIn().ForModel(models.XAI, "grok-beta"))
	assert.Empty(t, pricefile.Stale(rows, now, 30*24*time.Hour, false))
	assert.Len(t, pricefile.Stale(rows, now, 30*24*time.Hour, true), 1)
}
