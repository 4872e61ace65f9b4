// Command prices measures package prices.
package main

import (
	"time"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func main() {
	measure.Main(map[string]func() func(){"cost": cost, "response": response})
}

// cost prices ids as the table spells them, and others.
func cost() func() {
	list, used := prices.BuiltIn(), prices.Usage{Input: 4000, CacheRead: 8000, Output: 1500}
	var calls []prices.Call
	for _, model := range []struct {
		provider models.Provider
		id       string
	}{
		{models.OpenAI, "gpt-5.4"}, {models.OpenAI, "openai/gpt-5-4"}, {models.Anthropic, "us.anthropic.claude-opus-4-5-20251101-v1:0"},
		{models.Anthropic, "claude-opus-4-6-20260205"}, {models.XAI, "x-ai/grok-4.7"}, {models.Gemini, "models/gemini-3.8-flash"},
	} {
		calls = append(calls, prices.Call{Provider: model.provider, Model: model.id, Usage: used, At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)})
	}
	return func() {
		for _, call := range calls {
			_, err := list.CostOf(call)
			measure.Must(err)
		}
	}
}

func response() func() {
	openAI := []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1774000000,"model":"gpt-5.4","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"The nightly build is green again.","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,` +
		`"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":128,"audio_tokens":0,` +
		`"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":null}`)
	anthropic := []byte(`{"id":"msg_01","type":"message","role":"assistant","model":"claude-opus-4-5-20251101","content":[{"type":"text","text":"Hello."}],` +
		`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":210,"cache_creation_input_tokens":188,"cache_read_input_tokens":5000,` +
		`"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":88},"output_tokens":503,"service_tier":"standard"}}`)
	return func() {
		_, err := prices.ParseResponse(models.OpenAI, openAI)
		measure.Must(err)
		_, err = prices.ParseResponse(models.Anthropic, anthropic)
		measure.Must(err)
	}
}
