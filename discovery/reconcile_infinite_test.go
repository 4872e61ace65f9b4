package discovery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// No provider and no JSON has an amount that is not finite, but a report built by a program can. It is an amount that is not known.
func TestAmountsThatAreNotFiniteAreNotKnown(t *testing.T) {
	t.Parallel()
	type report = discovery.ReconciliationReport[discovery.CostBucket]
	ledger := counted(map[int]string{1: "1", 2: "2"})
	for name, row := range map[string]struct {
		set func(r *report, usd float64)
		// bill reports whether the amount is a part of the bill, so that no ledger makes the drift known.
		bill bool
	}{
		"actual":     {func(r *report, usd float64) { r.ActualUSD = usd }, true},
		"bucket":     {func(r *report, usd float64) { r.Buckets[1].TotalUSD = usd }, true},
		"attributed": {func(r *report, usd float64) { r.AttributedUSD = &usd }, false},
		"drift":      {func(r *report, usd float64) { r.DriftUSD = &usd }, false},
		"percent":    {func(r *report, usd float64) { r.DriftPct = &usd }, false},
	} {
		for _, usd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			t.Run(fmt.Sprint(name, " ", usd), func(t *testing.T) {
				r := billedDays(1, 2)
				r.AttributedUSD, r.DriftUSD, r.DriftPct = ptr(3.0), ptr(0.0), ptr(0.0)
				row.set(r, usd)
				_, known := r.Within(5)
				assert.Equal(t, name == "percent", known)
				_, err := json.Marshal(r)
				require.Error(t, err)
				with := r.WithLedger(ledger)
				_, known = with.Within(5)
				assert.Equal(t, !row.bill, known, "with a ledger")
				assert.Equal(t, !row.bill, with.DriftUSD != nil, "with a ledger")
				for _, shown := range []*report{r, with} {
					var table, svg bytes.Buffer
					require.NoError(t, shown.Table(&table))
					require.NoError(t, shown.SVG(&svg))
					_, text := rectangles(t, svg.Bytes())
					for _, all := range []string{table.String(), text} {
						assert.NotContains(t, all, "NaN")
						assert.NotContains(t, all, "Inf")
						assert.Equal(t, row.bill, bytes.Contains([]byte(all), []byte("the bill has an amount that is not finite")), all)
					}
				}
			})
		}
	}
}
