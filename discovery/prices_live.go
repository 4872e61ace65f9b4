package discovery

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

const opLivePrices = "LivePrices"

// livePrices are the prices that a provider published at one time.
type livePrices struct {
	list   *pricelist.List
	skus   *geminisku.List // of Gemini
	readAt time.Time
}

// LivePrices returns base with the prices that Google (Gemini) and xAI publish now, which precede those of its table. A nil base
// is [BuiltInPrices]. The result is never nil.
//
// A live row prices calls within 24 hours of the time it was read (VerifiedAt), unless the table has a change of the price in
// between; ValidFrom and ValidUntil are that period. So a program that runs for long calls LivePrices again: the provider's list
// is cached for 24 hours. Your own prices in base ([PriceList.With]) still take precedence.
//
// The lists are read with the keys of [ServiceCloudBilling] and [ServiceXAI]. Without a key a list is not read, and that is not a
// [Failure]. A list that cannot be read is one, and the rows of base stay; with [WithStrictErrors] the error is returned beside
// the list.
//
// The Source of a live row is [SourceCloudBilling] or [SourceLanguageModels]. Google's SKUs are matched to the ids of base; the
// models that base does not have are listed under the names of the SKUs. Google truncates prices to billionths of a dollar per
// token, so where table and live list differ by less than 0.001 USD per million tokens, the live row has the price of the table.
func (c *Client) LivePrices(ctx context.Context, base *PriceList) (*PriceList, error) {
	if base == nil {
		base = BuiltInPrices()
	}
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	list := *base
	list.live = make(map[Provider]livePrices)
	maps.Copy(list.live, base.live)
	var errs []error
	for _, source := range liveLists {
		live, failure := c.readLive(ctx, source, base)
		if failure != nil {
			errs = append(errs, c.report(ctx, failure))
		} else if live != nil {
			list.live[source.provider] = *live
		}
	}
	return &list, errors.Join(errs...)
}

// liveList is a service that publishes the prices of a provider.
type liveList struct {
	provider Provider
	service  Service
	read     func(*Client, context.Context, request, *PriceList) (*livePrices, *Failure)
}

var liveLists = []liveList{
	{Gemini, ServiceCloudBilling, (*Client).liveGemini},
	{XAI, ServiceXAI, (*Client).liveXAI},
}

// readLive returns the prices of one list; nil without a key.
func (c *Client) readLive(ctx context.Context, source liveList, base *PriceList) (*livePrices, *Failure) {
	key, err := c.key(ctx, source.service, Secret{})
	r := newRequest(opLivePrices, source.service, key, listTimeout)
	switch {
	case errors.Is(err, errNoKey):
		return nil, nil
	case err != nil:
		return nil, r.missingKey(err)
	}
	return source.read(c, ctx, r, base)
}

// liveGemini returns Google's prices under the ids of base, and those of other models under the names of their SKUs.
func (c *Client) liveGemini(ctx context.Context, r request, base *PriceList) (*livePrices, *Failure) {
	skus, failure := c.geminiPrices(ctx, r, PricingOptions{})
	if failure != nil {
		return nil, failure
	}
	live := &livePrices{skus: skus.prices, readAt: skus.verifiedAt()}
	listed := make(map[string]bool) // names of SKUs
	var rows []pricelist.Row
	for _, id := range base.ids(Gemini) {
		rows = append(rows, live.settled(live.geminiRows(id, listed), base.find(Gemini, id).listed)...)
	}
	for _, name := range skus.prices.Models() {
		if !listed[name] {
			rows = append(rows, live.settled(live.geminiRows(name, listed), nil)...)
		}
	}
	live.list = base.namedRows(rows)
	return live, nil
}

// ids returns the ids of a provider's models in the list, without those of live prices.
func (l *PriceList) ids(p Provider) []string {
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

// released returns the rows of a Gemini model that neither list has under that id, such as a release of a model with a SKU.
func (live livePrices) released(id string) []pricelist.Row {
	if live.skus == nil {
		return nil
	}
	return live.settled(live.geminiRows(id, nil), nil)
}

// settled returns live rows of a model with the prices of the table where the two differ by less than a truncation. A live row
// that agrees with the table takes from there the prices that the live list lacks, and one without a price is that of the table.
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
	from, until = live.readAt.Add(-DefaultPricingTTL), live.readAt.Add(DefaultPricingTTL)
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
	if slices.ContainsFunc(rows, func(r pricelist.Row) bool { return r.MinPrompt > 0 || r.Source != SourceLanguageModels }) {
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

// geminiRows returns the standard text prices of a Gemini model, a row for each tier; nil when the list has no such model, or the
// name is ambiguous. A tier whose price is not understood is a row without prices. The SKUs that are used are marked in seen.
func (live livePrices) geminiRows(model string, seen map[string]bool) []pricelist.Row {
	tiers, names := live.skus.Tiers(geminisku.Words(model))
	for name := range names {
		if seen != nil {
			seen[name] = true
		}
	}
	rows := make([]pricelist.Row, len(tiers))
	for i, tier := range tiers {
		rows[i] = pricelist.Row{
			Provider: string(Gemini), Model: model, Source: SourceCloudBilling, VerifiedAt: live.readAt.Format(time.RFC3339),
			Input: pricelist.FromFloat(tier.Input), Output: pricelist.FromFloat(tier.Output), CacheRead: pricelist.FromFloat(tier.CacheRead),
		}
		if tier.Threshold > 0 { // a round figure, above which the prices hold
			rows[i].MinPrompt = tier.Threshold + 1
		}
	}
	return rows
}
