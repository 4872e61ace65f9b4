package prices_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const chatCounts = `"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}`

// Recorded bodies are in TestRecordedExchanges. These rules are rare in them.
func TestParseResponse(t *testing.T) {
	t.Parallel()
	five := prices.Usage{Input: 5, Output: 1}
	mode := func(mode string) prices.Usage { return prices.Usage{Input: 5, Output: 1, Mode: mode} }
	tools := func(requests map[string]int64) prices.Usage {
		return prices.Usage{Input: 5, Output: 1, ToolUses: requests}
	}
	const responsesUsage = `"usage":{"input_tokens":5,"output_tokens":1,"total_tokens":6}`
	const geminiUsage = `"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":1,"totalTokenCount":6}`
	for _, row := range []struct {
		name     string
		provider models.Provider
		body     string
		want     prices.Response
	}{
		{"the tier is beside the usage", models.OpenAI, `{"id":"1","model":"m","service_tier":"priority",` + chatCounts + `}`, prices.Response{ID: "1", Model: "m", Usage: mode("priority"), Complete: true}},
		{"a standard tier", models.OpenAI, `{"service_tier":"default",` + chatCounts + `}`, prices.Response{Usage: five, Complete: true}},
		{"tier, speed and region have an order", models.Anthropic, `{"id":"1","usage":{"inference_geo":"us","speed":"fast","service_tier":"BATCH","input_tokens":5,"output_tokens":1}}`, prices.Response{ID: "1", Usage: mode("batch+fast+us"), Complete: true}},
		{"names inside of the content are not read", models.OpenAI, `{"choices":[{"message":{"id":"2","model":"x","usage":{"prompt_tokens":9},"content":"\"usage\":{}"}}],` + chatCounts + `}`, prices.Response{Usage: five, Complete: true}},
		{"a background response that is queued", models.OpenAI, `{"id":"1","model":"m","status":"queued","service_tier":"auto","usage":null}`, prices.Response{ID: "1", Model: "m"}},
		{"counts of a response in progress are not final", models.OpenAI, `{"id":"1","status":"in_progress",` + responsesUsage + `}`, prices.Response{ID: "1", Usage: five}},
		{"an empty usage object", models.OpenAI, `{"id":"1","model":"m","service_tier":"priority","usage":{}}`, prices.Response{ID: "1", Model: "m", Usage: prices.Usage{Mode: "priority"}}},
		{"an error", models.Anthropic, `{"type":"error","error":{"type":"overloaded_error"},"request_id":"req_1"}`, prices.Response{}},
		{"a batch is not a response", models.OpenAI, `{"id":"batch_1","object":"batch","model":"m",` + responsesUsage + `}`, prices.Response{}},
		{"a tool that OpenAI counts and that is not known", models.OpenAI, `{"tool_usage":{"rocket":{"num_requests":4}},` + responsesUsage + `}`, prices.Response{Usage: tools(map[string]int64{"unknown": 4}), Complete: true}},
		{"another unit of a tool", models.Anthropic, `{"usage":{"input_tokens":5,"output_tokens":1,"server_tool_use":{"web_search_requests":0,"code_execution_seconds":0.5}}}`, prices.Response{Usage: mode("count:code_execution_seconds"), Complete: true}},
		{"searches for images", models.Gemini, `{"candidates":[{"groundingMetadata":{"imageSearchQueries":["a","","b","a"]}}],` + geminiUsage + `}`, prices.Response{Usage: tools(map[string]int64{"image_search": 2}), Complete: true}},
		{
			"searches of OpenAI are counted by OpenAI", models.OpenAI,
			`{"output":[{"type":"web_search_call","action":{"type":"search"}},{"type":"web_search_call","action":{"type":"search"}}],"tool_usage":{"web_search":{"num_requests":1}},` + responsesUsage + `}`,
			prices.Response{Usage: tools(map[string]int64{"web_search": 1}), Complete: true},
		},
		{
			"without that count, by the searches among the calls", models.OpenAI,
			`{"output":[{"action":{"type":"search"},"type":"web_search_call"},{"type":"web_search_call","action":{"type":"open_page"}},{"type":"web_search_call"}],` + responsesUsage + `}`,
			prices.Response{Usage: tools(map[string]int64{"web_search": 2}), Complete: true},
		},
		{
			"a code interpreter and a hosted shell are billed by the container", models.OpenAI,
			`{"output":[{"type":"code_interpreter_call","container_id":"a"},{"type":"code_interpreter_call","container_id":"a"},{"type":"code_interpreter_call","container_id":"b"},
			{"type":"shell_call","environment":{"type":"container_reference","container_id":"c"}},{"type":"shell_call","environment":{"type":"local"}},{"type":"mcp_call"},{"type":"computer_call"}],` + responsesUsage + `}`,
			prices.Response{Usage: tools(map[string]int64{"code_interpreter": 2, "shell": 1}), Complete: true},
		},
		{
			"files and images", models.OpenAI,
			`{"output":[{"type":"file_search_call"},{"type":"image_generation_call"},{"type":"image_generation_call"}],"tool_usage":{"image_gen":{"total_tokens":9}},` + responsesUsage + `}`,
			prices.Response{Usage: tools(map[string]int64{"file_search": 1, "image_generation": 2}), Complete: true},
		},
		{"an image without its call", models.OpenAI, `{"tool_usage":{"image_gen":{"total_tokens":9}},` + responsesUsage + `}`, prices.Response{Usage: tools(map[string]int64{"image_generation": 1}), Complete: true}},
		{
			"Gemini 3 bills each query", models.Gemini,
			`{"modelVersion":"gemini-3.5-flash","candidates":[{"groundingMetadata":{"webSearchQueries":["a","b","a",""]}},{"groundingMetadata":{"webSearchQueries":["c"]}}],` + geminiUsage + `}`,
			prices.Response{Model: "gemini-3.5-flash", Usage: tools(map[string]int64{"grounding": 3}), Complete: true},
		},
		{
			"Gemini 2.5 bills each prompt", models.Gemini,
			`{"modelVersion":"gemini-2.5-pro","candidates":[{"groundingMetadata":{"webSearchQueries":["a","b"]}}],` + geminiUsage + `}`,
			prices.Response{Model: "gemini-2.5-pro", Usage: tools(map[string]int64{"grounding": 1}), Complete: true},
		},
		{"a search of files is free", models.Gemini, `{"candidates":[{"groundingMetadata":{"groundingChunks":[{"retrievedContext":{}}]}}],` + geminiUsage + `}`, prices.Response{Usage: five, Complete: true}},
		{"maps", models.Gemini, `{"candidates":[{"groundingMetadata":{"groundingChunks":[{"maps":{"uri":"u"}},{"maps":{"uri":"v"}}]}}],` + geminiUsage + `}`, prices.Response{Usage: tools(map[string]int64{"maps": 1}), Complete: true}},
		{
			"an interaction: queries of a function are no searches", models.Gemini,
			`{"id":"i","model":"gemini-4-argon","service_tier":"flex","steps":[{"type":"google_search_call","arguments":{"queries":["a","b"]}},{"type":"function_call","arguments":{"queries":["c"]}}],
			"usage":{"total_input_tokens":5,"total_output_tokens":1,"total_tokens":6}}`,
			prices.Response{ID: "i", Model: "gemini-4-argon", Usage: prices.Usage{Input: 5, Output: 1, Mode: "flex", ToolUses: map[string]int64{"grounding": 2}}, Complete: true},
		},
		{
			"the count of an interaction is that of its searches", models.Gemini,
			`{"model":"gemini-4-argon","steps":[{"type":"google_search_call","arguments":{"queries":["a","b"]}}],
			"usage":{"total_input_tokens":5,"total_output_tokens":1,"total_tokens":6,"grounding_tool_count":[{"type":"google_search","count":3}]}}`,
			prices.Response{Model: "gemini-4-argon", Usage: tools(map[string]int64{"grounding": 3}), Complete: true},
		},
		{"a blocked prompt", models.Gemini, `{"promptFeedback":{"blockReason":1},"usageMetadata":{},"modelVersion":"m"}`, prices.Response{Model: "m", Complete: true}},
		{"a blocked prompt of Vertex", models.Gemini, `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"trafficType":"ON_DEMAND"}}`, prices.Response{Complete: true}},
		{"no usage at all", models.Gemini, `{"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"m"}`, prices.Response{Model: "m"}},
		{"an array without an end", models.Gemini, `[{"candidates":[{}],` + geminiUsage + `}]`, prices.Response{Usage: five}},
		{"an array", models.Gemini, "\n[{\"candidates\":[{}]}\n,\r\n{\"candidates\":[{\"finishReason\":1}]," + geminiUsage + `}]`, prices.Response{Usage: five, Complete: true}},
		{"an array with an error", models.Gemini, `[{"candidates":[{"finishReason":1}],` + geminiUsage + `},{"error":{"code":503}}]`, prices.Response{Usage: five}},
		{"a line of OpenAI's batch", models.OpenAI, `{"id":"batch_req_1","custom_id":"c","response":{"status_code":200,"request_id":"r","body":{"id":"1","model":"m","service_tier":"default",` + chatCounts + `}},"error":null}`, prices.Response{ID: "1", Model: "m", Usage: mode("batch"), Complete: true}},
		{"a line that failed", models.OpenAI, `{"id":"batch_req_1","custom_id":"c","response":null,"error":{"code":"batch_expired"}}`, prices.Response{}},
		{"a line of Anthropic's batch", models.Anthropic, `{"custom_id":"c","result":{"type":"succeeded","message":{"id":"1","model":"m","usage":{"input_tokens":5,"output_tokens":1,"service_tier":"batch"}}}}`, prices.Response{ID: "1", Model: "m", Usage: mode("batch"), Complete: true}},
		{"a line that failed there", models.Anthropic, `{"custom_id":"c","result":{"type":"errored","error":{"type":"invalid_request"}}}`, prices.Response{}},
		{"an inlined response of Gemini", models.Gemini, `{"metadata":{"key":"k"},"response":{"responseId":"1","modelVersion":"m",` + geminiUsage + `}}`, prices.Response{ID: "1", Model: "m", Usage: mode("batch"), Complete: true}},
		{"a result of xAI's batch", models.XAI, `{"batch_request_id":"c","batch_result":{"response":{"chat_get_completion":{"id":"1","model":"m","service_tier":"default",` + chatCounts + `}}}}`, prices.Response{ID: "1", Model: "m", Usage: mode("batch"), Complete: true}},
		{"its response alone", models.XAI, `{"chat_get_completion":{"id":"1",` + chatCounts + `}}`, prices.Response{ID: "1", Usage: mode("batch"), Complete: true}},
		{"an image of xAI", models.XAI, `{"data":[{"url":"u"}],"usage":{"cost_in_usd_ticks":200000000}}`, prices.Response{Usage: prices.Usage{ChargedUSD: "0.02"}, Complete: true}},
		{"DeepSeek's messages", models.DeepSeek, `{"id":"1","type":"message","model":"m","usage":{"input_tokens":5,"cache_read_input_tokens":0,"output_tokens":1}}`, prices.Response{ID: "1", Model: "m", Usage: five, Complete: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := prices.ParseResponse(row.provider, []byte(row.body))
			require.NoError(t, err)
			assert.Equal(t, row.want, got)
		})
	}
}

func TestParseResponseRejectsInvalidBodies(t *testing.T) {
	t.Parallel()
	const private = "topsecret42"
	for _, row := range []struct {
		provider    models.Provider
		body, field string
	}{
		{"nobody", `{}`, "provider"},
		{models.OpenAI, ``, "body"},
		{models.OpenAI, `<html>` + private, "body"},
		{models.OpenAI, `{"id":"` + private + `"`, "body"},
		{models.OpenAI, `{"id":"1",` + chatCounts + `} {}`, "body"},
		{models.OpenAI, `{"id":"1",` + chatCounts + `}` + private, "body"},
		{models.OpenAI, `[{` + chatCounts + `}]`, "body"},
		{models.Gemini, `[{"responseId":"1"},7]`, "body"},
		{models.Gemini, `[{"responseId":"1"}`, "body"},
		{models.OpenAI, `{"usage":{"prompt_tokens":"` + private + `"}}`, "usage.prompt_tokens"},
		{models.Anthropic, `{"usage":{"input_tokens":1,"output_tokens":-1}}`, "usage.output_tokens"},
	} {
		got, err := prices.ParseResponse(row.provider, []byte(row.body))
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, row.body) {
			assert.Equal(t, row.field, wrong.Field, row.body)
			assert.NotContains(t, err.Error(), private)
		}
		assert.False(t, got.Complete)
		assert.Equal(t, prices.Usage{}, got.Usage)
	}
}

// A number beyond 64 bits must not be read modulo 2^64: it's refused, or counts nothing.
func TestParseResponseReadsNoCountBeyond64Bits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider models.Provider
		body     string
	}{
		{models.OpenAI, `{"usage":{"prompt_tokens":N,"completion_tokens":0,"total_tokens":N}}`},
		{models.OpenAI, `{"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2},"tool_usage":{"web_search":{"num_requests":N},"other":{"num_requests":N}}}`},
		{models.Anthropic, `{"usage":{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":N}}}`},
		{models.XAI, `{"usage":{"cost_in_usd_ticks":N}}`},
		{models.Gemini, `{"usageMetadata":{"promptTokenCount":1,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":N}]}}`},
		{prices.FormInvoke, `{"inputTextTokenCount":N}`},
	} {
		none, err := prices.ParseResponse(row.provider, []byte(strings.ReplaceAll(row.body, "N", "0")))
		require.NoError(t, err, row.body)
		for _, n := range []string{"207000000000000000000", "18446744073709551621", "-18446744073709551611", "340282366920938463463374607431768211461"} {
			got, err := prices.ParseResponse(row.provider, []byte(strings.ReplaceAll(row.body, "N", n)))
			if err == nil {
				assert.Equal(t, none.Usage, got.Usage, "%s %s", n, row.body)
			} else {
				assert.Equal(t, prices.Usage{}, got.Usage, "%s %s", n, row.body)
			}
		}
	}
}

func TestCutBodiesAreNotComplete(t *testing.T) {
	t.Parallel()
	for _, x := range readLines[exchange](t, "testdata/exchanges.jsonl.gz") {
		body := bytes.TrimSpace([]byte(x.Response.Body))
		if !x.Expect.Complete || strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") {
			continue
		}
		for cut := 0; cut < len(body); cut += 1 + len(body)/500 {
			got, err := prices.ParseResponse(x.Expect.Provider, body[:cut])
			require.Error(t, err, x.Name)
			require.Equal(t, prices.Response{}, got, x.Name)
		}
	}
}

// For any bytes: no panic, no negative count, the same result twice, and a complete
// response isn't complete if cut.
func FuzzParseResponse(f *testing.F) {
	for _, x := range readLines[exchange](f, "testdata/exchanges.jsonl.gz") {
		if len(x.Response.Body) < 4_000 {
			f.Add(string(x.Expect.Provider), []byte(x.Response.Body))
		}
	}
	f.Fuzz(func(t *testing.T, provider string, body []byte) {
		got, err := prices.ParseResponse(models.Provider(provider), body)
		notNegative(t, &got.Usage)
		assert.False(t, err != nil && got.Complete)
		again, _ := prices.ParseResponse(models.Provider(provider), bytes.Clone(body))
		assert.Equal(t, got, again)
		if text := bytes.TrimSpace(body); got.Complete && len(text) < 2_000 {
			for cut := range text {
				part, err := prices.ParseResponse(models.Provider(provider), text[:cut])
				require.Error(t, err)
				require.False(t, part.Complete)
			}
		}
	})
}
