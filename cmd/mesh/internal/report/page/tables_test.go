package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Rows for others show a mean cost per counted call, as single models do. A charged
// failed call isn't counted.
func TestOthersHaveTheMeanOfTheirRows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	r, err := report.Build(func(yield func(calls.Record, error) bool) {
		for i := range 300 {
			for _, one := range []calls.Record{{USD: "0.37", Status: 200}, {USD: "9", Status: 500}} {
				one.Provider, one.Model, one.Time = models.OpenAI, fmt.Sprintf("m%03d", i), now.AddDate(0, 0, -1)
				_ = yield(one, nil)
			}
		}
	}, report.Options{Now: now})
	require.NoError(t, err)
	assert.EqualValues(t, "0.37", r.Models[0].PerCallUSD)
	text := html(t, r)
	for _, row := range strings.Split(text, "<tr")[1:] {
		if strings.Contains(row, "others</") || strings.Contains(row, " others") {
			assert.Contains(t, row, "0.37", row)
		}
	}
	assert.Contains(t, text, " others")
}
