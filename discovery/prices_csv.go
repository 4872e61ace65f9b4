package discovery

import (
	"encoding/csv"
	"io"
	"strconv"
)

// pricesHeader is the first line of WritePricesCSV. A column keeps its name and place; a new one is appended.
var pricesHeader = []string{
	"provider", "model_hint", "sku_id", "sku_description", "input_per_mtok", "output_per_mtok", "cache_read_per_mtok",
	"cache_write_5m_per_mtok", "cache_write_1h_per_mtok", "tier_threshold_tokens", "usage_unit", "source", "verified_at",
	"valid_from", "valid_until", "modality", "mode",
}

// WritePricesCSV writes rows such as those of [ListPrices] as CSV, for a database to join with calls; docs/scale.md has the
// join. The first line has the names of the columns, which are those of the JSON of [ProviderPricing] without raw_pricing. They
// keep their names and order: a new column comes last. A price is written as its shortest decimal, without an exponent. A price
// that is not known and an open date are empty, never 0. The error is that of w.
func WritePricesCSV(w io.Writer, rows []ProviderPricing) error {
	out := csv.NewWriter(w)
	_ = out.Write(pricesHeader) // an error stays, and Error returns it
	for i := range rows {
		_ = out.Write(rows[i].cells())
	}
	out.Flush()
	return out.Error()
}

// cells returns the row in the order of pricesHeader.
func (p *ProviderPricing) cells() []string {
	return []string{
		string(p.Provider), p.ModelHint, p.SKUID, p.SKUDescription,
		priceCell(p.InputPerMTok), priceCell(p.OutputPerMTok), priceCell(p.CacheReadPerMTok),
		priceCell(p.CacheWrite5mPerMTok), priceCell(p.CacheWrite1hPerMTok),
		strconv.FormatInt(p.TierThresholdTokens, 10), deref(p.UsageUnit), p.Source, deref(p.VerifiedAt),
		deref(p.ValidFrom), deref(p.ValidUntil), p.Modality, p.Mode,
	}
}

func priceCell(usd *float64) string {
	if usd == nil {
		return ""
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}
