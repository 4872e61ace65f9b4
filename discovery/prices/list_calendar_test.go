package prices_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// On each day of three months, every model costs what the table says for that day, or its
// cost is unknown.
func TestCostsOfACalendar(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../facts/prices.csv")
	require.NoError(t, err)
	in := csv.NewReader(bytes.NewReader(text))
	in.Comment = '#'
	table, err := in.ReadAll()
	require.NoError(t, err)
	byHour := map[string]bool{}
	for _, row := range table[1:] {
		byHour[row[1]] = byHour[row[1]] || row[13] == "peak"
	}
	priced := 0
	list := prices.BuiltIn()
	for day := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC); day.Before(time.Date(2027, 3, 2, 0, 0, 0, 0, time.UTC)); day = day.AddDate(0, 0, 1) {
		for _, row := range table[1:] {
			at := day.Format("2006-01-02T15:04:05Z")
			if row[2] != "0" || row[13] != "" || row[14] != "" || byHour[row[1]] || row[8] > at || row[9] != "" && row[9] <= at {
				continue
			}
			cost, err := list.CostOf(prices.Call{Provider: models.Provider(row[0]), Model: row[1], At: day, Usage: thousand})
			input, knowsInput := decimal.ParsePlain(row[3])
			output, knowsOutput := decimal.ParsePlain(row[7])
			if !knowsInput || !knowsOutput {
				assert.ErrorIs(t, err, prices.ErrUnpriced, "%s on %s", row[1], at)
				continue
			}
			if strings.Contains(row[1], "-search-") { // every request searches, and no response says how often
				assert.ErrorIs(t, err, prices.ErrUnpriced, "%s on %s", row[1], at)
				continue
			}
			require.NoError(t, err, "%s on %s", row[1], at)
			assert.EqualValues(t, input.Add(output).Mul(decimal.New(1_000, 0)).Shift(6).String(), cost.USD, "%s on %s", row[1], at)
			priced++
		}
	}
	assert.Greater(t, priced, 20_000)
}
