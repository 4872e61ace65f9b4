package demo

import (
	"bytes"
	"encoding/json"
	"os"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// billDays are the last days before today, which the bill has.
const billDays = 28

// bill writes OpenAI's bill of the last 28 days, and compares it with the calls.
func (s *story) bill() (*bills.Comparison, error) {
	groups, err := calls.Sum(calls.Options{
		From: s.day(billDays), To: s.today, By: [][]string{{"day", "model", "provider", "platform", "billing"}},
	}, s.path(callsFolder))
	if err != nil {
		return nil, err
	}
	var buckets []any
	for ago := billDays; ago > 0; ago-- {
		var items []any
		day := s.day(ago)
		for _, g := range groups[0] {
			if g.By[0] != day.Format(time.DateOnly) || g.By[2] != string(models.OpenAI) {
				continue
			}
			if items, err = s.addItems(items, &g, ago); err != nil {
				return nil, err
			}
		}
		buckets = append(buckets, map[string]any{
			"object": "bucket", "start_time": day.Unix(), "end_time": s.day(ago - 1).Unix(), "results": items,
		})
	}
	text, err := json.MarshalIndent(map[string]any{"object": "page", "data": buckets, "has_more": false, "next_page": nil}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.path(billFile), text, 0o600); err != nil {
		return nil, err
	}
	r, err := discovery.ReadOpenAIBill(bytes.NewReader(text), discovery.SavedBill{})
	if err != nil {
		return nil, err
	}
	c, err := r.WithCalls(groups[0]).Compare(bills.DefaultLimitPercent)
	if err != nil {
		return nil, err
	}
	s.section("OpenAI's bill of the last 28 days, beside the calls")
	for _, sentence := range c.Sentences() {
		s.line("%s", sentence)
	}
	return c, nil
}

// addItems adds the line items of a model on a day, one for each kind of token. On one day the bill has three times the tokens of the calls, and
// on another one twice the price.
func (s *story) addItems(items []any, g *calls.Group, ago int) ([]any, error) {
	model, more, price := g.By[1], int64(1), int64(1)
	switch {
	case model == "gpt-5.2" && ago == 9:
		more = 3
	case model == "gpt-4o-mini" && ago == 4:
		price = 2
	}
	input, cached, output := g.Usage.Input*more, g.Usage.CacheRead*more, g.Usage.Output*more
	for _, item := range []struct {
		kind   string
		tokens int64
		usage  prices.Usage
	}{
		{"input", input, prices.Usage{Input: input * price}},
		{"cached input", cached, prices.Usage{CacheRead: cached * price}},
		{"output", output, prices.Usage{Output: output * price}},
	} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: model, Usage: item.usage, At: s.day(ago)})
		if err != nil {
			return nil, err
		}
		items = append(items, map[string]any{
			"object": "organization.costs.result", "line_item": model + ", " + item.kind, "quantity": item.tokens, "quantity_unit": "tokens",
			"amount": map[string]any{"value": json.Number(cost.USD), "currency": "usd"},
		})
	}
	return items, nil
}
