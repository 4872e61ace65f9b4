package prices_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// BenchmarkCostOf prices one call, by the id in the price table and by other spellings.
func BenchmarkCostOf(b *testing.B) {
	list := prices.BuiltIn()
	query := prices.Call{
		Provider: models.OpenAI, Usage: prices.Usage{Input: 4000, CacheRead: 8000, Output: 1500},
		At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}
	for _, row := range []struct {
		name     string
		provider models.Provider
		id       string
	}{
		{"listed", models.OpenAI, "gpt-5.4"}, {"spelled", models.OpenAI, "openai/gpt-5-4"},
		{"bedrock", models.Anthropic, "us.anthropic.claude-opus-4-5-20251101-v1:0"},
		{"build", models.Anthropic, "claude-opus-4-6-20260205"},
		{"xai", models.XAI, "x-ai/grok-4.7"}, {"gemini", models.Gemini, "models/gemini-3.8-flash"}, {"deepseek", models.DeepSeek, "deepseek/deepseek-flash"},
	} {
		b.Run("id="+row.name, func(b *testing.B) {
			query.Provider, query.Model = row.provider, row.id
			b.ReportAllocs()
			for b.Loop() {
				if _, err := list.CostOf(query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCostOfFees(b *testing.B) {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, call := range map[string]prices.Call{
		"search": {Provider: models.OpenAI, Model: "gpt-5.4", Usage: prices.Usage{Input: 4000, CacheRead: 8000, Output: 1500, ToolUses: map[string]int64{"web_search": 2}}},
		"audio":  {Provider: models.Gemini, Model: "gemini-2.5-flash", Usage: prices.Usage{Input: 4000, AudioInput: 8000, Output: 1500}},
		"region": {Provider: models.Anthropic, Model: "claude-opus-5", Mode: "fast+us", Usage: prices.Usage{Input: 4000, Output: 1500}},
	} {
		call.At = at
		b.Run("with="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := prices.BuiltIn().CostOf(call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUSDOf is BenchmarkCostOf without cost lines.
func BenchmarkUSDOf(b *testing.B) {
	call := prices.Call{
		Provider: models.OpenAI, Model: "gpt-5.4", Usage: prices.Usage{Input: 4000, CacheRead: 8000, Output: 1500},
		At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := prices.BuiltIn().USDOf(call); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPricingForAnthropicModel(b *testing.B) {
	for name, id := range map[string]string{"listed": "claude-opus-4-5", "spelled": "anthropic/claude-opus-4.5"} {
		b.Run("id="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := discovery.PricingForAnthropicModel(id); !ok {
					b.Fatal(id)
				}
			}
		})
	}
}

// chatUsage is for a hand-written client.
type chatUsage struct {
	PromptTokens        int64 `json:"prompt_tokens"`
	CompletionTokens    int64 `json:"completion_tokens"`
	TotalTokens         int64 `json:"total_tokens"`
	PromptTokensDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		AudioTokens      int64 `json:"audio_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens          int64 `json:"reasoning_tokens"`
		AudioTokens              int64 `json:"audio_tokens"`
		AcceptedPredictionTokens int64 `json:"accepted_prediction_tokens"`
		RejectedPredictionTokens int64 `json:"rejected_prediction_tokens"`
	} `json:"completion_tokens_details"`
}

// BenchmarkParseUsage reads a chat completion's usage object; impl=baseline decodes it
// into a struct, and checks nothing.
func BenchmarkParseUsage(b *testing.B) {
	object := []byte(usageCases(b)[0].Usage)
	b.Run("impl=mesh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := prices.ParseUsage(models.OpenAI, object); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("impl=baseline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u chatUsage
			if err := json.Unmarshal(object, &u); err != nil {
				b.Fatal(err)
			}
		}
	})
}
