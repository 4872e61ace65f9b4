package usage

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// A clock without a battery can give the first or the last possible year.
func TestReportOfAllYears(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, at := range []time.Time{time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		writeCall(t, folder, at, `"usd":"1"`)
	}
	for name, from := range map[string]time.Time{"all": {}, "later": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} {
		from, to := (&Options{}).wholeDays(&costs.Sums{First: "0001-01-02", Last: "9999-12-31"}, from, time.Time{})
		r, err := report.Read(report.Options{From: from, To: to, Prices: prices.BuiltIn()}, folder)
		require.NoError(t, err, name)
		assert.Equal(t, map[string]int{"all": 3, "later": 2}[name], r.Total.Calls, name)
		assert.Equal(t, map[string]int{"all": 3_652_058, "later": 2_912_443}[name], r.Period.Days, name)
		_, err = json.Marshal(r)
		require.NoError(t, err, name)
		require.NoError(t, r.WriteText(io.Discard, 80), name)
	}
}

// --fail-on has no minimum number of calls, unlike advice, and names the period.
func TestFailOn(t *testing.T) {
	t.Parallel()
	day := time.Now().UTC().AddDate(0, 0, -1)
	const ok, failed, unpriced = `"usd":"1","status":200`, `"usd":"0","status":500`, `"usd":null,"unpriced":"openai: unknown cost: model: m","status":200`
	for name, c := range map[string]struct {
		good, bad int
		more      string
		found     string
	}{
		"nothing":             {300, 0, ok, ""},
		"1 of 300 unpriced":   {299, 1, unpriced, "mesh: --fail-on unpriced: 1 call has no known cost: "},
		"49 of 99 calls fail": {50, 49, failed, "mesh: --fail-on errors: Look at the errors of m: 49 of 99 calls failed.\n"},
	} {
		folder := t.TempDir()
		for range c.good {
			writeCall(t, folder, day, ok)
		}
		for range c.bad {
			writeCall(t, folder, day, c.more)
		}
		var errs strings.Builder
		err := (&Options{App: &app.App{Out: io.Discard, Errs: &errs, Format: "text"}, paths: []string{folder}, failOn: []string{"errors", "unpriced"}}).run()
		assert.Equal(t, exit.If(c.found != ""), err, name)
		period := fmt.Sprintf("mesh: --fail-on checks %d calls, %s to ", c.good+c.bad, day.Format("2 Jan"))
		assert.Contains(t, errs.String(), period, name)
		assert.Contains(t, errs.String(), c.found, name)
	}
}
