package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// From a microsecond to 20 hours, percentiles are within 1 % of the exact ones.
func TestPercentilesAreNear(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n, spread := random.IntN(300)+1, random.Float64()*25
		var records []calls.Record
		var durations []float64
		for range n {
			r := priced(at(1), "1")
			r.Duration = max(time.Microsecond, time.Duration(math.Exp(random.Float64()*spread)*1000).Truncate(time.Microsecond))
			records, durations = append(records, r), append(durations, float64(r.Duration)/1e6)
		}
		slices.Sort(durations)
		tries := build(t, report.Options{}, records...).Failures.First
		require.Equal(t, n, tries.Timed)
		assert.InEpsilon(t, durations[(n*50+99)/100-1], *tries.P50MS, 0.01)
		assert.InEpsilon(t, durations[(n*95+99)/100-1], *tries.P95MS, 0.01)
	}
}

// The dearest 1 % costs between Low and High. Both are exact if no cost bucket is split.
func TestDearestCalls(t *testing.T) {
	t.Parallel()
	assert.Nil(t, build(t, report.Options{}, repeat(99, priced(at(1), "1"))...).Top.Dearest)
	exact := build(t, report.Options{}, append(repeat(198, priced(at(1), "1")), repeat(2, priced(at(1), "101"))...)...)
	assert.Equal(t, &report.Estimate{USD: "202", Low: "202", High: "202", Method: report.MethodCostBuckets}, exact.Top.Dearest)
	assert.Equal(t, 0.505, *exact.Top.DearestShare)
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var records []calls.Record
		var costs []int
		for range 1000 {
			cents := random.IntN(200) + 900 // many calls in each bucket
			records, costs = append(records, priced(at(1), formatCents(cents))), append(costs, cents)
		}
		slices.Sort(costs)
		want := 0
		for _, cents := range costs[990:] {
			want += cents
		}
		d := build(t, report.Options{}, records...).Top.Dearest
		assert.LessOrEqual(t, amount(t, d.Low).Cmp(amount(t, formatCents(want))), 0)
		assert.GreaterOrEqual(t, amount(t, d.High).Cmp(amount(t, formatCents(want))), 0)
		assert.Contains(t, []int{0, 1}, amount(t, d.High).Cmp(amount(t, d.USD)))
	}
}

func formatCents(cents int) prices.USD {
	return prices.USD(fmt.Sprintf("%d.%02d", cents/100, cents%100))
}
