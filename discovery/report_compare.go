package discovery

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// BillPart is a UTC day or a model of a bill, beside its calls. Amounts are exact, as plain decimals in US dollars.
type BillPart struct {
	// Name is the day, such as "2026-11-21", or the id of the model as [models.NormalizeModelID] returns it. It is "" for the total
	// and for calls without a model.
	Name      string `json:"name"`
	BilledUSD string `json:"billed_usd"`
	// CountedUSD is the known cost of the calls. It is "" without a ledger that can be compared, and if there are calls and the cost
	// of none is known.
	CountedUSD string `json:"counted_usd"`
	// DriftUSD is the billed less the counted amount; "" if CountedUSD is "".
	DriftUSD string `json:"drift_usd"`
	// BilledTokens are the tokens of the line items, as a plain decimal; "" unless the bill states the quantity of each of them, as OpenAI's
	// does. CountedTokens are the tokens of the calls; "" if they or BilledTokens are not known.
	BilledTokens  string `json:"billed_tokens"`
	CountedTokens string `json:"counted_tokens"`
	// Cause is what a drift comes from; "" without a drift, and if the tokens or the cost of a call are not known.
	Cause DriftCause `json:"cause"`
	// Unpriced is the number of calls whose cost is not known. They are in no amount.
	Unpriced int `json:"unpriced"`
}

// BillComparison is a bill beside what was counted, by UTC day and by model.
type BillComparison struct {
	Total BillPart `json:"total"`
	// Days are the days that have a bucket or a call, oldest first. A bucket of several days is one, under its first day.
	Days []BillPart `json:"days"`
	// Models are the models of the line items and of the calls, by name.
	Models []BillPart `json:"models"`
	// OtherUSD is the sum of the line items that name no model, and OtherItems are their names.
	OtherUSD   string   `json:"other_usd"`
	OtherItems []string `json:"other_items"`
}

// Compare returns the bill by UTC day and by model. After [ReconciliationReport.WithLedger] it has what was counted, too. The models
// need a bill that is grouped by line item or description, as every bill of xAI is. The result is the zero BillComparison if the
// bill is not complete or has an amount that is not finite.
func (r *ReconciliationReport[B]) Compare() BillComparison {
	if r.actual() == nil {
		return BillComparison{}
	}
	name := r.modelNames()
	days, byModel, other := r.days(), r.countedModels(name), billPart{}
	items := make(map[string]bool)
	for _, bucket := range r.Buckets {
		for _, item := range bucket.items() {
			if model := name(item.modelOf(r.Provider)); model != "" {
				byModel.of(model).add(item.usd)
				byModel.of(model).billed.addItem(&item)
			} else if item.usd != 0 {
				other.add(item.usd)
				items[item.name] = true
			}
		}
	}
	total := parts{"": {BillPart: BillPart{BilledUSD: decimal.Text(r.exactActual())}}}
	for _, day := range days {
		total[""].count(day.CountedUSD, day.Unpriced)
		total[""].billed.merge(&day.billed)
		total[""].counted.merge(&day.counted)
	}
	compared := r.counted != nil && r.wholeUTCDays()
	return BillComparison{
		Total: total.sorted(compared)[0], Days: days.sorted(compared), Models: byModel.sorted(compared),
		OtherUSD: cmp.Or(other.BilledUSD, "0"), OtherItems: append([]string{}, slices.Sorted(maps.Keys(items))...),
	}
}

// add adds a billed amount, as the decimal that it was rounded from.
func (p *billPart) add(usd float64) {
	p.BilledUSD = decimalOf(usd).Add(decimal.FromText(p.BilledUSD)).String()
}

// count adds calls; "" is a cost that is not known.
func (p *billPart) count(usd string, unpriced int) {
	p.Unpriced += unpriced
	if usd != "" {
		p.CountedUSD = decimal.FromText(usd).Add(decimal.FromText(p.CountedUSD)).String()
	}
}

// parts are parts of a bill by their names.
type parts map[string]*billPart

// billPart is a part that is being added up.
type billPart struct {
	BillPart
	billed, counted tokenSum
}

// of returns the part of that name, and adds it if it is new.
func (all parts) of(name string) *billPart {
	if all[name] == nil {
		all[name] = &billPart{BillPart: BillPart{Name: name, BilledUSD: "0"}}
	}
	return all[name]
}

// sorted returns the parts in the order of their names. compared reports whether the calls are known, so that no calls cost nothing.
func (all parts) sorted(compared bool) []BillPart {
	list := make([]BillPart, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := *all[name]
		if compared && p.Unpriced == 0 {
			p.CountedUSD = cmp.Or(p.CountedUSD, "0")
		}
		if p.CountedUSD != "" {
			p.DriftUSD = decimal.FromText(p.BilledUSD).Sub(decimal.FromText(p.CountedUSD)).String()
		}
		p.setTokens(compared)
		list = append(list, p.BillPart)
	}
	return list
}

// days returns the UTC days that have a bucket or a call. Those of a bucket of several days are one, under its first day.
func (r *ReconciliationReport[B]) days() parts {
	days, spans := make(parts), make([]span, len(r.Buckets))
	for i, bucket := range r.Buckets {
		spans[i] = spanOf(bucket)
		day := days.of(spans[i].name())
		day.add(bucket.usd())
		for _, item := range bucket.items() {
			day.billed.addItem(&item)
		}
	}
	for _, day := range r.counted.list() {
		date, _ := time.Parse(time.DateOnly, day.Day)
		name, number := day.Day, calendar.DayNumber(date)
		if i := slices.IndexFunc(spans, func(s span) bool { return s.first <= number && number < s.last }); i >= 0 {
			name = spans[i].name()
		}
		days.of(name).count("", day.Unpriced)
		if len(day.ByModel) > 0 {
			days.of(name).count(day.USD, 0)
		}
		for model := range day.ByModel {
			days.of(name).counted.addCalls(day.TokensByModel, model)
		}
	}
	return days
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
	names := geminisku.NewNames(ids)
	return func(id string) string { return cmp.Or(names.Of(id), models.NormalizeModelID(r.Provider, id)) }
}

// countedModels returns what was counted by model.
func (r *ReconciliationReport[B]) countedModels(name func(id string) string) parts {
	byModel := make(parts)
	for _, day := range r.counted.list() {
		for model, usd := range day.ByModel {
			part := byModel.of(name(model))
			part.count(usd, 0)
			part.counted.addCalls(day.TokensByModel, model)
		}
		for model, unpriced := range day.UnpricedByModel {
			byModel.of(name(model)).count("", unpriced)
		}
	}
	return byModel
}

// span is a number of UTC days since 1970-01-01, the last exclusive.
type span struct{ first, last int64 }

// spanOf returns the UTC days of a bucket.
func spanOf[B Bucket](b B) span {
	first := b.begin() / calendar.SecondsPerDay
	return span{first, max(first+1, (b.end()+calendar.SecondsPerDay-1)/calendar.SecondsPerDay)}
}

// name returns the first day.
func (s span) name() string {
	return time.Unix(s.first*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly)
}
