package report

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

func (t *text) days(r *Report) {
	total, costs := money.Exact(r.Total.USD), []*big.Rat{}
	for _, d := range r.Days.Rows {
		costs = append(costs, money.Exact(d.USD))
	}
	sheet := money.NewSheet(money.Places(total))
	shown := sheet.Texts(money.Format{}, total, costs...)
	days := &table.Table{Columns: []table.Column{
		table.Plain("DAY", 0), table.Right("CALLS", 2), table.Right("UNPRICED", 1), table.Right("USD", 0), table.Free("MODELS"),
	}}
	for i, d := range r.Days.Rows {
		days.Rows = append(days.Rows, []string{d.weekday(), table.Count(d.Calls), lacking(d.Unpriced), d.cost(shown[i]), r.modelsOf(&d)})
	}
	days.Rows = append(days.Rows, []string{"total", table.Count(r.Total.Calls), lacking(r.Total.Unpriced), sheet.Text(money.Format{}, total), ""})
	if r.Total.Unpriced == 0 {
		days.Remove(2)
	}
	_ = days.Write(t, t.columns, func(header string) string { return header }) // a strings.Builder never fails
}

// weekday formats a day like "Sat 28 Nov".
func (d *Day) weekday() string {
	at, err := time.Parse(time.DateOnly, d.Day)
	if err != nil {
		return d.Day
	}
	return at.Format("Mon _2 Jan")
}

func (d *Day) cost(shown string) string {
	if d.Calls == 0 || d.Unpriced == d.Calls {
		return "-"
	}
	return shown
}

func lacking(unpriced int) string {
	if unpriced == 0 {
		return "-"
	}
	return table.Count(unpriced)
}

// modelsOf sorts by cost, highest first.
func (r *Report) modelsOf(d *Day) string {
	type model struct {
		name string
		usd  *big.Rat
	}
	var models []model
	for i, usd := range d.Models {
		name := "others"
		if i < len(r.Days.Models) {
			name = r.Days.Models[i].Model
		}
		if exact := money.Exact(usd); exact.Sign() > 0 {
			models = append(models, model{cmp.Or(name, "(no model)"), exact})
		}
	}
	slices.SortStableFunc(models, func(a, b model) int { return b.usd.Cmp(a.usd) })
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.name
	}
	return strings.Join(names, ", ")
}

// InZone prepares times for JSON: they become real moments in zone, where nil is UTC.
// Call it once.
func (r *Report) InZone(zone *time.Location) {
	times := []*time.Time{&r.Period.From, &r.Period.To, &r.Previous.From, &r.Previous.To, &r.Source.First, &r.Source.Last, &r.Source.Now}
	for i := range r.Top.Calls {
		times = append(times, &r.Top.Calls[i].Time)
	}
	if s := r.Source.Sessions; s != nil {
		times = append(times, &s.First)
	}
	for _, at := range times {
		if !at.IsZero() {
			*at = calendar.Unwall(*at, zone)
		}
	}
}
