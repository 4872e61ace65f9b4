package prices

import (
	_ "embed" // for the tables
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// List is a list of prices. It is immutable, and its methods read no environment, no clock and no network. The zero value
// is an empty list.
//
// [BuiltIn] is the list of this package, [List.With] adds your own prices, and
// [github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices] those that providers publish now. [List.CostOf] computes the cost of a
// call.
//
// In a list, TierThresholdTokens of a row is the length of the shortest prompt that the row applies to: 200,001 for prices
// "above 200K", and 200,000 for xAI, whose long context begins there.
type List struct {
	own   ownPrices
	live  map[models.Provider]livePrices
	table *pricelist.List
	etag  string // of the table, if UpdatePrices read it
}

// BuiltIn returns the built-in price list: every model, period and tier. Models without a known price have a row whose
// prices are all "".
//
// A price is in the list if the provider's own page has it or two independent sources agree; Source names them. Only the
// prices of claude-2.0 have a single source. A row whose prices are all "" has a period or a tier whose price is not known. A
// model keeps its last price after its retirement, unless that price ends.
//
// Rows of Modality audio and image have the prices of those tokens. DeepSeek's two prices are rows of [ModePeak] and
// [ModeOffPeak].
func BuiltIn() *List { return builtInPrices() }

var (
	//go:embed prices.csv
	builtInCSV string
	//go:embed confirmed.csv
	confirmedCSV string
)

var builtInPrices = sync.OnceValue(func() *List {
	table := pricelist.BuiltIn(builtInCSV)
	if confirmed, err := table.Confirm(confirmedCSV, time.Time{}); err == nil { // a test reads it; any day, as the clock may be wrong
		table = confirmed
	}
	return &List{table: table}
})

// Rows returns the rows of a provider, or of all for "": your own, then live ones, then the rows of the table, each in their
// order. For an unknown provider the list is empty.
func (l *List) Rows(p models.Provider) []Row {
	p = modelid.Canonical(p)
	rows := l.own.rows(l.own.list.Rows())
	for _, list := range l.lists()[1:] {
		rows = append(rows, rowsOf(list.Rows())...)
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return p != "" && r.Provider != p })
}

// ForModel returns the rows of a model, under any spelling of its id, in the order in which [List.CostOf] uses them: your own,
// then live ones, then the rows of the table, of all periods and tiers. For a model without a row the list is empty.
func (l *List) ForModel(p models.Provider, model string) []Row {
	found := l.find(modelid.Canonical(p), model)
	return append(append(l.own.rows(found.own), rowsOf(found.live)...), rowsOf(found.listed)...)
}

// Price returns the standard price of a model at a time: the row for text, and if the price depends
// on the length of the prompt, the row for the shortest one. It returns false if the list has no such
// price, or if at is zero. [List.ForModel] also returns other modes, tiers and periods.
//
// The row is the one that [List.CostOf] uses, so your own prices come first, and DeepSeek's row
// depends on the hour. Factors, such as for a region that the id names, are not applied.
func (l *List) Price(p models.Provider, model string, at time.Time) (Row, bool) {
	if at.IsZero() {
		return Row{}, false
	}
	p = modelid.Canonical(p)
	found := l.find(p, model)
	rows, own := found.inForce(at, 0)
	call := pricelist.Call{Provider: string(p), At: at}
	row, _ := call.Row(rows, "")
	switch {
	case row == nil || !row.Priced():
		return Row{}, false
	case own:
		return l.own.given[row.Index], true
	}
	return rowOf(row), true
}

// AsOf returns the newest VerifiedAt of the rows; the zero time if no row has one.
func (l *List) AsOf() time.Time {
	var newest time.Time
	for _, list := range l.lists() {
		if at := list.AsOf(); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// lists returns all lists, first those that take precedence.
func (l *List) lists() []*pricelist.List {
	lists := []*pricelist.List{l.own.list}
	for _, p := range slices.Sorted(maps.Keys(l.live)) {
		lists = append(lists, l.live[p].list)
	}
	return append(lists, l.table)
}

// modelRows are the rows of a model; nil where a list does not have it.
type modelRows struct{ own, live, listed []pricelist.Row }

// inForce returns the rows that price a call, and reports whether they are the caller's own.
func (m *modelRows) inForce(at time.Time, prompt int64) (rows []pricelist.Row, own bool) {
	if slices.ContainsFunc(m.own, func(r pricelist.Row) bool { return r.Modality == "" && r.ValidAt(at) }) {
		return m.own, true
	}
	live, _ := pricelist.InForce(m.live, pricelist.Kind{}, at, prompt)
	if m.listed == nil || live != nil && live.Priced() {
		return m.live, false
	}
	return m.listed, false
}

// find returns the rows of a model under any spelling of its id. An id that the table has is found without rewriting it, which
// takes longer; lists of other rows have them under the ids of the table, too.
func (l *List) find(p models.Provider, model string) modelRows {
	if listed := l.table.Model(string(p), model); listed != nil {
		return modelRows{l.own.list.Model(string(p), model), l.live[p].list.Model(string(p), model), listed}
	}
	names := lookupNames(p, model)
	found := modelRows{own: firstRows(l.own.list, p, names)}
	if !modelid.RulesOf(p).Resold(model) {
		found.live, found.listed = firstRows(l.live[p].list, p, names), firstRows(l.table, p, names)
		if found.live == nil && found.listed == nil {
			found.live = l.live[p].released(model)
		}
	}
	return found
}

// lookupNames returns the names under which a model is looked up, best first. A build that is not listed is not its model,
// which may have another price; only the builds of Claude are known to cost the same.
func lookupNames(p models.Provider, model string) []string {
	rules := modelid.RulesOf(p)
	names := append([]string{model}, rules.Spellings(model)...)
	switch plainest := modelid.Last(names); {
	case p == models.Anthropic:
		names = append(names, rules.Normalize(model))
	case p == models.OpenAI:
		names = append(names, modelid.WithoutDeployment(plainest))
	}
	return names
}

// firstRows returns the rows of the first name that the list has.
func firstRows(list *pricelist.List, p models.Provider, names []string) []pricelist.Row {
	for _, name := range names {
		if rows := list.Model(string(p), name); rows != nil {
			return rows
		}
	}
	return nil
}

// namedRows returns a list of rows that also has them under the plainest spelling of their ids, and under each id of the table
// that names the same model.
func (l *List) namedRows(rows []pricelist.Row) *pricelist.List {
	list := pricelist.New(rows)
	for _, r := range rows {
		plainest := modelid.Last(modelid.RulesOf(models.Provider(r.Provider)).Spellings(r.Model))
		list.AddName(r.Provider, plainest, list.Model(r.Provider, r.Model))
	}
	for _, r := range l.table.Rows() {
		p := models.Provider(r.Provider)
		list.AddName(r.Provider, r.Model, firstRows(list, p, lookupNames(p, r.Model)))
	}
	return list
}
