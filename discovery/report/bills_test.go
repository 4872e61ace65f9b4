package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

func TestBills(t *testing.T) {
	t.Parallel()
	unpriced := priced(at(3), "")
	unpriced.Unpriced = "why"
	elsewhere := priced(at(3), "50")
	elsewhere.Platform = "azure"
	claude := of(priced(at(3), "7"), "claude-opus-5")
	claude.Provider = models.Anthropic
	records := []calls.Record{
		priced(at(3), "1"), of(priced(at(3), "2"), "gpt-4o-2024-08-06"), of(priced(at(4), "4"), "gpt-4o"), unpriced, elsewhere, claude, priced(at(30), "9"),
	}
	bill := report.Bill{Provider: "Open AI", From: day("2026-11-15"), To: day("2026-11-20"), Rows: []report.BillRow{
		{Day: "2026-11-19", Model: "gpt-5.2", USD: "1.005"}, {Day: "2026-11-19", Model: "gpt-4o-2024-11-20", USD: "2.1"},
		{Day: "2026-11-18", Model: "openai/gpt-4o", USD: "4"}, {Day: "2026-11-18", USD: "-0.01"},
	}}
	r := build(t, report.Options{Bills: []report.Bill{bill}}, records...)
	checkReport(t, r)
	require.Len(t, r.Bills, 1)
	b := r.Bills[0]
	assert.Equal(t, models.OpenAI, b.Provider)
	assert.Equal(t, []string{"7.095", "7", "0.095"}, []string{b.BilledUSD, b.CountedUSD, b.DifferenceUSD})
	assert.InDelta(t, 0.095/7.095, *b.Difference, 1e-12)
	assert.Equal(t, []any{report.VerdictWithin, 0.02, 4, 1, 4}, []any{b.Verdict, b.Limit, b.Calls, b.Unpriced, b.Cells})
	assert.Equal(t, []report.ComparisonRow{
		{Day: "2026-11-19", Model: "gpt-4o", Cells: 1, BilledUSD: "2.1", CountedUSD: "2", DifferenceUSD: "0.1"},
		{Day: "2026-11-18", Cells: 1, BilledUSD: "-0.01", CountedUSD: "0", DifferenceUSD: "-0.01"},
	}, b.Rows)
	assert.Equal(t, report.ComparisonRow{Cells: 2, BilledUSD: "5.005", CountedUSD: "5", DifferenceUSD: "0.005", Unpriced: 1}, b.Others)

	bill.LimitPercent = 1.33
	assert.Equal(t, report.VerdictOver, build(t, report.Options{Bills: []report.Bill{bill}}, records...).Bills[0].Verdict)
	assert.Equal(t, report.VerdictUnknown, build(t, report.Options{Bills: []report.Bill{bill}}).Bills[0].Verdict, "no calls")
	bill.Rows = nil
	assert.Equal(t, report.VerdictUnknown, build(t, report.Options{Bills: []report.Bill{bill}}, records...).Bills[0].Verdict, "no bill")
	bill.Rows = []report.BillRow{{Day: "2026-11-19", USD: "3"}, {Day: "2026-11-18", USD: "4"}}
	b = build(t, report.Options{Bills: []report.Bill{bill}}, records...).Bills[0]
	assert.Equal(t, []any{2, "0", report.VerdictWithin}, []any{b.Cells, b.DifferenceUSD, b.Verdict}, "a bill without models is compared by day")
}
