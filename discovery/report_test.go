package discovery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// nearest returns the float64 that math/big finds nearest.
func nearest(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// Drift and percentage are each rounded once, from the exact amounts: drift isn't
// computed from the rounded sum, nor the percentage from the rounded drift. Both
// providers get the same figures for the same amounts.
func TestReportFiguresAreRoundedOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 8))
	for range whole.Cases(500, 50) {
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

// The pages before a failed one aren't a bill, so the report has no figures.
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

// Neither providers nor JSON have infinite amounts or NaN, but a report built by a
// program can. They count as unknown.
func TestAmountsThatAreNotFiniteAreNotKnown(t *testing.T) {
	t.Parallel()
	type report = discovery.ReconciliationReport[discovery.CostBucket]
	sum := counted(map[int]prices.USD{1: "1", 2: "2"})
	for name, row := range map[string]struct {
		set func(r *report, usd float64)
		// bill reports whether the amount is part of the bill; then no calls make the
		// drift known.
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
				with := r.WithCalls(sum.Groups())
				_, known = with.Within(5)
				assert.Equal(t, !row.bill, known, "with calls")
				assert.Equal(t, !row.bill, with.DriftUSD != nil, "with calls")
				for _, shown := range []*report{r, with} {
					var table bytes.Buffer
					require.NoError(t, shown.Table(&table))
					assert.NotContains(t, table.String(), "NaN")
					assert.NotContains(t, table.String(), "Inf")
					assert.Equal(t, row.bill, bytes.Contains(table.Bytes(), []byte("the bill has an amount that is not finite")), table.String())
				}
			})
		}
	}
}

func TestReportJSON(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("2.5", "")))})
	q := costQuery()
	q.EndTime = 0
	r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"openai_actual_usd":2.5,"attributed_usd":null,"drift_usd":null,"drift_pct":null,"buckets":[`+asJSON(t, r.Buckets[0])+
		`],"window_start":1730419200,"window_end":null,"complete":true,"settled":false}`, asJSON(t, r))
	assert.Equal(t, asJSON(t, r), asJSON(t, *r))
	assert.Nil(t, r.WindowEnd)

	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1.5"))).inProcess().ReconcileXAICost(t.Context(), usageQuery(), ptr(1.0))
	require.NoError(t, err)
	assert.Equal(t, `{"xai_actual_usd":1.5,"attributed_usd":1,"drift_usd":0.5,"drift_pct":50,"buckets":[`+asJSON(t, x.Buckets[0])+
		`],"window_start":1777593600,"window_end":1778284800,"complete":true,"settled":true}`, asJSON(t, x))
	assert.Equal(t, models.XAI, x.Provider)

	assert.Contains(t, asJSON(t, discovery.ReconciliationReport[discovery.CostBucket]{Provider: "openai"}), `"buckets":[]`)
	_, err = json.Marshal(discovery.ReconciliationReport[discovery.CostBucket]{Provider: "deepseek"})
	require.ErrorContains(t, err, "deepseek")
}

func TestReportRoundTripsThroughJSON(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), ptr(0.25))
	var read discovery.ReconciliationReport[discovery.CostBucket]
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, r)), &read))
	assert.Equal(t, asJSON(t, r), asJSON(t, read))
	assert.Equal(t, *r, read)

	failed := reconcileOpenAI(t, newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")}), nil)
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, failed)), &read))
	assert.False(t, read.Complete)
	assert.Equal(t, models.OpenAI, read.Provider)

	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1.5"))).inProcess().ReconcileXAICost(t.Context(), usageQuery(), ptr(1.0))
	require.NoError(t, err)
	var team discovery.ReconciliationReport[discovery.TeamCostBucket]
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, x)), &team))
	assert.Equal(t, *x, team)

	for _, text := range []string{`{}`, `null`, `{"complete":true}`, `{"openai_actual_usd":1}`, `{"openai_actual_usd":1,"xai_actual_usd":1,"complete":true}`, `[]`} {
		before := read
		require.Error(t, json.Unmarshal([]byte(text), &read), text)
		assert.Equal(t, before, read)
	}
}

func twoDays() *fakeServer {
	return costs(map[string]string{"": costPage(false, "null", costDay(0, result("0.1", "")), costDay(1, result("0.2", "")))})
}

func reconcileOpenAI(t *testing.T, s *fakeServer, attributed *float64) *discovery.ReconciliationReport[discovery.CostBucket] {
	t.Helper()
	report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), attributed)
	require.NoError(t, err)
	require.NotNil(t, report)
	return report
}

func TestDriftIsComputedInDecimal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ attributed, drift, percent *float64 }{
		{nil, nil, nil},
		{ptr(0.3), ptr(0.0), ptr(0.0)},
		{ptr(0.25), ptr(0.05), ptr(20.0)},
		{ptr(0.4), ptr(-0.1), ptr(-25.0)},
		{ptr(0.0), ptr(0.3), nil},
		{ptr(math.Copysign(0, -1)), ptr(0.3), nil},
		{ptr(3e-7), ptr(0.2999997), ptr(99999900.0)},
		{ptr(1e300), ptr(-1e300), ptr(-100.0)},
		{ptr(5e-324), ptr(0.3), nil}, // more percent than a float holds
	} {
		r := reconcileOpenAI(t, twoDays(), row.attributed)
		assert.Equal(t, 0.3, r.ActualUSD)
		assert.Equal(t, row.attributed, r.AttributedUSD)
		assert.Equal(t, row.drift, r.DriftUSD)
		assert.Equal(t, row.percent, r.DriftPct)
		assert.True(t, r.Complete)
		assert.Len(t, r.Buckets, 2)
	}
}

func TestReportKeepsNoReferenceToTheArgument(t *testing.T) {
	t.Parallel()
	attributed := 0.25
	r := reconcileOpenAI(t, twoDays(), &attributed)
	attributed = 7
	assert.Equal(t, 0.25, *r.AttributedUSD)
}

func TestInvalidAttributedCosts(t *testing.T) {
	t.Parallel()
	for _, attributed := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := newFakeServer(nil)
		report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), &attributed)
		requireValueError(t, err, "attributedUSD")
		assert.Nil(t, report)
		team, err := s.inProcess().ReconcileXAICost(t.Context(), usageQuery(), &attributed)
		requireValueError(t, err, "attributedUSD")
		assert.Nil(t, team)
		assert.Empty(t, s.requests)
	}
}

// A failed call must not read as "billed nothing".
func TestReportWithoutAResponseIsNotComplete(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, ""), "xaimanagement": respondStatus(500, "")})
	for _, key := range []string{"", adminKey} {
		q, team := costQuery(), usageQuery()
		q.AdminKey, team.ManagementKey = discovery.NewSecret(key), discovery.NewSecret(key)
		r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, ptr(5.0))
		require.NoError(t, err)
		assert.Equal(t, `{"openai_actual_usd":0,"attributed_usd":5,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1730419200,"window_end":1731024000,"complete":false,"settled":true}`, asJSON(t, r))
		x, err := s.inProcess().ReconcileXAICost(t.Context(), team, ptr(0.0))
		require.NoError(t, err)
		assert.Equal(t, `{"xai_actual_usd":0,"attributed_usd":0,"drift_usd":null,"drift_pct":null,"buckets":[],`+
			`"window_start":1777593600,"window_end":1778284800,"complete":false,"settled":true}`, asJSON(t, x))
	}
	assert.Equal(t, []string{"openai missing_credential", "xai missing_credential", "openai status", "xai status"}, s.reasons())
	assert.Equal(t, "ReconcileOpenAICost", s.failures[0].Operation)
	assert.Equal(t, "ReconcileXAICost", s.failures[1].Operation)

	strict := s.inProcess(discovery.WithStrictErrors())
	r, err := strict.ReconcileOpenAICost(t.Context(), costQuery(), nil)
	var f *discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.False(t, r.Complete)
	x, err := strict.ReconcileXAICost(t.Context(), usageQuery(), nil)
	require.ErrorAs(t, err, &f)
	assert.False(t, x.Complete)
}

// A counted credit is a negative amount, for which a percentage has no meaning.
func TestAttributedCredits(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), ptr(-0.5))
	assert.InDelta(t, r.ActualUSD+0.5, *r.DriftUSD, 1e-12)
	assert.Nil(t, r.DriftPct)
	assert.Equal(t, -0.5, *r.AttributedUSD)
}
