package sessions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
)

// reading adds to o what's needed to read sessions.
func reading(o report.Options) report.Options {
	r := sessions.New(nil)
	o.Decode, o.Join = r.Decode, r.Join
	return o
}

func TestSessions(t *testing.T) {
	t.Parallel()
	o := report.Options{Explain: true, From: time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	r, err := report.Read(reading(o), "testdata/home")
	require.NoError(t, err)
	assert.EqualValues(t, "0.452926", r.Total.USD)
	assert.Equal(t, 47, r.Total.Calls)
	assert.EqualValues(t, "0", r.Total.SubscriptionUSD)
	assert.Equal(t, 5, r.Errors.Count)
	assert.Equal(t, &report.Sessions{Calls: 47, First: time.Date(2025, 10, 5, 8, 0, 5, 0, time.UTC), Assumed: 4}, r.Source.Sessions)
	const sentence = "47 calls are from session files, which begin on 2025-10-05: programs delete old ones (Claude Code after 30 days). They have no failed calls or fees, and do not say whether a subscription paid. The cache writes in 4 calls have no lifetime there; five minutes are assumed."
	var text strings.Builder
	require.NoError(t, r.WriteText(&text, 0))
	assert.Contains(t, strings.ReplaceAll(text.String(), "\n", " "), sentence)
	assert.Contains(t, text.String(), "\n  mesh retired --used CALLS --within 14d\n")
	var html strings.Builder
	require.NoError(t, page.Write(&html, r))
	assert.Contains(t, html.String(), sentence)

	o.Subscription = true
	r, err = report.Read(reading(o), "testdata/home")
	require.NoError(t, err)
	assert.Equal(t, r.Total.USD, r.Total.SubscriptionUSD)
	r, err = report.Read(reading(o), "../../../../discovery/calls/testdata/calls.jsonl")
	require.NoError(t, err)
	assert.NotEqual(t, r.Total.USD, r.Total.SubscriptionUSD, "only session files' calls")
}

// The table says why cost per call times calls is less than the cost.
func TestCostsWithoutACall(t *testing.T) {
	t.Parallel()
	o := report.Options{From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	for folder, want := range map[string]bool{"claude-code-alpha": true, "pi": false} {
		for _, o.Explain = range []bool{true, false} {
			r, err := report.Read(reading(o), "testdata/2026-11/"+folder)
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, r.WriteText(&text, 0))
			assert.Equal(t, want, strings.Contains(text.String(), "Costs include usage that only session totals have"), text.String())
		}
	}
}
