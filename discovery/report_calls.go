package discovery

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// countedCalls are the calls in a report's window.
type countedCalls struct {
	groups   []calls.Group
	unpriced int
}

// callsBy are the names by which WithCalls' groups must be grouped. More may follow.
var callsBy = []string{calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling}

// WithCalls returns a copy of the report with the calls made to its provider in its
// window. AttributedUSD becomes their sum, and the drift is computed from it:
//
//	groups, err := calls.Sum(calls.Options{By: [][]string{{
//		calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling, calls.ByUnpriced,
//	}}}, "/var/log/calls")
//	report = report.WithCalls(groups[0])
//	comparison, err := report.Compare(0)
//
// [ReconciliationReport.Compare] then explains the difference by day and model, and
// [ReconciliationReport.Table] shows billed and counted amounts side by side.
//
// # Groups
//
// They must be grouped by these names, or WithCalls panics with a [*ValueError]. Only
// ByUnpriced may be missing, but then causes are less exact. Calls on another platform
// and subscription calls are left out.
//
// # Unknown amounts
//
// Calls are counted by UTC days. AttributedUSD is nil if no call was counted in the
// window, or if the window or its buckets don't start and end with UTC days. The drift is
// also nil if the window has unpriced calls.
func (r *ReconciliationReport[B]) WithCalls(groups []calls.Group) *ReconciliationReport[B] {
	counted, provider := []calls.Group{}, modelid.Canonical(string(r.Provider))
	from, end := time.Unix(r.WindowStart, 0), time.Unix(ptr.Value(r.WindowEnd), 0)
	for i := range groups {
		g := &groups[i]
		if slices.ContainsFunc(callsBy, func(name string) bool { return !slices.Contains(g.Names, name) }) {
			panic(invalid("groups", strings.Join(g.Names, ", "), "must be by "+strings.Join(callsBy, ", ")))
		}
		day, err := time.Parse(time.DateOnly, g.Value(calls.ByDay))
		if err != nil {
			panic(invalid("groups", g.Value(calls.ByDay), "must have a day"))
		}
		other := g.Value(calls.ByProvider) != provider || g.Value(calls.ByPlatform) != "" || g.Value(calls.ByBilling) == calls.Subscription
		if !other && !day.Before(from) && (r.WindowEnd == nil || day.Before(end)) {
			counted = append(counted, *g)
		}
	}
	return r.withCounted(counted)
}

func (r *ReconciliationReport[B]) withCounted(counted []calls.Group) *ReconciliationReport[B] {
	with := *r
	with.AttributedUSD, with.DriftUSD, with.DriftPct = nil, nil, nil
	with.counted = &countedCalls{}
	if !r.wholeUTCDays() {
		return &with
	}
	with.counted.groups = counted
	var total decimal.Decimal
	priced := false
	for i := range counted {
		with.counted.unpriced += counted[i].Unpriced
		total = total.Add(decimal.FromText(counted[i].USD))
		priced = priced || counted[i].Calls > counted[i].Unpriced
	}
	if !priced {
		return &with
	}
	attributed := total.Float64()
	with.AttributedUSD = &attributed
	if with.Complete && with.finiteBill() && with.counted.unpriced == 0 {
		with.setDrift(total.Rat())
	}
	return &with
}

// Within reports whether the billed and the attributed amount differ by at most percent
// of the billed amount. known is false if
//
//   - the bill isn't complete, or an amount isn't finite
//   - nothing was attributed or counted, or a call is unpriced
//   - percent is negative or not finite
func (r *ReconciliationReport[B]) Within(percent float64) (ok, known bool) {
	attributed, driftUSD := finiteOrNil(r.AttributedUSD), finiteOrNil(r.DriftUSD)
	if r.actual() == nil || attributed == nil || driftUSD == nil || !finite(percent) || percent < 0 {
		return false, false
	}
	allowed := new(big.Rat).Abs(r.exactActual())
	allowed.Mul(allowed, exactOf(percent)).Quo(allowed, big.NewRat(100, 1))
	drift := exactOf(*driftUSD)
	return drift.Abs(drift).Cmp(allowed) <= 0, true
}

// wholeUTCDays reports whether the bill can be compared with calls. The end may be in the
// current day or later.
func (r *ReconciliationReport[B]) wholeUTCDays() bool {
	today := calendar.DayNumber(time.Now()) * calendar.SecondsPerDay
	if r.WindowStart%calendar.SecondsPerDay != 0 || (r.WindowEnd != nil && *r.WindowEnd%calendar.SecondsPerDay != 0 && *r.WindowEnd < today) {
		return false
	}
	return !slices.ContainsFunc(r.Buckets, func(b B) bool {
		s := spanOf(b)
		start, end := b.times()
		return s.last-s.first > 1 && (start.Unix()%calendar.SecondsPerDay != 0 || end.Unix()%calendar.SecondsPerDay != 0)
	})
}

// countedNote tells why the bill can't be compared with the calls, or returns "".
func (r *ReconciliationReport[B]) countedNote() string {
	switch {
	case r.counted == nil:
		return ""
	case !r.wholeUTCDays():
		return "not compared: calls are counted by UTC days, and the bill is not"
	case r.counted.unpriced > 0:
		return fmt.Sprintf("unpriced calls, so the drift is unknown: %d", r.counted.unpriced)
	case r.AttributedUSD == nil:
		return "not compared: no call of " + string(r.Provider) + " was counted in this window"
	}
	return ""
}

// Compare compares the bill with the calls from [ReconciliationReport.WithCalls]. If
// WithCalls wasn't used, it compares the total with AttributedUSD. For limitPercent, see
// [bills.Bill]. It returns an error if the bill isn't complete, an amount isn't finite,
// or the limit is invalid.
func (r *ReconciliationReport[B]) Compare(limitPercent float64) (*bills.Comparison, error) {
	if r.actual() == nil {
		return nil, errors.New("discovery: the bill is not complete, or has an amount that is not finite")
	}
	b := r.Bill()
	b.LimitPercent = limitPercent
	if attributed := finiteOrNil(r.AttributedUSD); r.counted == nil && attributed != nil {
		day := b.From.Format(time.DateOnly)
		b.Items = []bills.Item{{Day: day, USD: prices.USD(decimal.Text(r.exactActual()))}}
		return bills.Compare(b, []calls.Group{{Names: billedBy, Values: []string{day, ""}, Calls: 1, USD: prices.USD(decimalOf(*attributed).String())}})
	}
	return bills.Compare(b, r.countedIn(r.modelNames()))
}

var billedBy = []string{calls.ByDay, calls.ByModel}

// countedIn returns the calls by the bill's days and model names.
func (r *ReconciliationReport[B]) countedIn(name func(id string) string) []calls.Group {
	if r.counted == nil {
		return nil
	}
	all := slices.Clone(r.counted.groups)
	for i := range all {
		g := &all[i]
		g.Names, g.Values = billedBy, []string{r.bucketOf(g.Value(calls.ByDay)), name(g.Value(calls.ByModel))}
	}
	return all
}

// bucketOf returns the first day of the bucket that includes day.
func (r *ReconciliationReport[B]) bucketOf(day string) string {
	date, _ := time.Parse(time.DateOnly, day)
	for _, bucket := range r.Buckets {
		if s := spanOf(bucket); s.first <= calendar.DayNumber(date) && calendar.DayNumber(date) < s.last {
			return s.name()
		}
	}
	return day
}

// modelNames returns a function that names models as the bill does. Google's SKUs have no
// releases, so gemini-3-flash-preview is gemini-3-flash if the bill has that.
func (r *ReconciliationReport[B]) modelNames() func(id string) string {
	var ids []string
	if r.Provider == models.Gemini {
		for _, bucket := range r.Buckets {
			for _, item := range bucket.items() {
				ids = append(ids, item.modelOf(models.Gemini, nil))
			}
		}
	}
	named := geminisku.Names(ids)
	return func(id string) string { return cmp.Or(named(id), models.NormalizeModelID(r.Provider, id)) }
}

// span is a range of UTC days since 1970-01-01. last is exclusive.
type span struct{ first, last int64 }

func spanOf[B Bucket](b B) span {
	start, end := b.times()
	first := calendar.DayNumber(start)
	return span{first, max(first, calendar.DayNumber(end.Add(-1))) + 1}
}

func (s span) name() string {
	return time.Unix(s.first*calendar.SecondsPerDay, 0).UTC().Format(time.DateOnly)
}

// besideCalls are words in line items that are billed by the hour, gigabyte or training
// run, or by contract. No call has such a cost.
var besideCalls = []string{
	"storage", "training", "session", "container", "code interpreter", "code execution", "provisioned", "capacity", "scale tier", "priority tier",
}

// lineItemNote names the line items that calls can't have, with their sum, or returns "".
func (r *ReconciliationReport[B]) lineItemNote() string {
	var names []string
	var total decimal.Sum
	for _, bucket := range r.Buckets {
		for _, item := range bucket.items() {
			if !isBesideCalls(item.name) {
				continue
			}
			total.Add(item.usd)
			if name := strconv.Quote(item.name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	if n := len(names); n > maxListed {
		names = append(names[:maxListed], fmt.Sprintf("%d more", n-maxListed))
	}
	return fmt.Sprintf("not in any call: %s USD of the bill are %s", total.Total(), strings.Join(names, ", "))
}

// decimalOf returns the decimal from which an amount was rounded, or 0 if it isn't
// finite.
func decimalOf(usd float64) decimal.Decimal {
	d, _ := decimal.Parse(fmt.Sprint(usd))
	return d
}

func isBesideCalls(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(besideCalls, func(part string) bool { return strings.Contains(name, part) })
}

// modelOf returns a line item's model, or "". If the provider doesn't name it in a field,
// the item's name may contain it, as in "gpt-4o-mini-2024-07-18, input" or "Chat
// grok-3-mini": a word that is a counted model, or has the form of the provider's ids and
// more than a family. Display names ("GPT-4o mini") have capitals and aren't split. If a
// name contains two models, modelOf returns "".
func (i *billedItem) modelOf(p models.Provider, counted map[string]bool) string {
	switch {
	case i.model != "":
		return models.NormalizeModelID(p, i.model)
	case p == models.Gemini && strings.Contains(i.name, billing.TypeEnd):
		return ""
	case p == models.Gemini:
		return geminisku.ModelOf(i.name)
	}
	found := ""
	for _, word := range strings.FieldsFunc(i.name, func(r rune) bool { return r == ' ' || r == ',' }) {
		owner, ok := models.ProviderOf(word)
		named := ok && owner == p && word == strings.ToLower(word) && strings.ContainsAny(word, "0123456789-")
		switch {
		case !named && !counted[word]:
		case found != "" && found != word:
			return ""
		default:
			found = word
		}
	}
	return models.NormalizeModelID(p, found)
}

// countedModels has the ids in the calls, as recorded and normalized.
func (r *ReconciliationReport[B]) countedModels() map[string]bool {
	ids := map[string]bool{}
	if r.counted != nil {
		for i := range r.counted.groups {
			id := r.counted.groups[i].Value(calls.ByModel)
			ids[id], ids[models.NormalizeModelID(r.Provider, id)] = true, true
		}
	}
	return ids
}
