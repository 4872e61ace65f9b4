package billing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// AnthropicPage decodes a page from Anthropic's costs or usage report. It refuses a
// result that can't be added up.
func AnthropicPage(body []byte) (Page, error) {
	var page anthropic.CostPage
	if err := decodeOnce(&page, body); err != nil {
		return Page{}, err
	}
	p := Page{Days: make([]Day, len(page.Data)), More: page.HasMore, Next: page.GetNextPage()}
	for _, bucket := range page.Data {
		p.Usage = p.Usage || slices.ContainsFunc(bucket.Results, isUsage)
	}
	for i, bucket := range page.Data {
		p.Days[i] = Day{Start: bucket.StartingAt.Unix(), End: bucket.EndingAt.Unix()}
		if p.Usage {
			p.Days[i].Usage = bucket.Results
			continue
		}
		p.Days[i].Raw = bucket.Results
		if err := p.Days[i].decode(readAnthropicCost); err != nil {
			return Page{}, fmt.Errorf("data[%d].%w", i, err)
		}
	}
	return p, nil
}

// cents to dollars
const centPlaces = 2

// readAnthropicCost converts the amount from cents.
func readAnthropicCost(raw json.RawMessage, c *Cost) error {
	var result anthropic.CostResult
	if err := result.UnmarshalJSON(raw); err != nil {
		return err
	}
	if !strings.EqualFold(result.Currency, "usd") {
		return errNotUSD
	}
	amount, err := decimal.Parse(result.Amount)
	if err != nil {
		return err
	}
	c.amount, c.LineItem, c.Workspace = amount.Shift(centPlaces), result.Description, result.WorkspaceID
	return nil
}

// isUsage reports whether a result is from the usage report.
func isUsage(raw json.RawMessage) bool {
	var result struct {
		Input *json.RawMessage `json:"uncached_input_tokens"`
	}
	return json.Unmarshal(raw, &result) == nil && result.Input != nil
}

// WithUsage adds the usage report's pages, whose buckets may be shorter than a day.
func WithUsage(days, usage []Day) []Day {
	for _, used := range usage {
		for i := range days {
			if day := &days[i]; day.Start <= used.Start && used.End <= day.End {
				day.Usage = append(day.Usage, used.Usage...)
			}
		}
	}
	return days
}
