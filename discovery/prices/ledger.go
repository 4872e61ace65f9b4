package prices

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Ledger adds up the costs of calls, exactly, by UTC day and model. The zero value is empty and ready to use. A Ledger must not
// be copied. It has no JSON of its own: to keep what it counted, marshal [Ledger.Days], or keep the costs and add them again.
type Ledger struct {
	mu   sync.Mutex
	days map[int64]*ledgerDay
}

// ledgerDay is one UTC day of a ledger.
type ledgerDay struct {
	number   int64 // days since 1970-01-01
	sums     map[ledgerKey]decimal.Decimal
	fees     map[ledgerKey]decimal.Decimal
	tokens   map[ledgerKey]tokens
	unpriced map[ledgerKey]int // the zero key is for calls of an unknown provider
}

// tokens are those of calls. They are not known if there is a call whose cost does not state them by kind.
type tokens struct {
	counts  usage.Usage
	unknown bool
}

// add returns a sum, which is not known beyond int64.
func (t tokens) add(more tokens) tokens {
	t.unknown = t.unknown || more.unknown
	counts := more.counts.Counts()
	for i, n := range t.counts.Counts() {
		*n += *counts[i]
		t.unknown = t.unknown || *n < 0
	}
	return t
}

type ledgerKey struct {
	provider models.Provider
	model    string
}

// LedgerDay is one UTC day of a [Ledger]. Amounts are exact, as plain decimals such as "0.75".
type LedgerDay struct {
	// Day is the date, such as "2026-11-21".
	Day string `json:"day"`
	// USD is the sum of the day, in US dollars. It does not include unpriced calls.
	USD string `json:"usd"`
	// FeesUSD is the part of USD that is fees for uses of tools; the rest is tokens and charges that a provider stated. A bill
	// lists fees apart, and subtracts free allowances from them.
	FeesUSD string `json:"fees_usd"`
	// ByModel has the sum for each model, fees included. The map is never nil.
	ByModel map[string]string `json:"by_model"`
	// FeesByModel has the part of FeesUSD of each model that has fees; nil if there is none.
	FeesByModel map[string]string `json:"fees_by_model,omitempty"`
	// UsageByModel has the tokens of the calls in ByModel. A model is left out if the cost of one of its calls does not have them by kind;
	// the map is nil if there is none.
	UsageByModel map[string]Usage `json:"usage_by_model,omitempty"`
	// Unpriced is the number of calls whose cost is not known. If it is not 0, the sums of the day are incomplete.
	Unpriced int `json:"unpriced"`
	// UnpricedByModel has the part of Unpriced whose provider is known, for each model; nil if there is none.
	UnpricedByModel map[string]int `json:"unpriced_by_model,omitempty"`
}

// MarshalJSON writes an empty map of models as {}, never null.
func (d LedgerDay) MarshalJSON() ([]byte, error) {
	type plain LedgerDay
	if d.ByModel == nil {
		d.ByModel = map[string]string{}
	}
	return json.Marshal(plain(d))
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return new(Ledger) }

// Add adds the cost of a call to the UTC day of at. A nil cost counts as an unpriced call. So does a cost whose USD is not a
// plain decimal, such as the one in the zero Cost that [List.CostOf] returns with an error. If it has a Provider, the unpriced call is one
// of that provider and of Model.
func (l *Ledger) Add(at time.Time, cost *Cost) {
	var usd decimal.Decimal
	priced := cost != nil
	if priced {
		usd, priced = decimal.ParsePlain(cost.USD)
	}
	fees, number := cost.fees(), calendar.DayNumber(at)
	l.mu.Lock()
	defer l.mu.Unlock()
	day := l.day(number)
	var key ledgerKey
	if cost != nil && (priced || cost.Provider != "" || cost.Platform != "") {
		key = ledgerKey{cost.biller(), cost.Model}
	}
	if !priced {
		day.unpriced[key]++
		return
	}
	day.sums[key] = day.sums[key].Add(usd)
	day.tokens[key] = day.tokens[key].add(cost.tokens())
	if !fees.IsZero() {
		day.fees[key] = day.fees[key].Add(fees)
	}
}

// biller returns whose bill has the call: the platform's, not the developer's.
func (cost *Cost) biller() models.Provider {
	if cost.Platform != "" {
		return models.Provider(cost.Platform)
	}
	return modelid.Canonical(cost.Provider)
}

// fees returns the sum of the lines for uses of tools.
func (cost *Cost) fees() (fees decimal.Decimal) {
	if cost == nil {
		return fees
	}
	for i := range cost.Lines {
		if cost.Lines[i].Requests > 0 {
			usd, _ := decimal.ParsePlain(cost.Lines[i].USD)
			fees = fees.Add(usd)
		}
	}
	return fees
}

// tokens returns the tokens of the lines, which are not known for a cost without lines.
func (cost *Cost) tokens() tokens {
	all := tokens{unknown: len(cost.Lines) == 0 && cost.USD != "0"}
	counts := all.counts.Counts()
	for i := range cost.Lines {
		line := &cost.Lines[i]
		if kind := slices.Index(usage.CountKinds[:], line.What); kind >= 0 {
			*counts[kind] += line.Tokens
		} else if line.Tokens > 0 {
			all.unknown = true
		}
	}
	return all
}

// day returns a day of the ledger, and adds it if it is new.
func (l *Ledger) day(number int64) *ledgerDay {
	day := l.days[number]
	if day == nil {
		day = &ledgerDay{
			number: number, sums: make(map[ledgerKey]decimal.Decimal), fees: make(map[ledgerKey]decimal.Decimal),
			tokens: make(map[ledgerKey]tokens), unpriced: make(map[ledgerKey]int),
		}
		if l.days == nil {
			l.days = make(map[int64]*ledgerDay)
		}
		l.days[number] = day
	}
	return day
}

// Total returns the exact sum of the UTC days that begin within [from, to), rounded once to a float64. A zero from or to leaves
// that end open. It does not include unpriced calls: the total is complete only if [Ledger.Unpriced] of the same window is 0.
func (l *Ledger) Total(from, to time.Time) float64 {
	var total decimal.Decimal
	for _, day := range l.window(from, to) {
		_, usd := byModel(day.sums, "")
		total = total.Add(usd)
	}
	return total.Float64()
}

// Unpriced returns the number of unpriced calls on the UTC days that begin within [from, to). A zero from or to leaves that end
// open.
func (l *Ledger) Unpriced(from, to time.Time) int {
	unpriced := 0
	for _, day := range l.window(from, to) {
		for _, n := range day.unpriced {
			unpriced += n
		}
	}
	return unpriced
}

// Days returns the days that have calls, oldest first.
func (l *Ledger) Days() []LedgerDay { return l.DaysOf("", time.Time{}, time.Time{}) }

// DaysOf returns the days that begin within [from, to) and have calls, oldest first, with the amounts of one provider. "" is all
// providers; the name of a [Platform] is the provider of the calls that were made there. A zero from or to leaves that end open. A day on
// which only other providers have calls has a USD of "0" and no models. Unpriced counts the unpriced calls of that provider and those
// whose provider is not known.
func (l *Ledger) DaysOf(p models.Provider, from, to time.Time) []LedgerDay {
	p = modelid.Canonical(p)
	days := []LedgerDay{}
	for _, day := range l.window(from, to) {
		days = append(days, day.of(p))
	}
	return days
}

// of returns the amounts of one provider, or of all for "".
func (d *ledgerDay) of(p models.Provider) LedgerDay {
	sums, total := byModel(d.sums, p)
	fees, allFees := byModel(d.fees, p)
	if len(fees) == 0 {
		fees = nil
	}
	day := LedgerDay{Day: d.date(), USD: total.String(), FeesUSD: allFees.String(), ByModel: sums, FeesByModel: fees, UsageByModel: d.usageOf(p)}
	d.addUnpriced(&day, p)
	return day
}

// byModel returns the sums by model of one provider, or of all for "", and their total.
func byModel(amounts map[ledgerKey]decimal.Decimal, p models.Provider) (texts map[string]string, total decimal.Decimal) {
	sums := make(map[string]decimal.Decimal)
	for key, usd := range amounts {
		if p == "" || key.provider == p {
			sums[key.model], total = sums[key.model].Add(usd), total.Add(usd)
		}
	}
	texts = make(map[string]string, len(sums))
	for model, usd := range sums {
		texts[model] = usd.String()
	}
	return texts, total
}

// usageOf returns the tokens of each model of one provider, or of all for "", as far as they are known.
func (d *ledgerDay) usageOf(p models.Provider) (known map[string]Usage) {
	sums := make(map[string]tokens)
	for key, t := range d.tokens {
		if p == "" || key.provider == p {
			sums[key.model] = sums[key.model].add(t)
		}
	}
	for model, t := range sums {
		if !t.unknown {
			if known == nil {
				known = make(map[string]Usage)
			}
			known[model] = Usage(t.counts)
		}
	}
	return known
}

// addUnpriced adds the unpriced calls of one provider, or of all for "", and those of an unknown one.
func (d *ledgerDay) addUnpriced(day *LedgerDay, p models.Provider) {
	for key, n := range d.unpriced {
		switch {
		case key.provider == "":
			day.Unpriced += n
		case p == "" || key.provider == p:
			day.Unpriced += n
			if day.UnpricedByModel == nil {
				day.UnpricedByModel = make(map[string]int)
			}
			day.UnpricedByModel[key.model] += n
		}
	}
}

// window returns copies of the days that begin within [from, to), oldest first.
func (l *Ledger) window(from, to time.Time) []ledgerDay {
	l.mu.Lock()
	defer l.mu.Unlock()
	var days []ledgerDay
	for _, number := range slices.Sorted(maps.Keys(l.days)) {
		begin := time.Unix(number*calendar.SecondsPerDay, 0)
		if (!from.IsZero() && begin.Before(from)) || (!to.IsZero() && !begin.Before(to)) {
			continue
		}
		day := *l.days[number]
		day.sums, day.fees, day.unpriced = maps.Clone(day.sums), maps.Clone(day.fees), maps.Clone(day.unpriced)
		day.tokens = maps.Clone(day.tokens)
		days = append(days, day)
	}
	return days
}

func (d *ledgerDay) date() string {
	return time.Unix(d.number*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly)
}
