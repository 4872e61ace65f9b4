package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	o := report.Options{From: time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Now: now}
	r, err := report.Read(o, "../../../../discovery/calls/testdata/sessions")
	require.NoError(t, err)
	assert.EqualValues(t, "0.4312824", r.Total.USD)
	assert.Equal(t, 42, r.Total.Calls)
	assert.EqualValues(t, "0", r.Total.SubscriptionUSD)
	assert.Equal(t, 7, r.Errors.Count)
	assert.Equal(t, &report.Sessions{Calls: 42, First: time.Date(2025, 10, 5, 8, 0, 5, 0, time.UTC), Assumed: 2}, r.Source.Sessions)
	const sentence = "42 calls are of session files, which begin on 2025-10-05: programs delete old ones (Claude Code after 30 days). They do not have failed calls, fees, and whether a subscription paid. The cache writes of 2 calls have no lifetime there; five minutes are assumed."
	assert.Contains(t, strings.ReplaceAll(textOf(t, r, 0), "\n", " "), sentence)
	var html strings.Builder
	require.NoError(t, page.Write(&html, r))
	assert.Contains(t, html.String(), sentence)

	o.Subscription = true
	r, err = report.Read(o, "../../../../discovery/calls/testdata/sessions")
	require.NoError(t, err)
	assert.Equal(t, r.Total.USD, r.Total.SubscriptionUSD)
	r, err = report.Read(o, "../../../../discovery/calls/testdata/calls.jsonl")
	require.NoError(t, err)
	assert.NotEqual(t, r.Total.USD, r.Total.SubscriptionUSD, "only calls of session files")
}
