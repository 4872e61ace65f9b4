package billing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
)

// AnthropicPage is a page of costs from Anthropic.
type AnthropicPage struct{ Page }

// UnmarshalJSON decodes a page. A result that cannot be added up is an error.
func (p *AnthropicPage) UnmarshalJSON(body []byte) error {
	var page anthropic.CostPage
	if err := decodeOnce(&page, body); err != nil {
		return err
	}
	p.More, p.Next = page.HasMore, page.GetNextPage()
	p.Days = make([]Day, len(page.Data))
	for i, bucket := range page.Data {
		p.Days[i] = Day{Start: bucket.StartingAt.Unix(), End: bucket.EndingAt.Unix(), Raw: bucket.Results}
		if err := p.Days[i].decode(readAnthropicCost); err != nil {
			return fmt.Errorf("data[%d].%w", i, err)
		}
	}
	return nil
}

// centPlaces converts cents to dollars.
const centPlaces = 2

// readAnthropicCost decodes a result. The amount is in cents.
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
