package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWarehouseAgreesWithTheTotals(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2} {
		var out strings.Builder
		differences, err := run(t.Context(), &out, generate(20_000, seed))
		require.NoError(t, err)
		assert.Zero(t, differences, out.String())
	}
}

// A price changes by the last digit that the warehouse has.
func TestOneDigitIsADifference(t *testing.T) {
	t.Parallel()
	calls := generate(5000, 3)
	counted, err := inTotals(calls)
	require.NoError(t, err)
	w, err := open(t.Context())
	require.NoError(t, err)
	defer w.Close()
	_, err = w.ExecContext(t.Context(), `UPDATE prices SET output = output + CAST('0.000000000000001' AS DECIMAL(15, 15)) WHERE model = 'gpt-5.4'`)
	require.NoError(t, err)
	require.NoError(t, w.load(t.Context(), calls))
	stored, err := w.days(t.Context())
	require.NoError(t, err)
	assert.NotZero(t, compare(io.Discard, counted, stored))
	delete(counted, key{"2026-06-01", ""})
	var out strings.Builder
	compare(&out, counted, stored)
	assert.Contains(t, out.String(), "2026-06-01 : only the warehouse")
}

// The made-up calls must include every case that the SQL has to get right.
func TestCallsCoverWhatIsDifficult(t *testing.T) {
	t.Parallel()
	cases := map[string]int{}
	for _, c := range generate(20_000, 1) {
		prompt := c.usage.Input + c.usage.CacheRead + c.usage.CacheWrite5m + c.usage.CacheWrite1h
		for name, is := range map[string]bool{
			"unknown model": c.model == "a-model-of-tomorrow", "batch": c.mode == "batch", "batch without a price": c.mode == "batch" && c.provider == "xai",
			"tool input": c.usage.ToolInput > 0, "write for an hour": c.usage.CacheWrite1h > 0, "first of a tier": prompt == 200_001, "last of a tier": prompt == 200_000,
			"weekend": c.provider == "deepseek" && c.at.Weekday() == 6 && c.at.Hour() == 2, "peak": c.provider == "deepseek" && c.at.Weekday() == 2 && c.at.Hour() == 2,
		} {
			if is {
				cases[name]++
			}
		}
	}
	assert.Len(t, cases, 9, cases)
}

// A price with more digits than its column would be rounded silently.
func TestPricesFitTheirColumns(t *testing.T) {
	t.Parallel()
	w, err := open(t.Context())
	require.NoError(t, err)
	defer w.Close()
	var rounded int
	name := t.TempDir() + "/prices.csv"
	require.NoError(t, writePrices(name))
	for _, column := range []string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h"} {
		require.NoError(t, w.QueryRowContext(t.Context(), `
			SELECT count(*) FROM read_csv('`+name+`', header = true, all_varchar = true)
			WHERE CAST(nullif(`+column+`_per_mtok, '') AS DECIMAL(38, 20)) <> CAST(per_token(`+column+`_per_mtok) AS DECIMAL(18, 15)) * 1000000`).Scan(&rounded))
		assert.Zero(t, rounded, column)
	}
	require.NoError(t, w.QueryRowContext(t.Context(), `SELECT count(*) FROM (SELECT 1 WHERE CAST('0.12345678912' AS DECIMAL(38, 20)) <> per_token('0.12345678912') * 1000000)`).Scan(&rounded))
	assert.Equal(t, 1, rounded, "the comparison finds a rounded price")
}
