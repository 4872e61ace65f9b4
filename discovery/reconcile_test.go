package discovery_test

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// twoDays bills 0.1 and 0.2.
func twoDays() *site {
	return costs(map[string]string{"": costPage(false, "null", costDay(0, result("0.1", "")), costDay(1, result("0.2", "")))})
}

func reconcileOpenAI(t *testing.T, s *site, attributed *float64) *discovery.ReconciliationReport[discovery.CostBucket] {
	t.Helper()
	report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), attributed)
	require.NoError(t, err)
	require.NotNil(t, report)
	return report
}

func TestDriftIsThatOfTheDecimals(t *testing.T) {
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

func TestAReportKeepsNoReferenceToTheArgument(t *testing.T) {
	t.Parallel()
	attributed := 0.25
	r := reconcileOpenAI(t, twoDays(), &attributed)
	attributed = 7
	assert.Equal(t, 0.25, *r.AttributedUSD)
}

func TestAttributedMistakes(t *testing.T) {
	t.Parallel()
	for _, attributed := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := newSite(nil)
		report, err := s.inProcess().ReconcileOpenAICost(t.Context(), costQuery(), &attributed)
		valueError(t, err, "attributed USD")
		assert.Nil(t, report)
		team, err := s.inProcess().ReconcileXAICost(t.Context(), usageQuery(), &attributed)
		valueError(t, err, "attributed USD")
		assert.Nil(t, team)
		assert.Empty(t, s.asked)
	}
}

// A failed call must not read as "billed nothing".
func TestAReportWithoutAnAnswerIsNotComplete(t *testing.T) {
	t.Parallel()
	s := newSite(map[string]http.HandlerFunc{"openai": refuses(500, ""), "xaimanagement": refuses(500, "")})
	for _, key := range []string{"", adminKey} {
		q, team := costQuery(), usageQuery()
		q.AdminKey, team.ManagementKey = key, key
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
	var f discovery.Failure
	require.ErrorAs(t, err, &f)
	assert.False(t, r.Complete)
	x, err := strict.ReconcileXAICost(t.Context(), usageQuery(), nil)
	require.ErrorAs(t, err, &f)
	assert.False(t, x.Complete)
}

func TestReportsHaveTheNamesOfTheSourceDocument(t *testing.T) {
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
	assert.Equal(t, discovery.XAI, x.Provider)

	assert.Contains(t, asJSON(t, discovery.ReconciliationReport[discovery.CostBucket]{Provider: "openai"}), `"buckets":[]`)
	_, err = json.Marshal(discovery.ReconciliationReport[discovery.CostBucket]{Provider: "deepseek"})
	require.ErrorContains(t, err, "deepseek")
}

// Providers settle late: a window that reaches into today is marked.
func TestAWindowThatReachesIntoTodayIsNotSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(12 * time.Hour) // noon of 2000-01-01, UTC
		midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		s := newSite(map[string]http.HandlerFunc{"openai": says(costPage(false, "null")), "xaimanagement": says("{}")})
		for end, want := range map[int64]bool{midnight - day: true, midnight: true, midnight + 1: false, midnight + 100*day: false, 0: false} {
			q := costQuery()
			q.StartTime, q.EndTime = midnight-7*day, end
			r, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, want, r.Settled, end)
			assert.True(t, r.Complete)
		}
		for _, row := range []struct {
			end, zone string
			want      bool
		}{
			{"2000-01-01 00:00:00", "", true},
			{"2000-01-01 00:00:01", "", false},
			{"2000-01-01 00:00:00", "Asia/Tokyo", true},
			{"2000-01-01T00:00:00Z", "Asia/Tokyo", false},       // nine o'clock there
			{"2000-01-02 00:00:00", "Pacific/Kiritimati", true}, // there it is the 2nd already
		} {
			q := usageQuery()
			q.StartTime, q.EndTime, q.Timezone = "1999-12-01 00:00:00", row.end, row.zone
			r, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
			require.NoError(t, err)
			assert.Equal(t, row.want, r.Settled, "%v", row)
		}
	})
}
