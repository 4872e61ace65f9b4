package usage

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
)

// writeCall adds a line to the day's file.
func writeCall(t *testing.T, folder string, at time.Time, more string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(folder, at.Format(time.DateOnly)+"-a.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = fmt.Fprintf(file, `{"provider":"openai","model":"m","time":%q,"usage":null,%s}`+"\n", at.Format(time.RFC3339), more)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// A budget counts what providers behind OpenRouter bill, as the meter does.
func TestUsageLineCountsUpstreams(t *testing.T) {
	t.Parallel()
	now, folder := time.Date(2026, 11, 22, 19, 0, 0, 0, time.UTC), t.TempDir()
	writeCall(t, folder, now.Add(-time.Hour), `"usd":"0","platform":"openrouter","byok":true,"upstream_usd":"0.5"`)
	var out strings.Builder
	in, err := callsfiles.Open(nil, []string{folder}, false)
	require.NoError(t, err)
	a := &app.App{Out: &out, Errs: &out, Format: "text"}
	require.NoError(t, (&Options{App: a, in: in, budgets: []string{"1/day"}}).printLine(now))
	assert.Equal(t, "today 0.00 USD, 1 call, 1/day: 50 %\n", out.String())
}

// Lower bounds count. Subscriptions count, too, but not with chargesOnly.
func TestUsageLineSpendsAsTheMeter(t *testing.T) {
	t.Parallel()
	now, folder := time.Date(2026, 11, 22, 19, 0, 0, 0, time.UTC), t.TempDir()
	for _, more := range []string{`"usd":"1"`, `"usd":null,"unpriced":"closed","at_least_usd":"3"`, `"usd":"2","billing":"subscription"`} {
		writeCall(t, folder, now.Add(-time.Hour), more)
	}
	for chargesOnly, want := range map[bool]string{false: "5/day: 120 %", true: "5/day: 80 %"} {
		var out strings.Builder
		in, err := callsfiles.Open(nil, []string{folder}, false)
		require.NoError(t, err)
		a := &app.App{Out: &out, Errs: &out, Format: "text"}
		require.NoError(t, (&Options{App: a, in: in, budgets: []string{"5/day"}, chargesOnly: chargesOnly}).printLine(now))
		assert.Equal(t, "today at least 6.00 USD, 3 calls, 1 unpriced, "+want+"\n", out.String())
	}
}

// Several budgets must not read a file twice, nor files older than their periods.
func TestUsageLineReadsOnce(t *testing.T) {
	t.Parallel()
	now, folder := time.Date(2026, 11, 22, 19, 0, 0, 0, time.UTC), t.TempDir()
	const line = `"usd":"1"`
	writeCall(t, folder, now, line)
	writeCall(t, folder, now.AddDate(0, 0, -9), line)
	writeCall(t, folder, now.AddDate(0, -2, 0), line)
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	info, err := os.Stat(all[0])
	require.NoError(t, err)
	for budgets, want := range map[string]int64{"": 1, "5/day 6/day": 1, "5/day 100/month 90/month": 2, "5/day 1000 100/month": 3} {
		read := int64(0)
		in, err := callsfiles.Open(nil, []string{folder}, false)
		require.NoError(t, err)
		a := &app.App{Out: io.Discard, Errs: io.Discard, Format: "text"}
		o := &Options{App: a, in: in, budgets: strings.Fields(budgets)}
		o.selected.OnRead = func(bytes int) { read += int64(bytes) }
		require.NoError(t, o.printLine(now))
		assert.Equal(t, want*info.Size(), read, budgets)
	}
}

func TestUsageLine(t *testing.T) {
	t.Parallel()
	now, folder := time.Date(2026, 11, 22, 19, 0, 0, 0, time.UTC), t.TempDir()
	writeCall(t, folder, now.Add(-time.Hour), `"usd":"2.12","labels":{"user":"ann"}`)
	writeCall(t, folder, now.Add(-2*time.Hour), `"usd":"1","labels":{"user":"bob"}`)
	writeCall(t, folder, now.Add(-3*time.Hour), `"usd":null,"unpriced":"closed"`)
	writeCall(t, folder, now.AddDate(0, 0, -1), `"usd":"10","labels":{"user":"bob"}`)
	writeCall(t, folder, now.AddDate(0, -1, 0), `"usd":"100"`)
	for budgets, want := range map[string]string{
		"":                                     "today 3.12 USD, 3 calls, 1 unpriced",
		"5/day":                                "today 3.12 USD, 3 calls, 1 unpriced, 5/day: 62 %",
		"5/day 100/month 1000":                 "today 3.12 USD, 3 calls, 1 unpriced, 5/day: 62 %, 100/month: 13 %, 1000: 11 %",
		"2/day/label:user 20/month/label:user": "today 3.12 USD, 3 calls, 1 unpriced, 2/day/label:user: 106 % (ann), 20/month/label:user: 55 % (bob)",
		"0/day":                                "today 3.12 USD, 3 calls, 1 unpriced, 0/day: 100 %",
		"420/day":                              "today 3.12 USD, 3 calls, 1 unpriced, 420/day: <1 %",
	} {
		var out strings.Builder
		a := &app.App{Out: &out, Errs: &out, Format: "text"}
		in, err := callsfiles.Open(nil, []string{folder}, false)
		require.NoError(t, err)
		require.NoError(t, (&Options{App: a, in: in, budgets: strings.Fields(budgets)}).printLine(now))
		assert.Equal(t, want+"\n", out.String())
	}
	writeCall(t, folder, now.Add(-3*time.Hour), `"usd":null,"bound_usd":"0.5","unpriced":"a fee"`)
	var out strings.Builder
	in, err := callsfiles.Open(nil, []string{folder}, false)
	require.NoError(t, err)
	require.NoError(t, (&Options{App: &app.App{Out: &out, Errs: &out, Format: "text"}, in: in}).printLine(now))
	assert.Equal(t, "today at least 3.62 USD, 4 calls, 2 unpriced\n", out.String())
}
