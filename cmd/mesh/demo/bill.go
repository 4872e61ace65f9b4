package demo

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// billDays are the last days before today, which the bill has.
const billDays = 28

// difference is where the bill differs from the calls: in the tokens, or in the price.
type difference struct {
	ago    int
	model  string
	factor int64
	tokens bool
}

// differences returns the two places in which the bill differs.
func differences() []difference {
	return []difference{{9, "gpt-5.2", 3, true}, {4, "gpt-4o-mini", 2, false}}
}

// result is a result of OpenAI's costs, and bucket a day.
type (
	result struct {
		Object   string         `json:"object"`
		Amount   map[string]any `json:"amount"`
		LineItem string         `json:"line_item"`
		Quantity *json.Number   `json:"quantity"`
		Unit     string         `json:"quantity_unit"`
	}
	bucket struct {
		Object  string   `json:"object"`
		Start   int64    `json:"start_time"`
		End     int64    `json:"end_time"`
		Results []result `json:"results"`
	}
)

// kinds are the kinds of tokens of the calls, as OpenAI names them on a bill.
var kinds = []struct {
	name string
	of   func(*prices.Usage) *int64
}{
	{"input", func(u *prices.Usage) *int64 { return &u.Input }},
	{"cached input", func(u *prices.Usage) *int64 { return &u.CacheRead }},
	{"output", func(u *prices.Usage) *int64 { return &u.Output }},
}

// bill writes OpenAI's bill of the last 28 days, and compares it with the calls.
func (s *story) bill() (*bills.Comparison, error) {
	from := s.today.AddDate(0, 0, -billDays)
	groups, err := calls.Sum(calls.SumOptions{From: from, To: s.today, By: [][]string{{"day", "model", "provider", "platform", "billing"}}}, s.path(callsFolder))
	if err != nil {
		return nil, err
	}
	buckets := make([]bucket, billDays)
	for i := range buckets {
		day := from.AddDate(0, 0, i)
		buckets[i] = bucket{"bucket", day.Unix(), day.AddDate(0, 0, 1).Unix(), []result{}}
	}
	for i := range groups[0] {
		g := &groups[0][i]
		if g.By[2] != string(models.OpenAI) {
			continue
		}
		day, err := time.Parse(time.DateOnly, g.By[0])
		if err != nil {
			return nil, err
		}
		b := &buckets[int(day.Sub(from).Hours())/24]
		items, err := s.billed(day, g)
		if err != nil {
			return nil, err
		}
		b.Results = append(b.Results, items...)
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

// billed returns the line items of a model on a day, one for each kind of token.
func (s *story) billed(day time.Time, g *calls.Group) (items []result, err error) {
	more, price := int64(1), big.NewRat(1, 1)
	for _, d := range differences() {
		if d.model != g.By[1] || !day.Equal(s.today.AddDate(0, 0, -d.ago)) {
			continue
		}
		if d.tokens {
			more = d.factor
		} else {
			price.SetInt64(d.factor)
		}
	}
	for _, kind := range kinds {
		var one prices.Usage
		*kind.of(&one) = *kind.of(&g.Usage) * more
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: g.By[1], Usage: one, At: day})
		if err != nil {
			return nil, err
		}
		usd, _ := new(big.Rat).SetString(cost.USD)
		amount, n := json.Number(plain(usd.Mul(usd, price))), json.Number(strconv.FormatInt(*kind.of(&one), 10))
		items = append(items, result{"organization.costs.result", map[string]any{"value": amount, "currency": "usd"}, g.By[1] + ", " + kind.name, &n, "tokens"})
	}
	return items, nil
}

// plain returns an amount as a decimal, which prices and the factors above always have.
func plain(r *big.Rat) string {
	const places = 18
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(places), "0"), ".")
}
