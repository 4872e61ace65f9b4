package prices

import (
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Live has the prices that a provider or reseller publishes now, for [List.WithLive].
// Gemini's Live API is something else: see [ModeLive].
type Live struct {
	Provider models.Provider
	// ReadAt is when the prices were read.
	ReadAt time.Time
	// Rows are standard text prices, one per model and tier. Other modes and modalities
	// keep the table's prices.
	Rows []Row
	// Find, unless nil, is called for a model id that is neither in Rows nor in the list.
	// It returns the model's rows, or nil.
	Find func(model string) []Row
}

type livePrices struct {
	provider models.Provider
	readAt   time.Time
	list     *pricelist.List
	find     func(model string) []Row
}

// WithLive returns the list with current prices, which precede the table's. Use it for
// prices that you request yourself, such as a reseller's;
// github.com/mesh-gateway/mesh-go/discovery.Client.LivePrices requests Google's and
// xAI's. Your own prices ([List.With]) still take precedence. Prices for the same
// provider from an earlier WithLive are replaced. l does not change.
//
// # Which price applies
//
// A live row prices calls within 24 hours before or after ReadAt, unless the table
// changes the price in between. The table's prices are used if a live row has no price,
// or if the two differ by less than 0.001 USD per million tokens: Google truncates its
// prices.
//
// # Errors
//
// The error is a [*ValueError] if Provider is unknown, ReadAt is zero, a row has
// another provider, or [List.With] refuses a row.
func (l *List) WithLive(live Live) (*List, error) {
	p, err := live.check()
	if err != nil {
		return nil, err
	}
	sent := livePrices{provider: p, readAt: live.ReadAt, find: live.Find}
	index := pricelist.New(sent.rows(live.Rows))
	var rows []pricelist.Row
	for _, model := range index.Models() {
		rows = append(rows, sent.settled(index.Model(string(p), model), l.find(p, model).listed)...)
	}
	sent.list = l.namedRows(rows)
	list := *l
	list.live = make(map[models.Provider]livePrices)
	maps.Copy(list.live, l.live)
	list.live[p] = sent
	return &list, nil
}

// check returns the provider in its own spelling.
func (live *Live) check() (models.Provider, error) {
	p := modelid.Canonical(live.Provider)
	switch {
	case modelid.Lookup(p) == nil:
		return "", invalid("Live.Provider", string(p), modelid.Unknown())
	case live.ReadAt.IsZero():
		return "", invalid("Live.ReadAt", "", "must not be zero")
	}
	for _, row := range live.Rows {
		if err := row.complete(); err != nil {
			return "", err
		}
		if row.Provider != p {
			return "", invalid("Provider", string(row.Provider), "must be the provider of the list, "+string(p))
		}
	}
	return p, nil
}

// rows drops kinds other than standard text.
func (live livePrices) rows(given []Row) []pricelist.Row {
	var rows []pricelist.Row
	for i := range given {
		if row := given[i].listed(); row.Kind == (pricelist.Kind{}) {
			row.Provider = string(live.provider)
			rows = append(rows, row)
		}
	}
	return rows
}

// Models returns a provider's sorted model ids from your own rows and the table. Models
// that only live prices have are left out.
func (l *List) Models(p models.Provider) []string {
	p = modelid.Canonical(p)
	var ids []string
	for _, rows := range [][]pricelist.Row{l.own.list.Rows(), l.table.Rows()} {
		for i := range rows {
			if rows[i].Provider == string(p) {
				ids = append(ids, rows[i].Model)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// released returns rows for an id in neither list, such as a model release with a SKU.
func (live livePrices) released(id string) []pricelist.Row {
	if live.find == nil {
		return nil
	}
	return live.settled(live.rows(live.find(id)), nil)
}

// settled completes live rows from the table. If two prices differ only by a truncation,
// it takes the table's. A live row that agrees with the table also gets the prices it
// lacks, and a live row without any price becomes the table's row.
//
// The rows are in force for a day before and after the reading, unless the table changes
// in between. The result is nil if no row has a price.
func (live livePrices) settled(rows, listed []pricelist.Row) []pricelist.Row {
	rows, listed = slices.Clone(rows), standardText(listed)
	for i := range rows {
		for _, row := range listed {
			if row.ValidAt(live.readAt) && row.MinPrompt == rows[i].MinPrompt {
				rows[i].SettleBy(&row)
			}
		}
		if row, _ := pricelist.InForce(listed, pricelist.Kind{}, live.readAt, rows[i].MinPrompt); !rows[i].Priced() && row != nil && row.Priced() {
			length, model := rows[i].MinPrompt, rows[i].Model
			rows[i] = *row
			rows[i].MinPrompt, rows[i].Model = length, model
		}
	}
	if !slices.ContainsFunc(rows, func(r pricelist.Row) bool { return r.Priced() }) {
		return nil
	}
	rows = append(rows, live.missingTiers(rows, listed)...)
	from, until := live.period(listed)
	for i := range rows {
		rows[i].SetLive(from, until)
	}
	return rows
}

// standardText returns the rows that a live list may have, too.
func standardText(rows []pricelist.Row) (text []pricelist.Row) {
	for _, row := range rows {
		if row.Kind == (pricelist.Kind{}) {
			text = append(text, row)
		}
	}
	return text
}

// period returns when live rows are in force: 24 hours before and after the reading, but
// not beyond a change in the table.
func (live livePrices) period(listed []pricelist.Row) (from, until time.Time) {
	const valid = 24 * time.Hour
	from, until = live.readAt.Add(-valid), live.readAt.Add(valid)
	for _, row := range listed {
		for _, change := range []time.Time{row.From, row.Until} {
			switch {
			case !change.After(live.readAt) && change.After(from):
				from = change
			case change.After(live.readAt) && change.Before(until):
				until = change
			}
		}
	}
	return from, until
}

// missingTiers returns the table's long prompt rows if xAI's live list lacks them: its
// fields for them are optional.
func (live livePrices) missingTiers(rows, listed []pricelist.Row) (tiers []pricelist.Row) {
	if live.provider != models.XAI || slices.ContainsFunc(rows, func(r pricelist.Row) bool { return r.MinPrompt > 0 }) {
		return nil
	}
	for _, row := range listed {
		if row.MinPrompt > 0 && row.ValidAt(live.readAt) {
			row.Model = rows[0].Model
			tiers = append(tiers, row)
		}
	}
	return tiers
}
