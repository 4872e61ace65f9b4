package update

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func list(t *testing.T, rows ...prices.Row) *prices.List {
	t.Helper()
	l, err := new(prices.List).With(rows...)
	require.NoError(t, err)
	return l
}

// row is an OpenAI model's price.
func row(model string, input prices.USD, verified string) prices.Row {
	return prices.Row{Provider: models.OpenAI, ModelHint: model, InputPerMTok: input, OutputPerMTok: "8", VerifiedAt: verified, Source: "https://example.com"}
}

func TestDiffNamesAddedChangedAndRemovedRows(t *testing.T) {
	t.Parallel()
	before := list(t, row("gpt-a", "1", "2026-01-01"), row("gpt-b", "2", "2026-01-01"), row("gpt-c", "3", "2026-01-01"))
	after := list(t, row("gpt-b", "2", "2026-11-01"), row("gpt-c", "4", "2026-11-01"), row("gpt-d", "5", "2026-11-01"))
	var got []string
	for _, change := range changes(before, after) {
		assert.Equal(t, change.Kind == "added", change.Old == nil)
		assert.Equal(t, change.Kind == "removed", change.New == nil)
		got = append(got, strings.Join(change.cells(), " "))
	}
	assert.Equal(t, []string{"changed openai gpt-c - - - 3 > 4 - 8", "added openai gpt-d - - - 5 - 8", "removed openai gpt-a - - - 1 - 8"}, got)
	assert.Empty(t, changes(before, before))
}
