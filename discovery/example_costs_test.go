// These examples show usage, prices and costs.

package discovery_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
)

func ExamplePricingForAnthropicModel() {
	price, ok := discovery.PricingForAnthropicModel("anthropic/claude-opus-4.8")
	fmt.Println(ok, *price.InputPerMTok, *price.OutputPerMTok, price.RawPricing.CacheHit)
	_, ok = discovery.PricingForAnthropicModel("anthropic/claude-opus-4.8-fast")
	fmt.Println(ok)
	// Output:
	// true 5 25 0.5
	// false
}

// Some models' prices depend on the prompt length.
func ExamplePriceAt() {
	var rows []discovery.ProviderPricing
	for _, row := range discovery.ListAnthropicPricing() {
		if row.ModelHint == "claude-haiku-5-5" {
			rows = append(rows, row)
		}
	}
	for _, tokens := range []int64{100_000, 100_001} {
		row, _ := discovery.PriceAt(rows, tokens)
		fmt.Println(tokens, *row.InputPerMTok)
	}
	// Output:
	// 100000 0.1
	// 100001 0.5
}

func ExampleClient_PricingForGeminiModel() {
	server := discoverytest.Start() // stands in for Google's billing catalog
	defer server.Close()
	c, err := discovery.New(server.Options()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	price, err := c.PricingForGeminiModel(context.Background(), "gemini-3.7-flash", discovery.GeminiPriceQuery{
		Direction:      discovery.Input,
		PricingOptions: discovery.PricingOptions{APIKey: discovery.NewSecret("example-key")}, // default: GOOGLE_CLOUD_BILLING_API_KEY, else GOOGLE_CLOUD_API_KEY
	})
	if err != nil || price == nil {
		fmt.Println("not known", err)
		return
	}
	fmt.Println(*price, "USD per million tokens")
	// Output: 0.75 USD per million tokens
}

// A service starts with the facts it saved last, and updates them once a day.
func ExampleClient_UpdateFacts() {
	server := discoverytest.Start() // stands in for the repository
	defer server.Close()
	c, err := discovery.New(server.Options()...)
	if err != nil {
		log.Fatal(err)
	}
	var saved bytes.Buffer // a real program has a file
	current, err := facts.Read(&saved)
	if err != nil { // the first start
		current = facts.BuiltIn()
	}
	update := func() {
		newest, err := c.UpdateFacts(context.Background(), current)
		if err != nil {
			log.Print(err) // with WithStrictErrors; newest is current
		}
		current = newest // a service with goroutines has an atomic.Pointer to prices.Of(newest)
		if _, err := current.WriteTo(&saved); err != nil {
			log.Print(err) // a real program writes a temporary file and renames it
		}
	}
	update() // a real program repeats it with time.Tick(24 * time.Hour)
	fmt.Println(current.Version() == facts.BuiltIn().Version(), len(server.Requests()), "request")
	// Output: true 1 request
}
