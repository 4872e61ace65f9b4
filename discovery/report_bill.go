package discovery

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/report"
)

// Bill returns the bill by UTC day and by model, as a section of [report.Report]. The models need a bill that is grouped by line item or
// description, as every bill of xAI is. A bucket of several days is one, under its first day. The result has no rows if the bill is
// not complete or has an amount that is not finite.
func (r *ReconciliationReport[B]) Bill() report.Bill {
	end := (calendar.DayNumber(time.Now()) + 1) * calendar.SecondsPerDay // of an open window
	if r.WindowEnd != nil {
		end = *r.WindowEnd
	}
	bill := report.Bill{Provider: r.Provider, From: time.Unix(r.WindowStart, 0).UTC(), To: time.Unix(end, 0).UTC()}
	if r.actual() == nil {
		return bill
	}
	for _, bucket := range r.Buckets {
		day, items := spanOf(bucket).name(), bucket.items()
		for _, item := range items {
			bill.Rows = append(bill.Rows, report.BillRow{Day: day, Model: item.modelOf(r.Provider), USD: decimalOf(item.usd).String()})
		}
		if len(items) == 0 {
			bill.Rows = append(bill.Rows, report.BillRow{Day: day, USD: decimalOf(bucket.usd()).String()})
		}
	}
	return bill
}
