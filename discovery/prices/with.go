package prices

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// maxPricesFile is the size of the largest text that ReadCSV reads, in bytes.
const maxPricesFile = 32 << 20

var errPricesFileTooBig = fmt.Errorf("is longer than %d bytes", maxPricesFile)

// ownPrices are the rows of With: as they were given, and as CostOf reads them.
type ownPrices struct {
	given []Row
	list  *pricelist.List
}

// rows returns rows of the list as they were given.
func (o ownPrices) rows(listed []pricelist.Row) []Row {
	rows := make([]Row, len(listed))
	for i := range listed {
		rows[i] = o.given[listed[i].Index]
	}
	return rows
}

// With returns the list with your own prices, which take precedence over all others: prices of a contract, of a fine-tuned model
// or of a new one. l does not change.
//
// A row applies to the model of its ModelHint in any spelling, from ValidFrom until ValidUntil, and to prompts of
// TierThresholdTokens or more. A build needs its own row, except a build of Claude. Of several rows that apply, the one with
// the highest threshold is used, and among equal ones the first; rows of a later With come before rows of an earlier one. At
// other times the model has its listed price. No factor is applied: a batch or another mode needs a row with that Mode. The
// price "" is unknown. A row of Modality audio or image prices those
// tokens; a model with a row for text is not billed by listed rows for them. Rows of [ModePeak] and [ModeOffPeak] of DeepSeek are
// chosen by the hour. Fees are the fees of [List.Fees].
//
// A Provider is one of the five, or any name of at most 64 lower-case letters, digits, dots and hyphens, such as the one of a host that
// meter.WithEndpoint names. A row of a developer holds on every platform, one whose Provider is the name of a Platform on that platform
// only. A row whose prices are "0" or "", at least one "0", declares the model free: whatever it uses costs nothing but fees.
//
// A row with an invalid Provider, no ModelHint, a negative threshold, an invalid period, or a price that is negative or above
// 1e15 is a [*ValueError].
func (l *List) With(rows ...Row) (*List, error) {
	given := make([]Row, len(rows), len(rows)+len(l.own.given))
	for i := range rows {
		given[i] = rows[i]
		if err := given[i].complete(); err != nil {
			return nil, err
		}
		given[i].Source = cmp.Or(given[i].Source, sourceOwn)
	}
	given = append(given, l.own.given...)
	priced := make([]pricelist.Row, len(given))
	for i := range given {
		priced[i] = given[i].listed()
	}
	list := *l
	list.own = ownPrices{given, l.namedRows(priced)}
	return &list, nil
}

// sourceOwn is the Source of rows of With without a Source.
const sourceOwn = "the caller's own price"

// complete checks a row, and sets its provider to its own spelling.
func (r *Row) complete() error {
	known, err := providerName(r.Provider, "Provider")
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(r.ModelHint) == "":
		return invalid("ModelHint", "", "must not be empty")
	}
	r.Provider, r.ModelHint = known, strings.TrimSpace(r.ModelHint)
	if r.TierThresholdTokens < 0 {
		return invalid("TierThresholdTokens", strconv.FormatInt(r.TierThresholdTokens, 10), "must not be negative")
	}
	if err := r.checkPrices(); err != nil {
		return err
	}
	return r.checkPeriod()
}

// maxPrice bounds a price, so that every cost is a finite float64.
const maxPrice = 1e15

func (r *Row) checkPrices() error {
	for _, price := range []struct{ field, usd string }{
		{"InputPerMTok", r.InputPerMTok}, {"OutputPerMTok", r.OutputPerMTok}, {"CacheReadPerMTok", r.CacheReadPerMTok},
		{"CacheWrite5mPerMTok", r.CacheWrite5mPerMTok}, {"CacheWrite1hPerMTok", r.CacheWrite1hPerMTok},
	} {
		if price.usd == "" {
			continue
		}
		if usd := pricelist.ParsePrice(price.usd); usd == nil || usd.Float64() > maxPrice {
			return invalid(price.field, price.usd, "must be a plain decimal such as 2.5, at most 1e15")
		}
	}
	return nil
}

func (r *Row) checkPeriod() error {
	from, err := pricelist.ParseTime(r.ValidFrom)
	if err != nil {
		return invalid("ValidFrom", r.ValidFrom, "must be a date such as 2026-12-01 or an RFC 3339 time")
	}
	until, err := pricelist.ParseTime(r.ValidUntil)
	if err != nil {
		return invalid("ValidUntil", r.ValidUntil, "must be a date such as 2026-12-01 or an RFC 3339 time")
	}
	if r.ValidFrom != "" && r.ValidUntil != "" && !from.Before(until) {
		return invalid("ValidUntil", r.ValidUntil, "must be after ValidFrom")
	}
	return nil
}

// listed returns a valid row as CostOf reads it.
func (r *Row) listed() pricelist.Row {
	from, _ := pricelist.ParseTime(r.ValidFrom)
	until, _ := pricelist.ParseTime(r.ValidUntil)
	return pricelist.Row{
		Provider: string(r.Provider), Model: r.ModelHint, Kind: r.kind(), MinPrompt: r.TierThresholdTokens,
		Input: pricelist.ParsePrice(r.InputPerMTok), Output: pricelist.ParsePrice(r.OutputPerMTok),
		CacheRead: pricelist.ParsePrice(r.CacheReadPerMTok), CacheWrite5m: pricelist.ParsePrice(r.CacheWrite5mPerMTok),
		CacheWrite1h: pricelist.ParsePrice(r.CacheWrite1hPerMTok),
		From:         from, Until: until, Source: r.Source, VerifiedAt: r.VerifiedAt,
	}
}

// kind returns what the prices of a row are for.
func (r *Row) kind() pricelist.Kind {
	kind := pricelist.Kind{Mode: usage.Mode(r.Mode, ""), Modality: r.Modality}
	if kind.Modality == ModalityText {
		kind.Modality = ""
	}
	return kind
}
