package discovery_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Of more than 180 days a bar is the sum of its neighbours. An unpriced call of any of them marks it.
func TestBarOfSeveralDaysCountsTheirUnpricedCalls(t *testing.T) {
	t.Parallel()
	amounts := make([]float64, 200)
	for i := range amounts {
		amounts[i] = 1
	}
	first := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ledger := discovery.NewLedger()
	for i := range amounts {
		ledger.Add(first.AddDate(0, 0, i), cost(discovery.OpenAI, "gpt-5.4", "0.5"))
	}
	ledger.Add(first.AddDate(0, 0, 1), nil)
	ledger.Add(first.AddDate(0, 0, 199), nil)
	var svg bytes.Buffer
	require.NoError(t, billedDays(amounts...).WithLedger(ledger).SVG(&svg))
	assert.Contains(t, svg.String(), "2026-05-01, counted: 1.000000 + 1 unpriced")
	assert.Contains(t, svg.String(), "2026-11-15, counted: 1.000000 + 1 unpriced")
	assert.Contains(t, svg.String(), "2026-05-03, counted: 1.000000<")
}
