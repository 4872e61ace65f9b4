package prices_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

type platformExchange struct {
	Name    string `json:"name"`
	Request struct {
		URL string `json:"url"`
	} `json:"request"`
	Response struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Binary  []byte            `json:"body_base64"`
	} `json:"response"`
	Expect struct {
		expected
		Metered     bool     `json:"metered"`
		Complete    bool     `json:"complete"`
		Upstream    string   `json:"upstream"`
		BYOK        bool     `json:"byok"`
		UpstreamUSD string   `json:"upstream_usd"`
		USD         string   `json:"usd"`
		Unchecked   []string `json:"unchecked"`
	} `json:"expect"`
}

// form derives the response form from the URL: a real caller knows which request it made.
func (x *platformExchange) form() models.Provider {
	url := x.Request.URL
	for _, row := range []struct {
		part string
		form models.Provider
	}{
		{"/converse", prices.FormConverse}, {"/invoke", prices.FormInvoke}, {"api.cohere.com", prices.FormCohere}, {"/api/chat", prices.FormOllama},
		{"/api/generate", prices.FormOllama}, {"/api/embed", prices.FormOllama}, {"/publishers/google/", models.Gemini},
		{"/messages", models.Anthropic}, {"awPredict", models.Anthropic},
	} {
		if strings.Contains(url, row.part) {
			return row.form
		}
	}
	return models.OpenAI
}

// read parses the body by its content type.
func (x *platformExchange) read(form models.Provider) (prices.Response, error) {
	switch {
	case x.Response.Binary != nil:
		return prices.ParseResponse(form, x.Response.Binary)
	case !strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream"):
		return prices.ParseResponse(form, []byte(x.Response.Body))
	}
	stream := prices.NewStream(form)
	for _, data := range events(x.Response.Body) {
		if err := stream.Event([]byte(data)); err != nil {
			return prices.Response{}, err
		}
	}
	return stream.Response()
}

func readPlatforms(t testing.TB) []platformExchange {
	t.Helper()
	return readLines[platformExchange](t, "testdata/platforms.jsonl.gz")
}

// TestRecordedPlatforms reads every successful platform response, without a meter.
func TestRecordedPlatforms(t *testing.T) {
	t.Parallel()
	complete := 0
	for _, x := range readPlatforms(t) {
		if !x.Expect.Metered || x.Response.Status != 200 {
			continue
		}
		want := &x.Expect
		got, err := x.read(x.form())
		switch {
		case x.Name == "bedrock-invoke-09": // its output count is in a header
			require.EqualError(t, err, "prices: usage.outputTokens is missing")
			continue
		case !want.Complete:
			assert.False(t, got.Complete, x.Name)
			continue
		}
		require.NoError(t, err, x.Name)
		complete++
		assert.Equal(t, want.Upstream, got.Upstream, x.Name)
		assert.Equal(t, want.BYOK, got.BYOK, x.Name)
		assert.EqualValues(t, want.UpstreamUSD, got.UpstreamUSD, x.Name)
		if x.form() == prices.FormConverse { // its body has no id
			got.ID = want.ID
		}
		want.check(t, true, got, x.Name)
		if got.Model != "" {
			assert.Equal(t, want.Model, got.Model, x.Name)
		}
	}
	assert.Greater(t, complete, 110)
}

// A stream from OpenRouter costs what it says, although its counts contradict each other.
// The counts are unknown.
func TestNativeTokensOfOpenRouter(t *testing.T) {
	t.Parallel()
	list := readLines[platformExchange](t, "testdata/openrouter_native_tokens.jsonl.gz")
	require.Len(t, list, 13)
	for _, x := range list {
		got, err := x.read(models.OpenAI)
		require.NoError(t, err, x.Name)
		assert.Equal(t, prices.Usage{Mode: "count:reasoning_tokens", ChargedUSD: prices.USD(x.Expect.USD)}, got.Usage, x.Name)
		assert.True(t, got.Complete, x.Name)
		cost, err := prices.BuiltIn().CostOf(prices.Call{Platform: prices.PlatformOpenRouter, Model: got.Model, Usage: got.Usage, At: platformDay})
		require.NoError(t, err, x.Name)
		assert.EqualValues(t, x.Expect.USD, cost.USD, x.Name)
	}
}

// TestEventStreamsInPieces reads Bedrock's event streams in pieces of any size, and whole
// messages as events.
func TestEventStreamsInPieces(t *testing.T) {
	t.Parallel()
	streams := 0
	for _, x := range readPlatforms(t) {
		if x.Response.Binary == nil {
			continue
		}
		streams++
		want, wantErr := x.read(x.form())
		for _, reader := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader} {
			stream := prices.NewStream(x.form())
			_, err := io.Copy(stream, reader(bytes.NewReader(x.Response.Binary)))
			require.NoError(t, err)
			got, err := stream.Response()
			require.NoError(t, err, x.Name) // a cut stream may still continue
			if wantErr == nil {
				assert.Equal(t, want, got, x.Name)
			}
			assert.Equal(t, x.Expect.Complete, got.Complete, x.Name)
		}
		stream := prices.NewStream(x.form())
		require.NoError(t, stream.Event(x.Response.Binary))
		got, err := stream.Response()
		require.NoError(t, err)
		assert.Equal(t, x.Expect.Complete, got.Complete, x.Name)
	}
	assert.Greater(t, streams, 10)
}

func TestParseUsageOfForms(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		form  models.Provider
		usage string
		want  prices.Usage
	}{
		{
			"Converse: the cache is beside the input, under two names", prices.FormConverse,
			`{"inputTokens":3,"cacheReadInputTokens":1712,"cacheReadInputTokenCount":1712,"cacheWriteInputTokens":236,"cacheWriteInputTokenCount":236,"outputTokens":121,"serverToolUsage":{},"totalTokens":2072}`,
			prices.Usage{Input: 3, CacheRead: 1712, CacheWrite5m: 236, Output: 121},
		},
		{
			"Converse: writes by lifetime; the rest is for five minutes", prices.FormConverse,
			`{"inputTokens":3,"cacheWriteInputTokens":236,"outputTokens":1,"totalTokens":240,"cacheDetails":[{"ttl":"1h","inputTokens":100},{"inputTokens":36,"ttl":"5m"},{"ttl":"5m","inputTokens":0}]}`,
			prices.Usage{Input: 3, CacheWrite5m: 136, CacheWrite1h: 100, Output: 1},
		},
		{
			"Converse: another lifetime is a count that is not known", prices.FormConverse,
			`{"inputTokens":3,"cacheWriteInputTokens":6,"outputTokens":1,"cacheDetails":[{"ttl":"30m","inputTokens":6}]}`,
			prices.Usage{Input: 3, CacheWrite5m: 6, Output: 1, Mode: "count:cache_write_30m"},
		},
		{
			"Converse: a count that is not known", prices.FormConverse,
			`{"inputTokens":3,"outputTokens":1,"totalTokens":4,"audioTokens":2,"serverToolUsage":{"webSearchRequests":1}}`,
			prices.Usage{Input: 3, Output: 1, Mode: "count:audioTokens+count:webSearchRequests"},
		},
		{"InvokeModel: metrics", prices.FormInvoke, `{"inputTokenCount":12,"outputTokenCount":13,"invocationLatency":244,"cacheReadInputTokenCount":5}`, prices.Usage{Input: 12, CacheRead: 5, Output: 13}},
		{"InvokeModel: Claude", prices.FormInvoke, `{"input_tokens":12,"output_tokens":13,"cache_read_input_tokens":5}`, prices.Usage{Input: 12, CacheRead: 5, Output: 13}},
		{"InvokeModel: gpt-oss", prices.FormInvoke, `{"prompt_tokens":12,"completion_tokens":13,"total_tokens":25}`, prices.Usage{Input: 12, Output: 13}},
		{
			"OpenRouter", models.OpenAI,
			`{"prompt_tokens":8174,"completion_tokens":30,"total_tokens":8204,"cost":0.0133176,"is_byok":false,"cost_details":{"upstream_inference_cost":9},"server_tool_use_details":{"web_search_requests":1}}`,
			prices.Usage{Input: 8174, Output: 30, ChargedUSD: "0.0133176", ToolUses: map[string]int64{"web_search": 1}},
		},
		{"OpenRouter: a cost with an exponent", models.OpenAI, `{"prompt_tokens":3,"total_tokens":3,"cost":6e-8}`, prices.Usage{Input: 3, ChargedUSD: "0.00000006"}},
		{"OpenRouter: a cost of nothing", models.OpenAI, `{"prompt_tokens":3,"total_tokens":3,"cost":-0.0,"currency":"usd"}`, prices.Usage{Input: 3, ChargedUSD: "0"}},
		{"OpenRouter: no cost", models.OpenAI, `{"prompt_tokens":3,"total_tokens":3,"cost":null,"is_byok":null,"cost_details":null}`, prices.Usage{Input: 3}},
		{"OpenRouter: messages", models.Anthropic, `{"input_tokens":3,"output_tokens":1,"cache_read_input_tokens":4,"cost":0.5,"is_byok":false}`, prices.Usage{Input: 3, CacheRead: 4, Output: 1, ChargedUSD: "0.5"}},
		{
			"OpenRouter: Gemini reads and writes the same tokens", models.OpenAI,
			`{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101,"cost":1,"prompt_tokens_details":{"cached_tokens":90,"cache_write_tokens":95}}`,
			prices.Usage{CacheRead: 90, CacheWrite5m: 10, Output: 1, ChargedUSD: "1"},
		},
		{"other APIs have no charge", models.Gemini, `{"promptTokenCount":3,"cost":"x","currency":"EUR"}`, prices.Usage{Input: 3}},
		{"Together: cached tokens beside the details", models.OpenAI, `{"prompt_tokens":46,"completion_tokens":45,"total_tokens":91,"cached_tokens":6}`, prices.Usage{Input: 40, CacheRead: 6, Output: 45}},
		{
			"Mistral: audio beside the prompt", models.OpenAI,
			`{"prompt_audio_seconds":3,"prompt_tokens":5,"total_tokens":400,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":375},"service_tier":"standard"}`,
			prices.Usage{Input: 5, AudioInput: 375, Output: 20},
		},
		{
			"Grok on Azure: cached tokens beside the prompt, and a charge of xAI", models.OpenAI,
			`{"prompt_tokens":7,"completion_tokens":8,"total_tokens":15,"prompt_tokens_details":{"text_tokens":7,"cached_tokens":161},"num_sources_used":0,"cost_in_usd_ticks":12}`,
			prices.Usage{Input: 7, CacheRead: 161, Output: 8},
		},
		{"Cohere bills its units", prices.FormCohere, `{"billed_units":{"input_tokens":26,"output_tokens":102},"tokens":{"input_tokens":555},"cached_tokens":480}`, prices.Usage{Input: 26, Output: 102}},
		{"Cohere: units without a price", prices.FormCohere, `{"billed_units":{"input_tokens":0,"search_units":1}}`, prices.Usage{Mode: "count:search_units"}},
		{"Ollama", prices.FormOllama, `{"prompt_eval_count":8}`, prices.Usage{Input: 8}},
	} {
		got, err := prices.ParseUsage(row.form, []byte(row.usage))
		require.NoError(t, err, row.name)
		assert.Equal(t, row.want, got, row.name)
	}
}

func TestParseUsageRefusesOfForms(t *testing.T) {
	t.Parallel()
	const cost = `{"prompt_tokens":3,"total_tokens":3,`
	for _, row := range []struct {
		form         models.Provider
		usage, field string
	}{
		{prices.FormConverse, `{"inputTokens":3,"outputTokens":1,"totalTokens":5}`, "totalTokens is not the sum"},
		{prices.FormConverse, `{"inputTokens":3,"outputTokens":1,"cacheReadInputTokens":1,"cacheReadInputTokenCount":2}`, "cacheReadInputTokens has two values"},
		{prices.FormConverse, `{"inputTokens":3,"outputTokens":1,"cacheWriteInputTokens":1,"cacheDetails":[{"ttl":"1h","inputTokens":2}]}`, "cacheDetails have more"},
		{prices.FormConverse, `{"inputTokens":3,"outputTokens":1,"cacheDetails":[{"ttl":"1h","inputTokens":-2}]}`, "cacheDetails must have whole numbers"},
		{prices.FormConverse, `{"inputTokens":-3,"outputTokens":1}`, "inputTokens is negative"},
		{prices.FormConverse, `{"inputTokens":3}`, "outputTokens is missing"},
		{prices.FormConverse, `{"input_tokens":3,"output_tokens":1}`, "input_tokens does not belong"},
		{prices.FormConverse, `{"units":3,"a secret text":1,"price":{}}`, "inputTokens is missing; the object has units, price"},
		{prices.FormInvoke, `{}`, "inputTokens is missing"},
		{models.OpenAI, `{"inputTokens":3,"outputTokens":1}`, "does not belong"},
		{models.OpenAI, `{"units":3}`, "tokens is missing; the object has units"},
		{models.OpenAI, cost + `"cost":-0.1}`, "cost is negative"},
		{models.OpenAI, cost + `"cost":NaN}`, "is not valid JSON"},
		{models.OpenAI, cost + `"cost":1e999}`, "cost is not an amount of money"},
		{models.OpenAI, cost + `"cost":1,"currency":"EUR"}`, "cost is in another currency"},
		{models.OpenAI, cost + `"cost":1,"cost_details":{"currency":"credits"}}`, "cost is in another currency"},
		{models.OpenAI, cost + `"cost":1,"is_byok":true,"cost_details":{"upstream_inference_cost":-1}}`, "cost_details.upstream_inference_cost is negative"},
		{models.Anthropic, `{"input_tokens":3,"output_tokens":1,"cost":-1}`, "cost is negative"},
		{models.OpenAI, `{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":6},"num_sources_used":0}`, "cached_tokens may be in prompt_tokens or next to it"},
		{models.OpenAI, `{"prompt_tokens":5,"completion_tokens":1,"total_tokens":380,"prompt_tokens_details":{"audio_tokens":375}}`, "audio_tokens is more than prompt_tokens"},
		{prices.FormCohere, `{"tokens":{"input_tokens":26}}`, "billed_units.input_tokens is missing; the object has tokens"},
		{prices.FormOllama, `{"usage":1}`, "prompt_eval_count is missing; the object has usage"},
		{"bedrock", `{}`, "is not one of openai, deepseek, anthropic, gemini, xai, converse, invoke, cohere, ollama"},
	} {
		got, err := prices.ParseUsage(row.form, []byte(row.usage))
		require.ErrorContains(t, err, row.field, "%s %s", row.form, row.usage)
		assert.NotContains(t, err.Error(), "secret")
		assert.Zero(t, got)
	}
}

func TestParseResponseOfForms(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]prices.Usage{
		`invoke {"inputTextTokenCount":5,"results":[{"tokenCount":40,"outputText":"x"},{"tokenCount":4}]}`:                                {Input: 5, Output: 44},
		`invoke {"embedding":[0.1],"inputTextTokenCount":5}`:                                                                              {Input: 5},
		`invoke {"generation":"x","prompt_token_count":21,"generation_token_count":7,"stop_reason":"stop"}`:                               {Input: 21, Output: 7},
		`converse {"usage":{"inputTokens":1,"outputTokens":2},"serviceTier":{"type":"flex"},"performanceConfig":{"latency":"optimized"}}`: {Input: 1, Output: 2, Mode: "flex+latency-optimized"},
		`gemini {"predictions":[{"embeddings":{"statistics":{"token_count":12}}},{"embeddings":{"statistics":{"token_count":3}}}]}`:       {Input: 15},
		"ollama {\"model\":\"m\",\"done\":false}\n{\"model\":\"m\",\"done\":true,\"eval_count\":2}\n":                                     {Output: 2},
		`cohere {"id":"1","embeddings":{},"meta":{"billed_units":{"input_tokens":6}}}`:                                                    {Input: 6},
	} {
		form, text, _ := strings.Cut(body, " ")
		got, err := prices.ParseResponse(models.Provider(form), []byte(text))
		require.NoError(t, err, body)
		assert.True(t, got.Complete, body)
		assert.Equal(t, want, got.Usage, body)
	}
	for body, reason := range map[string]string{
		"data: {}\n\n": "server-sent events", "\x1f\x8b\x08": "gzip", "<html>": "HTML", "\x00\x00\x00\x20": "ends within a message", "x": "must be a JSON object",
	} {
		_, err := prices.ParseResponse(prices.FormConverse, []byte(body))
		assert.ErrorContains(t, err, reason)
	}
}
