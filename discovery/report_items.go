package discovery

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Bill returns the line items by UTC day, for [bills.Compare]. They need a bill that is grouped by line item or description, as every bill
// of xAI is; without, a day is one item. A bucket of several days is one day, the first. The result has no items if the bill is not complete
// or has an amount that is not finite.
func (r *ReconciliationReport[B]) Bill() *bills.Bill {
	end := (calendar.DayNumber(time.Now()) + 1) * calendar.SecondsPerDay // of an open window
	if r.WindowEnd != nil {
		end = *r.WindowEnd
	}
	b := &bills.Bill{Provider: r.Provider, From: time.Unix(r.WindowStart, 0).UTC(), To: time.Unix(end, 0).UTC()}
	if r.actual() == nil {
		return b
	}
	name := r.modelNames()
	for _, bucket := range r.Buckets {
		day, items := spanOf(bucket).name(), bucket.items()
		for i := range items {
			item := &items[i]
			b.Items = append(b.Items, bills.Item{
				Day: day, Name: item.name, Model: name(item.modelOf(r.Provider)), Kind: item.kindOf(r.Provider), USD: prices.USD(item.usd.String()), Tokens: item.quantity.tokens(),
			})
		}
		if len(items) == 0 {
			b.Items = append(b.Items, bills.Item{Day: day, USD: prices.USD(decimalOf(bucket.usd()).String())})
		}
	}
	return b
}

// tokens returns a quantity of tokens; nil if it is not one.
func (q Quantity) tokens() *int64 {
	amount, err := decimal.Parse(q.Amount)
	switch {
	case err != nil:
		return nil
	case q.Unit == unitThousandTokens:
		amount = amount.Mul(decimal.New(1000, 0))
	case q.Unit != unitTokens:
		return nil
	}
	n := new(big.Int).Quo(amount.Rat().Num(), amount.Rat().Denom())
	if !n.IsInt64() {
		return nil
	}
	whole := n.Int64()
	return &whole
}

// The units of tokens.
const (
	unitTokens         = "tokens"
	unitThousandTokens = "1000_tokens"
)

// billedItem is a line item of a bucket.
type billedItem struct {
	name string
	// model and kind are those of the provider's own fields, or "".
	model, kind string
	usd         decimal.Decimal
	// quantity is the zero Quantity if it is not known.
	quantity Quantity
}

func (b CostBucket) items() []billedItem {
	if items := anthropicItems(b.RawResults, b.UsageResults); items != nil && len(b.LineItemBreakdown) > 0 {
		return items
	}
	items := make([]billedItem, 0, len(b.LineItemBreakdown))
	for name, usd := range b.LineItemBreakdown {
		items = append(items, billedItem{name: name, usd: decimalOf(usd), quantity: b.LineItemQuantities[name]})
	}
	return items
}

func (b TeamCostBucket) items() []billedItem {
	items := make([]billedItem, len(b.LineItems))
	for i, item := range b.LineItems {
		items[i] = billedItem{name: item.Description, usd: decimalOf(item.USD)}
	}
	return items
}

// feeWords are parts of the names of line items that no call pays by the token; those beside calls are others.
var feeWords = []string{"search", "grounding", "credit", "tool calls"}

// kindOf returns the kind of the item on a bill.
func (i *billedItem) kindOf(p models.Provider) string {
	name := strings.ToLower(i.name)
	unit := i.quantity.Unit
	isFee := func(word string) bool { return strings.Contains(name, word) }
	switch {
	case i.kind != "":
		return i.kind
	case unit != "" && unit != unitTokens && unit != unitThousandTokens, isBesideCalls(name), slices.ContainsFunc(feeWords, isFee):
		return bills.KindFee
	case p == models.Gemini:
		if strings.Contains(i.name, billing.TypeEnd) {
			return bills.KindFee
		}
		return cmp.Or(geminisku.KindOf(i.name), bills.KindFee)
	}
	model, kind, _ := strings.Cut(strings.ReplaceAll(name, "_", " "), ", ")
	media := ""
	if words := strings.Fields(model); len(words) > 1 && (words[1] == "audio" || words[1] == "image") {
		media = words[1] + "_"
	}
	switch strings.TrimSuffix(kind, " tokens") {
	case "input":
		return media + "input"
	case "cached input":
		return media + "cache_read"
	case "output":
		return media + "output"
	}
	return bills.KindTokens
}
