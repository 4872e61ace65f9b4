package focus_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/focus"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// The platform is the provider of the service, and the developer of the model its publisher.
func TestCallsOnPlatforms(t *testing.T) {
	t.Parallel()
	const converse, chat = `{"inputTokens":400,"outputTokens":0,"totalTokens":400}`, `{"prompt_tokens":400,"completion_tokens":0,"total_tokens":400}`
	list, err := prices.BuiltIn().With(prices.Row{Provider: "groq", ModelHint: "llama", InputPerMTok: "0", OutputPerMTok: "0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		of    calls.Record
		usage string
		want  map[string]string
	}{
		{"Bedrock", calls.Record{Platform: "bedrock", Provider: "anthropic", Model: "claude-sonnet-4-6", API: "converse", Region: "us-west-2", Profile: "us", USD: "0.00132"}, converse, map[string]string{
			"ProviderName": "AWS", "InvoiceIssuerName": "AWS", "PublisherName": "Anthropic", "ServiceName": "Amazon Bedrock", "RegionId": "us-west-2",
			"BilledCost": "0.00132", "ListUnitPrice": "3.3", "ConsumedQuantity": "400", "ConsumedUnit": "Tokens", "x_Provider": "anthropic",
			"SkuId": "bedrock/claude-sonnet-4-6/input", "SkuPriceId": "bedrock/claude-sonnet-4-6/input/standard/us", "x_CostSource": "metered",
		}},
		{"Vertex, not priced yet", calls.Record{Platform: "vertex", Provider: "gemini", Model: "gemini-2.5-pro", API: "openai", Region: "us-central1"}, chat, map[string]string{
			"ProviderName": "Google Cloud", "PublisherName": "Google", "ServiceName": "Vertex AI", "RegionId": "us-central1", "BilledCost": "0.0005",
		}},
		{"Azure", calls.Record{Platform: "azure", Provider: "openai", Model: "gpt-4o", Region: "data-zone", USD: "0.0011"}, chat, map[string]string{
			"ProviderName": "Microsoft", "PublisherName": "OpenAI", "ServiceName": "Azure AI Foundry", "RegionId": "", "ListUnitPrice": "2.75",
			"SkuPriceId": "azure/gpt-4o/input/standard/data-zone",
		}},
		{"OpenRouter", calls.Record{Platform: "openrouter", Model: "z-ai/glm-5", API: "openai", USD: "0.0005", Source: "charged by the provider"},
			`{"prompt_tokens":400,"completion_tokens":0,"total_tokens":400,"cost":0.0005}`, map[string]string{
				"ProviderName": "OpenRouter", "PublisherName": "OpenRouter", "ServiceName": "OpenRouter API", "RegionId": "", "BilledCost": "0.0005",
				"x_Provider": "", "x_CostSource": "charged", "SkuId": "openrouter/z-ai/glm-5/charged", "SkuPriceDetails": `{"x_ModelId":"z-ai/glm-5","x_TokenType":"charged"}`,
			}},
		{"a host of one's own", calls.Record{Provider: "groq", Model: "llama", USD: "0"}, chat, map[string]string{
			"ProviderName": "groq", "PublisherName": "groq", "ServiceName": "groq API", "BilledCost": "0", "ConsumedQuantity": "400", "SkuId": "llama/input",
			"SkuPriceDetails": `{"x_ModelId":"llama","x_TokenType":"input"}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := c.of
			r.Time, r.Status, r.Usage = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), 200, json.RawMessage(c.usage)
			records := focus.NewCalls(list, "")
			if err := records.Add(r); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := records.WriteCSV(&out); err != nil {
				t.Fatal(err)
			}
			_, rows := readRows(t, out.String())
			if len(rows) != 1 {
				t.Fatalf("%d rows, want 1:\n%s", len(rows), out.String())
			}
			for column, want := range c.want {
				if rows[0][column] != want {
					t.Errorf("%s is %q, want %q", column, rows[0][column], want)
				}
			}
		})
	}
}
