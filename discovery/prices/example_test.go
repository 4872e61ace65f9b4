// These examples show usage, prices and costs.

package prices_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Counts in a usage object overlap, differently for each provider. ParseUsage separates
// them.
func ExampleParseUsage() {
	usage, err := prices.ParseUsage(models.OpenAI, []byte(`{"prompt_tokens": 12000, "completion_tokens": 1500, "total_tokens": 13500,
		"prompt_tokens_details": {"cached_tokens": 8000}, "completion_tokens_details": {"reasoning_tokens": 900}}`))
	fmt.Println(usage.Input, usage.CacheRead, usage.Output, err)

	_, err = prices.ParseUsage(models.OpenAI, []byte(`{"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11,
		"prompt_tokens_details": {"cached_tokens": 11}}`))
	fmt.Println(err)
	// Output:
	// 4000 8000 1500 <nil>
	// prices: usage.cached_tokens is more than prompt_tokens
}

// A call's cost is exact, with one line per token kind.
func ExampleList_CostOf() {
	cost, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.OpenAI,
		Model:    "gpt-5.4",
		Usage:    prices.Usage{Input: 4000, CacheRead: 8000, Output: 1500},
		At:       time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	})
	if err != nil { // prices.ErrUnpriced: the price is unknown
		fmt.Println(err)
		return
	}
	fmt.Println(cost.USD, "USD, prices of", *cost.VerifiedAt)
	for _, line := range cost.Lines {
		fmt.Printf("%-10s %5d × %s = %s\n", line.Kind, line.Tokens, line.USDPerMTok, line.USD)
	}
	// Output:
	// 0.0345 USD, prices of 2026-11-10
	// input       4000 × 2.5 = 0.01
	// cache_read  8000 × 0.25 = 0.002
	// output      1500 × 15 = 0.0225
}

// What does a model cost?
func ExampleList_Price() {
	price, ok := prices.BuiltIn().Price(models.OpenAI, "gpt-5.2", time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	fmt.Println(price.InputPerMTok, price.CacheReadPerMTok, price.OutputPerMTok, ok)
	// Output:
	// 1.75 0.175 14 true
}

// An unknown price is never 0: the error names what is missing.
func ExampleUnpricedError() {
	_, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.OpenAI, Model: "gpt-4o", Mode: "flex", At: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
	})
	var unpriced *prices.UnpricedError
	if errors.As(err, &unpriced) {
		fmt.Println(unpriced.Missing, unpriced.Name)
	}
	// Output:
	// mode flex
}

// Your own price takes precedence over the built-in list, here for a fine-tuned model.
func ExampleList_With() {
	list, err := prices.BuiltIn().With(prices.Row{
		Provider:      models.OpenAI,
		ModelHint:     "ft:gpt-4o-2024-08-06:acme::1",
		InputPerMTok:  "3.75",
		OutputPerMTok: "15",
		Source:        "contract",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, err := list.CostOf(prices.Call{
		Provider: models.OpenAI, Model: "ft:gpt-4o-2024-08-06:acme::1", Usage: prices.Usage{Input: 1000, Output: 200}, At: time.Now(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cost.USD, "USD, from:", cost.Source)
	// Output:
	// 0.00675 USD, from: contract
}

// A response names the model that answered. It also has items billed outside the usage
// object: here a service tier and a search.
func ExampleParseResponse() {
	response, err := prices.ParseResponse(models.OpenAI, []byte(`{"id": "resp_1", "model": "gpt-5.4-2026-03-05", "service_tier": "flex",
		"output": [{"type": "web_search_call", "action": {"type": "search", "query": "mesh"}}],
		"usage": {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}}`))
	fmt.Println(response.Model, response.Usage.Input, response.Usage.Output, response.Usage.Mode, response.Usage.ToolUses)
	fmt.Println(response.Complete, err)
	// Output:
	// gpt-5.4-2026-03-05 900 60 flex map[web_search:1]
	// true <nil>
}

// Anthropic's message events are merged. A stream that ends before the stop reason is not
// Complete.
func ExampleStream() {
	stream := prices.NewStream(models.Anthropic)
	for _, data := range []string{ // the data lines in server-sent events
		`{"type": "message_start", "message": {"id": "msg_1", "model": "claude-sonnet-5", "usage": {"input_tokens": 50, "output_tokens": 1,
			"cache_creation_input_tokens": 700, "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 700}}}}`,
		`{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 120}}`,
	} {
		if err := stream.Event([]byte(data)); err != nil {
			fmt.Println(err)
		}
		response, err := stream.Response()
		fmt.Println(response.Usage.Input, response.Usage.CacheWrite1h, response.Usage.Output, response.Complete, err)
	}
	// Output:
	// 50 700 1 false <nil>
	// 50 700 120 true <nil>
}

// WriteCSV exports the price list for a database; examples/warehouse joins it with calls.
// The rows' JSON has the same names.
func ExampleList_WriteCSV() {
	var table strings.Builder
	if err := prices.BuiltIn().WriteCSV(&table); err != nil {
		fmt.Println(err)
		return
	}
	header, _, _ := strings.Cut(table.String(), "\n")
	fmt.Println(strings.ReplaceAll(header, ",", " "))
	// Output:
	// provider model_hint sku_id sku_description input_per_mtok output_per_mtok cache_read_per_mtok cache_write_5m_per_mtok cache_write_1h_per_mtok tier_threshold_tokens usage_unit source verified_at valid_from valid_until modality mode
}

// Bedrock's Converse has its own response form. OpenRouter uses OpenAI's, and adds a
// cost.
func ExampleParseResponse_forms() {
	converse, err := prices.ParseResponse(prices.FormConverse, []byte(`{"usage": {"inputTokens": 12, "cacheReadInputTokens": 1028,
		"outputTokens": 185, "totalTokens": 1225}, "stopReason": "end_turn"}`))
	fmt.Println(converse.Usage.Input, converse.Usage.CacheRead, converse.Usage.Output, err)

	router, err := prices.ParseResponse(models.OpenAI, []byte(`{"id": "gen-1", "model": "z-ai/glm-5-turbo", "provider": "Z.AI",
		"usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4, "cost": 6e-8, "is_byok": false}}`))
	fmt.Println(router.Usage.ChargedUSD, router.Upstream, router.BYOK, err)
	// Output:
	// 12 1028 185 <nil>
	// 0.00000006 Z.AI false <nil>
}
