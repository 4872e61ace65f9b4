package discovery

import (
	"cmp"
	"errors"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Compare compares the bill with the calls of [ReconciliationReport.WithCalls], or without those with
// AttributedUSD as a whole. limitPercent is that of [bills.Bill]. A bill that is not complete, an amount that is not finite and an invalid
// limit are errors.
func (r *ReconciliationReport[B]) Compare(limitPercent float64) (*bills.Comparison, error) {
	if r.actual() == nil {
		return nil, errors.New("discovery: the bill is not complete, or has an amount that is not finite")
	}
	b := r.Bill()
	b.LimitPercent = limitPercent
	if attributed := finiteOrNil(r.AttributedUSD); r.counted == nil && attributed != nil {
		day := b.From.Format(time.DateOnly)
		b.Items = []bills.Item{{Day: day, USD: prices.USD(decimal.Text(r.exactActual()))}}
		return bills.Compare(b, []bills.Counted{{Day: day, Calls: 1, USD: prices.USD(decimalOf(*attributed).String())}})
	}
	return bills.Compare(b, r.countedIn(r.modelNames()))
}

// countedIn returns the calls by the days and the names of the bill.
func (r *ReconciliationReport[B]) countedIn(name func(id string) string) []bills.Counted {
	if r.counted == nil {
		return nil
	}
	all := make([]bills.Counted, len(r.counted.calls))
	for i, c := range r.counted.calls {
		c.Model, c.Day = name(c.Model), r.bucketOf(c.Day)
		all[i] = c
	}
	return all
}

// bucketOf returns the first day of the bucket that has a day.
func (r *ReconciliationReport[B]) bucketOf(day string) string {
	date, _ := time.Parse(time.DateOnly, day)
	for _, bucket := range r.Buckets {
		if s := spanOf(bucket); s.first <= calendar.DayNumber(date) && calendar.DayNumber(date) < s.last {
			return s.name()
		}
	}
	return day
}

// modelNames returns the function that names models. The SKUs of Google have no releases, so that gemini-3-flash-preview is
// gemini-3-flash in a bill that has it.
func (r *ReconciliationReport[B]) modelNames() func(id string) string {
	var ids []string
	if r.Provider == models.Gemini {
		for _, bucket := range r.Buckets {
			for _, item := range bucket.items() {
				ids = append(ids, item.modelOf(models.Gemini))
			}
		}
	}
	named := geminisku.Names(ids)
	return func(id string) string { return cmp.Or(named(id), models.NormalizeModelID(r.Provider, id)) }
}

// span is a number of UTC days since 1970-01-01, the last exclusive.
type span struct{ first, last int64 }

// spanOf returns the UTC days of a bucket.
func spanOf[B Bucket](b B) span {
	start, end := b.times()
	first := calendar.DayNumber(start)
	return span{first, max(first, calendar.DayNumber(end.Add(-1))) + 1}
}

// name returns the first day.
func (s span) name() string {
	return time.Unix(s.first*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly)
}
