package discovery_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// nearest is the float that math/big finds nearest to r.
func nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// Drift and percentage are each rounded once, from the exact amounts: not from the rounded sum, and the percentage not from
// the rounded drift. Both providers come to the same figures for the same amounts.
func TestReportFiguresAreRoundedOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 8))
	for range 500 {
		exact, results, points := new(big.Rat), []string(nil), []string(nil)
		for i := range 1 + random.IntN(8) {
			text := decimal(random.Int64N(3_000_000_000_000)-1_000_000_000, random.IntN(13))
			value, ok := new(big.Rat).SetString(text)
			require.True(t, ok)
			exact.Add(exact, value)
			results = append(results, result(text, ""))
			points = append(points, point(fmt.Sprintf("2026-05-0%dT00:00:00Z", i+1), text))
		}
		local := decimal(1+random.Int64N(1_000_000_000), random.IntN(10))
		attributed, err := strconv.ParseFloat(local, 64)
		require.NoError(t, err)
		counted, ok := new(big.Rat).SetString(local)
		require.True(t, ok)
		drift := new(big.Rat).Sub(exact, counted)
		percent := new(big.Rat).Quo(new(big.Rat).Mul(drift, big.NewRat(100, 1)), counted)

		open := reconcileOpenAI(t, costs(map[string]string{"": costPage(false, "null", costDay(0, results...))}), &attributed)
		team, err := usageOf(series("Chat", points...)).inProcess().ReconcileXAICost(t.Context(), usageQuery(), &attributed)
		require.NoError(t, err)
		for _, figures := range [][]*float64{{&open.ActualUSD, open.DriftUSD, open.DriftPct}, {&team.ActualUSD, team.DriftUSD, team.DriftPct}} {
			require.NotNil(t, figures[1])
			require.NotNil(t, figures[2])
			require.Equal(t, []float64{nearest(exact), nearest(drift), nearest(percent)}, []float64{*figures[0], *figures[1], *figures[2]}, "%s less %s", results, local)
		}
	}
}

// The pages before a failed one are not a bill, so the report has no figures.
func TestIncompleteReportHasNoFigures(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"":    costPage(true, `"two"`, costDay(0, result("5", ""))),
		"two": costPage(true, `"three"`, costDay(1, result("7", ""))),
	}
	for third, reason := range map[string]discovery.Reason{
		"": discovery.ReasonDecode, costPage(true, `"two"`): discovery.ReasonPartial, costPage(false, "null", costDay(0, result("1", ""))): discovery.ReasonDecode,
	} {
		pages["three"] = third
		s := costs(pages)
		r := reconcileOpenAI(t, s, ptr(12.0))
		f := requireOneFailure(t, s, reason)
		assert.Equal(t, "ReconcileOpenAICost", f.Operation)
		assert.Equal(t, 3, s.count("openai"))
		assert.Equal(t, `{"openai_actual_usd":0,"attributed_usd":12,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1730419200,"window_end":1731024000,"complete":false,"settled":true}`, asJSON(t, r))
	}
}
