package discovery

import (
	_ "embed" // for pricing_anthropic.csv
	"strconv"
	"strings"
	"sync"
)

// anthropicCSV is the data. Its head says what the columns mean.
//
//go:embed pricing_anthropic.csv
var anthropicCSV string

// anthropicSources is what the codes of the column source stand for.
var anthropicSources = map[string]string{
	"page":   "Anthropic's pricing page, as carried by kurofune/claudit 1.9.2",
	"tables": "third-party tables alone (one or two), not confirmed on Anthropic's pricing page",
	"one":    "a single third-party table, genai-prices 0.1.8, not confirmed on Anthropic's pricing page",
}

// anthropicPrices reads the data once, when it is first needed.
var anthropicPrices = sync.OnceValue(func() []ProviderPricing {
	var table []ProviderPricing
	for line := range strings.Lines(anthropicCSV) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "model_id,") {
			table = append(table, anthropicRow(strings.Split(strings.TrimSpace(line), ",")))
		}
	}
	return table
})

// anthropicRow reads a row: model_id, threshold, input, write_5m, write_1h, hit, output, source, verified_at. A test holds
// every row to that.
func anthropicRow(row []string) ProviderPricing {
	threshold, _ := strconv.ParseInt(row[1], 10, 64)
	p := ProviderPricing{
		Provider: Anthropic, ModelHint: row[0], SKUID: row[0], SKUDescription: row[0] + " list price",
		InputPerMTok: priceIn(row[2]), OutputPerMTok: priceIn(row[6]), TierThresholdTokens: threshold,
		Source: anthropicSources[row[7]], VerifiedAt: &row[8], Modality: ModalityText, Mode: ModeStandard,
	}
	if threshold > 0 {
		p.SKUID += "@" + row[1]
		p.SKUDescription += ", prompts from " + row[1] + " tokens"
	}
	if write, hour, hit := priceIn(row[3]), priceIn(row[4]), priceIn(row[5]); write != nil && hour != nil && hit != nil {
		p.RawPricing = &RawPricing{CacheWrite5m: *write, CacheWrite1h: *hour, CacheHit: *hit}
	}
	return p
}

// priceIn reads a price, nil where there is none.
func priceIn(text string) *float64 {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &usd
}
