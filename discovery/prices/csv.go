package prices

import (
	"encoding/csv"
	"io"
	"strconv"
)

// pricesHeader is the first line of WriteCSV. A column keeps its name and place; a new one is appended.
var pricesHeader = []string{
	"provider", "model_hint", "sku_id", "sku_description", "input_per_mtok", "output_per_mtok", "cache_read_per_mtok",
	"cache_write_5m_per_mtok", "cache_write_1h_per_mtok", "tier_threshold_tokens", "usage_unit", "source", "verified_at",
	"valid_from", "valid_until", "modality", "mode",
}

// WriteCSV writes the rows of the list, in the order of [List.Rows], as CSV for a database; examples/warehouse joins
// them with calls. The first line has the names of the columns, which are the JSON names of [Row]. Later versions add columns at the end only. A price is a decimal without an exponent. An
// unknown price and an open date are empty, never 0. An error of w is returned.
func (l *List) WriteCSV(w io.Writer) error {
	if w == nil {
		return invalid("w", "", "must not be nil")
	}
	out := csv.NewWriter(w)
	_ = out.Write(pricesHeader) // an error stays, and Error returns it
	for _, row := range l.Rows("") {
		_ = out.Write(row.cells())
	}
	out.Flush()
	return out.Error()
}

// cells returns the row in the order of pricesHeader.
func (r *Row) cells() []string {
	return []string{
		string(r.Provider), r.ModelHint, r.SKUID, r.SKUDescription, r.InputPerMTok, r.OutputPerMTok, r.CacheReadPerMTok,
		r.CacheWrite5mPerMTok, r.CacheWrite1hPerMTok, strconv.FormatInt(r.TierThresholdTokens, 10), r.UsageUnit, r.Source, r.VerifiedAt,
		r.ValidFrom, r.ValidUntil, r.Modality, r.Mode,
	}
}
