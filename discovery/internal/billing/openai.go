package billing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// OpenAIPage decodes a page from OpenAI's costs. It refuses a result that can't be added
// up.
func OpenAIPage(body []byte) (Page, error) {
	var page openai.CostPage
	if err := decodeOnce(&page, body); err != nil {
		return Page{}, err
	}
	p := Page{Days: make([]Day, len(page.Data)), More: page.HasMore, Next: page.GetNextPage()}
	for i, bucket := range page.Data {
		p.Days[i] = Day{Start: bucket.StartTime, End: bucket.EndTime, Raw: bucket.Results}
		if err := p.Days[i].decode(readOpenAICost); err != nil {
			return Page{}, fmt.Errorf("data[%d].%w", i, err)
		}
	}
	return p, nil
}

// A cost without an amount is unreadable, not free.
func readOpenAICost(raw json.RawMessage, c *Cost) error {
	var result openai.CostResult
	if err := result.UnmarshalJSON(raw); err != nil {
		if isOtherResult(raw) {
			return errNotCost
		}
		return err
	}
	if !strings.EqualFold(result.Amount.Currency, "usd") {
		return errNotUSD
	}
	c.LineItem, c.Project, c.Key = result.LineItem, result.ProjectID, result.APIKeyID
	c.User, c.APISource = result.UserID, result.APISource
	if amount, err := decimal.Read(result.GetQuantity()); err == nil && result.Quantity != nil && result.QuantityUnit != "" {
		c.quantity = &Quantity{amount, result.QuantityUnit}
	}
	var err error
	c.amount, err = decimal.Read(result.Amount.Value)
	return err
}

// isOtherResult reports whether a result names a kind other than a cost and has no
// amount.
func isOtherResult(raw json.RawMessage) bool {
	var result struct {
		Object string          `json:"object"`
		Amount json.RawMessage `json:"amount"`
	}
	err := json.Unmarshal(raw, &result)
	return err == nil && result.Object != "" && result.Object != "organization.costs.result" && (result.Amount == nil || string(result.Amount) == "null")
}
