package prices

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Limit for ReadCSV, in bytes.
const maxPricesFile = 32 << 20

var errPricesFileTooBig = fmt.Errorf("is longer than %d bytes", maxPricesFile)

// ownPrices has With's rows: verbatim, and as CostOf reads them.
type ownPrices struct {
	given []Row
	list  *pricelist.List
}

// rows returns listed rows verbatim, as the caller gave them to With.
func (o ownPrices) rows(listed []pricelist.Row) []Row {
	rows := make([]Row, len(listed))
	for i := range listed {
		rows[i] = o.given[listed[i].Index]
	}
	return rows
}

// With returns the list with your own prices, which take precedence over all others.
// Use it for contract prices, fine-tuned models or new ones. l does not change.
//
// A row with an invalid Provider, no ModelHint, a negative threshold, an invalid
// period, or a price that is negative or above 1e15 is a [*ValueError].
//
// # Which row applies
//
// A row applies to its ModelHint in any spelling, from ValidFrom until ValidUntil, and
// to prompts with TierThresholdTokens or more. A build needs its own row, except for
// Claude. If several rows apply, the one with the highest threshold wins, and among
// equal ones the first. Rows from a later With come before rows from an earlier one.
// Outside the period the model has its listed price.
//
// No factor applies: batch or another mode needs a row with that Mode. [ModePeak] and
// [ModeOffPeak] rows for DeepSeek are chosen by the hour. Fees are still those in
// [List.Fees].
//
// # Modalities and free models
//
// The price "" is unknown. A row with Modality audio or image prices those tokens; if a
// model has your row for text, listed rows don't bill them. A row whose prices are "0"
// or "", at least one "0", declares the model free: whatever it uses costs only fees.
//
// # Providers and platforms
//
// Provider is one of the five, or any name with at most 64 lower-case letters, digits,
// dots and hyphens, such as a host that meter.WithEndpoint names. A developer's row
// holds on every platform. A row whose Provider is a Platform holds only there.
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

// Default Source for rows in With.
const sourceOwn = "the caller's own price"

// complete checks the row and writes the provider in its usual spelling.
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

// maxPrice keeps every cost a finite float64.
const maxPrice = 1e15

func (r *Row) checkPrices() error {
	for _, price := range []struct {
		field string
		usd   USD
	}{
		{"InputPerMTok", r.InputPerMTok}, {"OutputPerMTok", r.OutputPerMTok}, {"CacheReadPerMTok", r.CacheReadPerMTok},
		{"CacheWrite5mPerMTok", r.CacheWrite5mPerMTok}, {"CacheWrite1hPerMTok", r.CacheWrite1hPerMTok},
	} {
		if price.usd == "" {
			continue
		}
		if usd := pricelist.ParsePrice(price.usd); usd == nil || usd.Float64() > maxPrice {
			return invalid(price.field, string(price.usd), "must be a plain decimal such as 2.5, at most 1e15")
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

// listed needs a valid row.
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

func (r *Row) kind() pricelist.Kind {
	kind := pricelist.Kind{Mode: usage.Mode(r.Mode, ""), Modality: r.Modality}
	if kind.Modality == ModalityText {
		kind.Modality = ""
	}
	return kind
}
