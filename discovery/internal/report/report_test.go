package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/report"
)

// A day within a bucket of several days belongs to the row of the bucket.
func TestCompareKeepsSpansOfSeveralDays(t *testing.T) {
	t.Parallel()
	two, _ := decimal.ParsePlain("2")
	rows := report.Compare(
		[]report.Billed{{Span: report.Span{First: 10, Last: 13}, USD: 3}, {Span: report.Span{First: 13, Last: 14}, USD: 1}},
		[]report.Counted{{Day: 12, USD: two}, {Day: 11, USD: two, Unpriced: 1}, {Day: 20, USD: two}},
	)
	require.Len(t, rows, 3)
	for i, want := range []struct {
		label         string
		usd, counted  float64
		unpricedCalls int
	}{{"1970-01-11", 3, 4, 1}, {"1970-01-14", 1, 0, 0}, {"1970-01-21", 0, 2, 0}} {
		assert.Equal(t, want.label, rows[i].Label)
		assert.Equal(t, want.usd, rows[i].USD)
		assert.Equal(t, want.counted, *rows[i].Counted)
		assert.Equal(t, want.unpricedCalls, rows[i].Unpriced)
	}
}
