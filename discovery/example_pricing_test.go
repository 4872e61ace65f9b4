package discovery_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
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

// The price of some models depends on the length of the prompt.
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
	server := discoverytest.Start() // takes the place of Google's billing catalog
	defer server.Close()
	c := discovery.New(server.Options()...)
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

// The price list as CSV, for a database; docs/scale.md has the join. The JSON of the rows has the same names.
func ExamplePriceList_WriteCSV() {
	var table strings.Builder
	if err := discovery.BuiltInPrices().WriteCSV(&table); err != nil {
		fmt.Println(err)
		return
	}
	header, _, _ := strings.Cut(table.String(), "\n")
	fmt.Println(strings.ReplaceAll(header, ",", " "))
	// Output:
	// provider model_hint sku_id sku_description input_per_mtok output_per_mtok cache_read_per_mtok cache_write_5m_per_mtok cache_write_1h_per_mtok tier_threshold_tokens usage_unit source verified_at valid_from valid_until modality mode
}
