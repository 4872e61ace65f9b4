package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// From the 15th day on, text, notes and page say how old the prices are.
func TestOldPrices(t *testing.T) {
	t.Parallel()
	for day, sentence := range map[string]string{
		"2026-11-08": "",
		"2026-11-07": "Prices: the table is from 2026-11-07, 15 days old; mesh update gets the newest.",
	} {
		list, err := new(prices.List).With(prices.Row{Provider: models.OpenAI, ModelHint: "gpt-5", InputPerMTok: "1", OutputPerMTok: "1", VerifiedAt: day})
		require.NoError(t, err)
		r := build(t, report.Options{Prices: list}, someRecords(20, 20)...)
		var notes strings.Builder
		require.NoError(t, r.WriteNotes(&notes, 0))
		var html strings.Builder
		require.NoError(t, page.Write(&html, r))
		for _, text := range []string{textOf(t, r, 0), notes.String(), html.String()} {
			assert.Equal(t, sentence != "", strings.Contains(text, "Prices: "), day)
			assert.Contains(t, text, sentence)
		}
	}
}
