package discovery_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// The counts of a usage object overlap, differently for each provider. ParseUsage separates them.
func ExampleParseUsage() {
	usage, err := discovery.ParseUsage(discovery.OpenAI, []byte(`{"prompt_tokens": 12000, "completion_tokens": 1500, "total_tokens": 13500,
		"prompt_tokens_details": {"cached_tokens": 8000}, "completion_tokens_details": {"reasoning_tokens": 900}}`))
	fmt.Println(usage.Input, usage.CacheRead, usage.Output, err)

	_, err = discovery.ParseUsage(discovery.OpenAI, []byte(`{"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11,
		"prompt_tokens_details": {"cached_tokens": 11}}`))
	fmt.Println(err)
	// Output:
	// 4000 8000 1500 <nil>
	// mesh: usage.cached_tokens is more than prompt_tokens
}

// The cost of a call is exact, and has a line for each kind of token.
func ExamplePriceList_CostOf() {
	cost, err := discovery.BuiltInPrices().CostOf(discovery.Call{
		Provider: discovery.OpenAI,
		Model:    "gpt-5.4",
		Usage:    discovery.Usage{Input: 4000, CacheRead: 8000, Output: 1500},
		At:       time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	})
	if err != nil { // discovery.ErrUnpriced: the price is not known
		fmt.Println(err)
		return
	}
	fmt.Println(cost.Exact, "USD, prices of", *cost.VerifiedAt)
	for _, line := range cost.Lines {
		fmt.Printf("%-10s %5d × %s = %s\n", line.What, line.Tokens, line.USDPerMTok, line.USD)
	}
	// Output:
	// 0.0345 USD, prices of 2026-11-10
	// input       4000 × 2.5 = 0.01
	// cache_read  8000 × 0.25 = 0.002
	// output      1500 × 15 = 0.0225
}

// A price that is not known is never 0: the error names what is missing.
func ExampleUnpricedError() {
	_, err := discovery.BuiltInPrices().CostOf(discovery.Call{
		Provider: discovery.OpenAI, Model: "gpt-4o", Mode: "flex", At: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	})
	var unpriced *discovery.UnpricedError
	if errors.As(err, &unpriced) {
		fmt.Println(unpriced.What, unpriced.Name)
	}
	// Output:
	// mode flex
}

// A ledger adds up costs by day. A call without a known cost counts as unpriced.
func ExampleLedger() {
	ledger := discovery.NewLedger()
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	for _, model := range []string{"claude-opus-5-5", "claude-haiku-4-5", "claude-opus-5-5", "claude-of-tomorrow"} {
		cost, err := discovery.BuiltInPrices().CostOf(discovery.Call{
			Provider: discovery.Anthropic, Model: model, Usage: discovery.Usage{Input: 1000, Output: 100}, At: at,
		})
		if err != nil && !errors.Is(err, discovery.ErrUnpriced) {
			fmt.Println(err)
			return
		}
		ledger.Add(at, &cost)
	}
	for _, day := range ledger.Days() {
		fmt.Println(day.Day, day.USD, day.ByModel, day.Unpriced)
	}
	fmt.Println(ledger.Total(at.Truncate(24*time.Hour), time.Time{}), ledger.Unpriced(time.Time{}, time.Time{}))
	// Output:
	// 2026-11-20 0.0135 map[claude-haiku-4-5:0.0015 claude-opus-5-5:0.012] 1
	// 0.0135 1
}

// A price of your own takes precedence over the built-in list, here for a fine-tuned model.
func ExamplePriceList_With() {
	price := func(usd float64) *float64 { return &usd }
	prices, err := discovery.BuiltInPrices().With(discovery.ProviderPricing{
		Provider:      discovery.OpenAI,
		ModelHint:     "ft:gpt-4o-2024-08-06:acme::1",
		InputPerMTok:  price(3.75),
		OutputPerMTok: price(15),
		Source:        "contract",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, err := prices.CostOf(discovery.Call{
		Provider: discovery.OpenAI, Model: "ft:gpt-4o-2024-08-06:acme::1", Usage: discovery.Usage{Input: 1000, Output: 200}, At: time.Now(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cost.Exact, "USD, from:", cost.Source)
	// Output:
	// 0.00675 USD, from: contract
}
