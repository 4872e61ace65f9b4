package prices

import (
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Live has the prices that a provider or a reseller publishes now, for [List.WithLive].
type Live struct {
	Provider models.Provider
	// ReadAt is when the prices were read.
	ReadAt time.Time
	// Rows are the standard prices of text, a row for each model and tier. Other modes and modalities have the prices of the table.
	Rows []Row
	// Find returns the rows of a model that neither Rows nor the list has under that id; nil if there are none. A nil Find has none.
	Find func(model string) []Row
}

// livePrices are the prices that a provider published at one time.
type livePrices struct {
	provider models.Provider
	readAt   time.Time
	list     *pricelist.List
	find     func(model string) []Row
}

// WithLive returns the list with prices that are in force now, which precede the prices of the table; your own prices
// ([List.With]) still take precedence. Prices of the same provider from an earlier WithLive are replaced. l does not change.
//
// A live row prices calls within 24 hours of ReadAt, unless the table has a change of the price in between. A row whose prices
// differ from the table by less than 0.001 USD per million tokens has the prices of the table: Google truncates its prices. A row
// without a price has the prices of the table.
//
// A row that [List.With] refuses, a row of another provider, an unknown Provider and a zero ReadAt are a [*ValueError].
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

// rows returns rows as CostOf reads them. Those of a kind other than standard text are left out.
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

// Models returns the ids of the models of a provider that your own rows and the table have, sorted. Those that only live prices
// have are left out.
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

// released returns the rows of a model that neither list has under that id, such as a release of a model with a SKU.
func (live livePrices) released(id string) []pricelist.Row {
	if live.find == nil {
		return nil
	}
	return live.settled(live.rows(live.find(id)), nil)
}

// settled returns live rows of a model with the prices of the table where the two differ by less than a truncation. A live row
// that agrees with the table takes from there the prices that the live list lacks. A live row without a price gets the row of the table.
// The rows are in force for a day before and after the reading, as long as the table has no change. The result is nil when no
// row has a price.
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

// standardText returns the rows for text in standard requests, the only prices that live lists have.
func standardText(rows []pricelist.Row) (text []pricelist.Row) {
	for _, row := range rows {
		if row.Kind == (pricelist.Kind{}) {
			text = append(text, row)
		}
	}
	return text
}

// period returns the time for which live rows are in force: within 24 hours of the reading, between two changes of the table.
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

// missingTiers returns the rows of the table for long prompts that xAI's live list lacks: its fields for them are optional.
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
