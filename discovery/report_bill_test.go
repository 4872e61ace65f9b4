package discovery_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

func TestBillByDayAndModel(t *testing.T) {
	t.Parallel()
	r := billedDays(0.3, 1, 0)
	r.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-4o-2024-08-06, input": 0.1, "Vector storage": 0.2}
	bill := r.Bill()
	slices.SortFunc(bill.Rows, func(a, b report.BillRow) int { return strings.Compare(a.Day+a.Model, b.Day+b.Model) })
	assert.Equal(t, []report.BillRow{
		{Day: "2026-05-01", USD: "0.2"}, {Day: "2026-05-01", Model: "gpt-4o", USD: "0.1"}, {Day: "2026-05-02", USD: "1"}, {Day: "2026-05-03", USD: "0"},
	}, bill.Rows)
	assert.Equal(t, models.OpenAI, bill.Provider)
	assert.Equal(t, time.Unix(r.WindowStart, 0).UTC(), bill.From)

	r.WindowEnd = nil
	assert.True(t, r.Bill().To.After(time.Now()), "an open window ends with today")
	r.Buckets[1].TotalUSD = math.Inf(1)
	assert.Empty(t, r.Bill().Rows, "an amount that is not finite")
	r = billedDays(1)
	r.Complete = false
	assert.Empty(t, r.Bill().Rows)
}
