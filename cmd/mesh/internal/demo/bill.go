package demo

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// billDays are the last days before today, which the bill has.
const billDays = 28

// difference is where the bill differs from the calls: in the tokens and the amount, or in the amount alone.
type difference struct {
	ago      int
	model    string
	fraction *big.Rat
	tokens   bool
	what     string
}

// differences returns the two places in which the bill differs.
func differences() []difference {
	return []difference{
		{9, "gpt-5.2", big.NewRat(3, 1), true, "calls that were not counted"},
		{4, "gpt-4o-mini", big.NewRat(2, 1), false, "another price"},
	}
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

// bill writes OpenAI's bill of the last 28 days, and compares it with the calls.
func (s *story) bill() (*discovery.ReconciliationReport[discovery.CostBucket], error) {
	from := s.today.AddDate(0, 0, -billDays)
	groups, err := calls.Sum(calls.SumOptions{From: from, To: s.today, By: [][]string{{"day", "provider", "model"}}}, s.path(callsFolder))
	if err != nil {
		return nil, err
	}
	ledger, buckets := prices.NewLedger(), make([]bucket, billDays)
	for i := range buckets {
		day := from.AddDate(0, 0, i)
		buckets[i] = bucket{"bucket", day.Unix(), day.AddDate(0, 0, 1).Unix(), []result{}}
	}
	for _, g := range groups[0] {
		if g.By[1] != string(models.OpenAI) {
			continue
		}
		day, err := time.Parse(time.DateOnly, g.By[0])
		if err != nil {
			return nil, err
		}
		tokens := g.Usage.Input + g.Usage.CacheRead + g.Usage.Output
		ledger.Add(day, &prices.Cost{
			Provider: models.OpenAI, Model: g.By[2], USD: g.USD, Lines: []prices.Line{{What: "tokens", Tokens: tokens, USD: g.USD}},
		})
		b := &buckets[int(day.Sub(from).Hours())/24]
		b.Results = append(b.Results, s.billed(day, g.By[2], g.USD, tokens))
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
	r = r.WithLedger(ledger)
	s.describe(r.Compare())
	return r, nil
}

// billed returns the line item of a model on a day.
func (s *story) billed(day time.Time, model, usd string, tokens int64) result {
	amount, quantity := new(big.Rat), new(big.Rat).SetInt64(tokens)
	amount.SetString(usd)
	for _, d := range differences() {
		if d.model == model && day.Equal(s.today.AddDate(0, 0, -d.ago)) {
			amount.Mul(amount, d.fraction)
			if d.tokens {
				quantity.Mul(quantity, d.fraction)
			}
		}
	}
	n := json.Number(quantity.FloatString(0))
	return result{"organization.costs.result", map[string]any{"value": json.Number(plain(amount)), "currency": "usd"}, model + ", tokens", &n, "tokens"}
}

// plain returns an amount as a decimal, which prices and the fractions above always have.
func plain(r *big.Rat) string {
	const places = 18
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(places), "0"), ".")
}

func (s *story) describe(c discovery.BillComparison) {
	s.section("OpenAI's bill of the last 28 days, beside the calls")
	s.line("billed %s USD, counted %s USD; it differs in two places:", cents(c.Total.BilledUSD), cents(c.Total.CountedUSD))
	for _, d := range differences() {
		name := s.today.AddDate(0, 0, -d.ago).Format(time.DateOnly)
		for _, day := range c.Days {
			if day.Name == name {
				s.line("%s: %s USD more for %s (%s)", name, cents(day.DriftUSD), d.model, d.what)
			}
		}
	}
}

// cents returns an amount with two decimal places.
func cents(usd string) string {
	r, ok := new(big.Rat).SetString(usd)
	if !ok {
		return usd
	}
	return r.FloatString(2)
}
