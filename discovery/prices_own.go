package discovery

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// ownPrices are the rows of With: as they were given, and as CostOf reads them.
type ownPrices struct {
	given []ProviderPricing
	list  *pricelist.List
}

// pricings returns rows of the list as they were given.
func (o ownPrices) pricings(rows []pricelist.Row) []ProviderPricing {
	pricings := make([]ProviderPricing, len(rows))
	for i := range rows {
		pricings[i] = o.given[rows[i].Index].clone()
	}
	return pricings
}

// With returns the list with your own prices, which take precedence over all others: those of a contract, of a fine-tuned model
// or of a new one. l does not change.
//
// A row applies to the model of its ModelHint in any spelling, from ValidFrom until ValidUntil, and to prompts of
// TierThresholdTokens or more. A build needs its own row, except a build of Claude. Of several rows that apply, the one with
// the highest threshold is used, and among equal ones the first; those of a later With come before those of an earlier one. At
// other times the model has its listed price. No factor is applied: a batch or another mode needs a row with that Mode. A price
// is read as its shortest decimal, and a nil price is unknown. A row of Modality audio or image prices those
// tokens; a model with a row for text is not billed by listed rows for them. Rows of [ModePeak] and [ModeOffPeak] of DeepSeek are
// chosen by the hour. Fees are those of [PriceList.Fees].
//
// A row with an unknown Provider, no ModelHint, a negative threshold, an invalid period, or a price that is negative or above
// 1e15 is a [*ValueError].
func (l *PriceList) With(rows ...ProviderPricing) (*PriceList, error) {
	given := make([]ProviderPricing, len(rows), len(rows)+len(l.own.given))
	for i := range rows {
		given[i] = rows[i].clone()
		if err := given[i].complete(); err != nil {
			return nil, err
		}
		given[i].Source = cmp.Or(given[i].Source, sourceOwn)
	}
	given = append(given, l.own.given...)
	priced := make([]pricelist.Row, len(given))
	for i := range given {
		priced[i] = given[i].row()
	}
	list := *l
	list.own = ownPrices{given, l.namedRows(priced)}
	return &list, nil
}

// sourceOwn is the Source of rows of With without a Source.
const sourceOwn = "the caller's own price"

// complete checks a row, and sets its provider to its own spelling.
func (p *ProviderPricing) complete() error {
	known, err := checkModel(p.Provider, p.ModelHint, "ModelHint")
	if err != nil {
		return err
	}
	p.Provider, p.ModelHint = known, strings.TrimSpace(p.ModelHint)
	if p.TierThresholdTokens < 0 {
		return &ValueError{Field: "TierThresholdTokens", Value: strconv.FormatInt(p.TierThresholdTokens, 10), Reason: "must not be negative"}
	}
	if err := p.checkPrices(); err != nil {
		return err
	}
	return p.checkPeriod()
}

// maxPrice bounds a price, so that every cost is a finite float64.
const maxPrice = 1e15

func (p *ProviderPricing) checkPrices() error {
	for _, price := range []struct {
		field string
		usd   *float64
	}{
		{"InputPerMTok", p.InputPerMTok}, {"OutputPerMTok", p.OutputPerMTok}, {"CacheReadPerMTok", p.CacheReadPerMTok},
		{"CacheWrite5mPerMTok", p.CacheWrite5mPerMTok}, {"CacheWrite1hPerMTok", p.CacheWrite1hPerMTok},
	} {
		if price.usd != nil && !(*price.usd >= 0 && *price.usd <= maxPrice) { // NaN too
			return &ValueError{Field: price.field, Value: strconv.FormatFloat(*price.usd, 'g', -1, 64), Reason: "must be between 0 and 1e15"}
		}
	}
	return nil
}

func (p *ProviderPricing) checkPeriod() error {
	from, err := pricelist.ParseTime(ptr.Value(p.ValidFrom))
	if err != nil || (p.ValidFrom != nil && *p.ValidFrom == "") {
		return &ValueError{Field: "ValidFrom", Value: argument.Shown(*p.ValidFrom), Reason: "must be a date such as 2026-12-01 or an RFC 3339 time"}
	}
	until, err := pricelist.ParseTime(ptr.Value(p.ValidUntil))
	if err != nil || (p.ValidUntil != nil && *p.ValidUntil == "") {
		return &ValueError{Field: "ValidUntil", Value: argument.Shown(*p.ValidUntil), Reason: "must be a date such as 2026-12-01 or an RFC 3339 time"}
	}
	if p.ValidFrom != nil && p.ValidUntil != nil && !from.Before(until) {
		return &ValueError{Field: "ValidUntil", Value: *p.ValidUntil, Reason: "must be after ValidFrom"}
	}
	return nil
}

// row returns a valid row as CostOf reads it.
func (p *ProviderPricing) row() pricelist.Row {
	from, _ := pricelist.ParseTime(ptr.Value(p.ValidFrom))
	until, _ := pricelist.ParseTime(ptr.Value(p.ValidUntil))
	return pricelist.Row{
		Provider: string(p.Provider), Model: p.ModelHint, Kind: p.kind(), MinPrompt: p.TierThresholdTokens,
		Input: pricelist.FromFloat(p.InputPerMTok), Output: pricelist.FromFloat(p.OutputPerMTok),
		CacheRead: pricelist.FromFloat(p.CacheReadPerMTok), CacheWrite5m: pricelist.FromFloat(p.CacheWrite5mPerMTok),
		CacheWrite1h: pricelist.FromFloat(p.CacheWrite1hPerMTok),
		From:         from, Until: until, Source: p.Source, VerifiedAt: ptr.Value(p.VerifiedAt),
	}
}

// kind returns what the prices of a row are for.
func (p *ProviderPricing) kind() pricelist.Kind {
	kind := pricelist.Kind{Mode: usage.Mode(p.Mode, ""), Modality: p.Modality}
	if kind.Modality == ModalityText {
		kind.Modality = ""
	}
	return kind
}
