package discovery_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestReportTable(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1234.5", "")), costDay(1, result("-0.25", "")), costDay(2, result("-1E-9", "")))})
	var text strings.Builder
	require.NoError(t, reconcileOpenAI(t, s, ptr(1200.0)).Table(&text))
	assert.Equal(t, ""+
		"      openai      USD\n"+
		"  2024-11-01  1234.50\n"+
		"  2024-11-02    -0.25\n"+
		"  2024-11-03     0.00\n"+
		"      billed  1234.25\n"+
		"     counted  1200.00\n"+
		"       drift   +34.25\n"+
		"     drift %    +2.85\n"+
		"missing in the bill: 2024-11-04, 2024-11-05, 2024-11-06, 2024-11-07\n", text.String())

	text.Reset()
	q := usageQuery()
	q.TimeUnit, q.EndTime = discovery.TimeUnitHour, "2126-05-09 00:00:00"
	x, err := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1"), point("2026-05-08T13:00:00Z", "2"))).inProcess().ReconcileXAICost(t.Context(), q, nil)
	require.NoError(t, err)
	require.NoError(t, x.Table(&text))
	assert.Equal(t, ""+
		"                  xai   USD\n"+
		"           2026-05-08  1.00\n"+
		"  2026-05-08 13:00:00  2.00\n"+
		"               billed  3.00\n"+
		"              counted     -\n"+
		"                drift     -\n"+
		"              drift %     -\n"+
		"not settled: the window reaches into today or beyond, so what is billed can still grow\n", text.String())

	text.Reset()
	failed := newFakeServer(map[string]http.HandlerFunc{"openai": respondStatus(500, "")})
	require.NoError(t, reconcileOpenAI(t, failed, ptr(5.0)).Table(&text))
	assert.Contains(t, text.String(), "billed     -")
	assert.Contains(t, text.String(), "not complete: the bill could not be read")
	assert.NotContains(t, text.String(), "0.00 ", "no figures")
}

// Rows are in cents, unless that hides an amount or a difference.
func TestReportTableOfSmallAmounts(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	r := billedDays(1.234567, 1.25, 0.000002).WithCalls(counted(map[int]prices.USD{1: "1.2345", 2: "1.24", 3: "0.000002"}).Groups())
	require.NoError(t, r.Table(&text))
	assert.Equal(t, []string{"2026-05-01 1.234567 1.234500", "2026-05-02 1.25 1.24", "2026-05-03 0.000002 0.000002", "billed 2.48", "counted 2.47", "drift +0.01"}, fields(text.String())[1:7])
}

// A note lists five days that are missing and counts the others.
func TestReportCountsMissingDays(t *testing.T) {
	t.Parallel()
	const five = "missing in the bill: 2024-11-01, 2024-11-02, 2024-11-03, 2024-11-04, 2024-11-05"
	for want, days := range map[string][]string{
		five + " and 2 more\n": nil,
		five + " and 1 more\n": {costDay(6, result("1", ""))},
		five + "\n":            {costDay(5, result("1", "")), costDay(6, result("1", ""))},
	} {
		var text strings.Builder
		s := costs(map[string]string{"": costPage(false, "null", days...)})
		require.NoError(t, reconcileOpenAI(t, s, nil).Table(&text))
		assert.Contains(t, text.String(), want)
	}
}

func TestReportReturnsTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	r := reconcileOpenAI(t, twoDays(), nil)
	full := errors.New("the disk is full")
	require.ErrorIs(t, r.Table(failingWriter{full}), full)
}
