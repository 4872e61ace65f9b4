// Recomputes numbers from mesh usage -o json in SQL, from the same calls files.
package main

import (
	_ "embed" // for the SQL
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// reportSQL has the report's definitions.
//
//go:embed report.sql
var reportSQL string

// counted and usageReport are the members in mesh usage -o json that are recomputed.
type counted struct {
	Calls, Unpriced, Counted int
	USD                      string
}

type usageReport struct {
	Period struct{ From, To time.Time }
	Errors struct{ Count int }
	Total  struct {
		counted
		Previous counted
	}
	Models []struct{ Model, USD string }
	Days   struct{ Rows []struct{ Day, USD string } }
	Change struct{ USD, More, Mix, Dearer string }
	Month  struct {
		USD      string
		Forecast *struct{ USD string }
	}
	Cache struct {
		SavedUSD string `json:"saved_usd"`
	}
}

// readReport runs mesh usage from the source code next to this module.
func readReport(t *testing.T, dir string) (r usageReport) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "run", ".", "usage", "-o", "json", dir)
	command.Dir = filepath.Join("..", "..", "cmd", "mesh")
	out, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &struct{ Report *usageReport }{&r}))
	return r
}

// reportedModels are text models with cache prices. The last has calls only in the
// period, the one before it only in the earlier period.
var reportedModels = []struct {
	provider models.Provider
	model    string
}{{models.OpenAI, "gpt-5.2"}, {models.OpenAI, "gpt-5.4"}, {models.Anthropic, "claude-sonnet-4-6"}, {models.Anthropic, "claude-opus-4-6"}, {models.Anthropic, "claude-opus-5"}}

// reportedCall makes up a call in the 90 days before now.
func reportedCall(random *rand.Rand, reported time.Time) call {
	c := call{at: reported.Add(-time.Duration(random.Int64N(int64(90 * 24 * time.Hour)))).Truncate(time.Microsecond)}
	i := random.IntN(len(reportedModels))
	if early := c.at.Before(reported.AddDate(0, 0, -30)); i >= 3 && early != (i == 3) {
		i = random.IntN(3)
	}
	c.provider, c.model = reportedModels[i].provider, reportedModels[i].model
	c.usage = prices.Usage{Input: random.Int64N(30_000) + 1, Output: random.Int64N(4000)}
	if random.IntN(2) == 0 {
		c.usage.CacheRead = random.Int64N(50_000)
	}
	if c.provider == models.Anthropic && random.IntN(3) == 0 {
		c.usage.CacheWrite5m = random.Int64N(20_000)
	}
	return c
}

// reportedRecord returns a call's record. One in thirty has no known cost, and one in
// twenty has an error status.
func reportedRecord(random *rand.Rand, c *call, usd prices.USD) calls.Record {
	u := &c.usage
	r := calls.Record{Provider: c.provider, Model: c.model, Time: c.at, Status: 200, USD: usd}
	if c.provider == models.Anthropic {
		r.Usage = fmt.Appendf(nil, `{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":%d}`,
			u.Input, u.CacheRead, u.CacheWrite5m, u.Output)
	} else {
		prompt := u.Input + u.CacheRead
		r.Usage = fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
			prompt, u.Output, prompt+u.Output, u.CacheRead)
	}
	switch random.IntN(60) {
	case 0, 1:
		r.USD, r.Unpriced = "", "the response was closed before its final counts"
	case 2, 3:
		r.Status, r.USD, r.Usage = 529, "0", nil
	case 4: // an error that costs something is in no mean
		r.Status, r.USD = 500, "0.000000000007"
	case 5:
		r.Status = 0
	}
	return r
}

// writeReported writes n calls to a file, and returns those priced with the list.
func writeReported(t *testing.T, n int) (dir string, listed []call) {
	t.Helper()
	dir = t.TempDir()
	random, now := rand.New(rand.NewPCG(7, 8)), time.Now().UTC()
	var text []byte
	for range n {
		c := reportedCall(random, now)
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: c.provider, Model: c.model, Usage: c.usage, At: c.at})
		require.NoError(t, err)
		r := reportedRecord(random, &c, cost.USD)
		line, err := json.Marshal(r)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
		if r.USD == cost.USD {
			listed = append(listed, c)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "calls.jsonl"), text, 0o600))
	return dir, listed
}

// inPeriod returns the period's calls. If uncached is set, all cached tokens become
// input.
func inPeriod(all []call, from, to time.Time, uncached bool) (some []call) {
	for _, c := range all {
		if c.at.Before(from) || !c.at.Before(to) {
			continue
		}
		if u := &c.usage; uncached {
			c.usage = prices.Usage{Input: u.Input + u.CacheRead + u.CacheWrite5m, Output: u.Output}
		}
		some = append(some, c)
	}
	return some
}

// plainUnits converts 1e-12 units to a plain decimal.
func plainUnits(t *testing.T, units string) string {
	t.Helper()
	n, ok := new(big.Rat).SetString(units)
	require.True(t, ok, units)
	n.Quo(n, big.NewRat(1_000_000_000_000, 1))
	places, _ := n.FloatPrec()
	return n.FloatString(places)
}

// Compares the sums, the change and its split, the month, and cache savings.
func TestReportAgreesWithTheWarehouse(t *testing.T) {
	t.Parallel()
	dir, listed := writeReported(t, 20_000)
	r := readReport(t, dir)
	require.Zero(t, r.Errors.Count)
	w, err := open(t.Context())
	require.NoError(t, err)
	defer w.Close()
	for _, statement := range []string{"SET VARIABLE dir = '" + dir + "'", "SET VARIABLE today = DATE '" + r.Period.To.Format(time.DateOnly) + "'", reportSQL} {
		_, err := w.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	text := func(query string) string {
		var value string
		require.NoError(t, w.QueryRowContext(t.Context(), query).Scan(&value), query)
		return value
	}
	for period, want := range map[string]counted{"1": r.Total.counted, "0": r.Total.Previous} {
		of := " FROM costs WHERE period = " + period
		assert.Equal(t, plainUnits(t, text("SELECT CAST(sum(usd) AS VARCHAR)"+of)), want.USD)
		assert.Equal(t, text("SELECT CAST(count(*) AS VARCHAR)"+of), fmt.Sprint(want.Calls))
		assert.Equal(t, text("SELECT CAST(count(*) - count(usd) AS VARCHAR)"+of), fmt.Sprint(want.Unpriced))
		assert.Equal(t, text("SELECT CAST(sum(n"+period+") AS VARCHAR) FROM counted"), fmt.Sprint(want.Counted))
	}
	for _, m := range r.Models {
		assert.Equal(t, plainUnits(t, text("SELECT CAST(coalesce(sum(usd), 0) AS VARCHAR) FROM costs WHERE period = 1 AND model = '"+m.Model+"'")), m.USD, m.Model)
	}
	for _, d := range r.Days.Rows {
		assert.Equal(t, plainUnits(t, text("SELECT CAST(usd AS VARCHAR) FROM daily WHERE day = '"+d.Day+"'")), d.USD, d.Day)
	}
	for column, usd := range map[string]string{"usd": r.Change.USD, "more": r.Change.More, "mix": r.Change.Mix, "dearer": r.Change.Dearer} {
		assert.Equal(t, plainUnits(t, text("SELECT CAST("+column+" AS VARCHAR) FROM split")), usd, column)
		assert.NotEqual(t, "0", usd, column)
	}
	require.NotNil(t, r.Month.Forecast)
	for column, usd := range map[string]string{"spent": r.Month.USD, "usd": r.Month.Forecast.USD} {
		exact, ok := new(big.Rat).SetString(usd)
		require.True(t, ok, column)
		assert.Equal(t, text("SELECT printf('%.2f', "+column+") FROM month"), exact.FloatString(2), column)
	}
	checkSaving(t, w, r, listed)
}

// checkSaving prices the period's calls in SQL, as they were and without caches.
func checkSaving(t *testing.T, w *warehouse, r usageReport, listed []call) {
	t.Helper()
	var sums [2]*big.Rat
	for i, uncached := range []bool{false, true} {
		_, err := w.ExecContext(t.Context(), "DELETE FROM calls")
		require.NoError(t, err)
		require.NoError(t, w.load(t.Context(), inPeriod(listed, r.Period.From, r.Period.To, uncached)))
		var sum string
		require.NoError(t, w.QueryRowContext(t.Context(), "SELECT CAST(sum(usd) AS VARCHAR) FROM priced_calls").Scan(&sum))
		sums[i], _ = new(big.Rat).SetString(sum)
	}
	saved := sums[1].Sub(sums[1], sums[0])
	places, _ := saved.FloatPrec()
	assert.Equal(t, saved.FloatString(places), r.Cache.SavedUSD)
	assert.False(t, strings.HasPrefix(r.Cache.SavedUSD, "-"))
}
