package usage

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
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
