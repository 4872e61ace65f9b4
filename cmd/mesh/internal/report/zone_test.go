package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
)

// Days and the month follow the zone; budgets are always UTC.
func TestReportInAZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 3*60*60)
	o := report.Options{Location: zone, Now: time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC), Budgets: []string{"5/day", "100/month"}}
	r := build(t, o, priced(time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC), "1"), priced(time.Date(2026, 11, 30, 21, 30, 0, 0, time.UTC), "2"))
	assert.Equal(t, "here", r.Source.Zone)
	assert.Equal(t, []string{"2026-11-30", "2026-12-01"}, []string{r.Days.Rows[0].Day, r.Days.Rows[1].Day})
	assert.Equal(t, "2026-12", r.Month.Month)
	assert.EqualValues(t, "2", r.Month.USD)
	assert.EqualValues(t, "3", r.Budgets[0].SpentUSD)
	assert.EqualValues(t, "3", r.Budgets[1].SpentUSD)
	text := textOf(t, r, 0)
	assert.Contains(t, text, "30 Nov to 1 Dec 2026 (2 days, today included, here)\n")
	assert.Contains(t, text, "\nBudget 5/day (UTC): 3.00 USD spent, 2.00 left.\n")
	r.InZone(zone)
	assert.True(t, r.Period.From.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, zone)), r.Period.From)
}
