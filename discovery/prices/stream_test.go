package prices_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// readStream reads one event per line.
func readStream(t *testing.T, p models.Provider, lines string) prices.Response {
	t.Helper()
	stream := prices.NewStream(p)
	for line := range strings.Lines(lines) {
		data := []byte(strings.TrimSpace(line))
		require.NoError(t, stream.Event(data), line)
		for i := range data { // the caller may reuse its buffer
			data[i] = '!'
		}
	}
	got, err := stream.Response()
	require.NoError(t, err)
	return got
}

// Recorded streams are in TestRecordedExchanges. These rules are rare in them.
func TestStream(t *testing.T) {
	t.Parallel()
	const start = `{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":699,"cache_creation_input_tokens":3068,"cache_read_input_tokens":7,"cache_creation":`
	const end = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":1630,"cache_creation_input_tokens":3337,"cache_read_input_tokens":null,"output_tokens":50}}`
	message := func(u prices.Usage, complete bool) prices.Response {
		return prices.Response{ID: "1", Model: "m", Usage: u, Complete: complete}
	}
	for _, row := range []struct {
		name     string
		provider models.Provider
		events   string
		want     prices.Response
	}{
		{
			"messages: counts are merged, the later ones win, and null is skipped", models.Anthropic,
			start + `{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":3068},"output_tokens":2,"service_tier":"batch","inference_geo":"us"}}}
			{"type":"ping"}
			{"type":"content_block_delta","delta":{"type":"text_delta","text":"\"usage\""}}
			{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":50}}
			{"type":"message_stop"}`,
			message(prices.Usage{Input: 699, CacheRead: 7, CacheWrite1h: 3068, Output: 50, Mode: "batch+us"}, true),
		},
		{
			"messages: writes that grow are of the only lifetime", models.Anthropic,
			start + `{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":3068},"output_tokens":2}}}` + "\n" + end,
			message(prices.Usage{Input: 1630, CacheRead: 7, CacheWrite1h: 3337, Output: 50}, true),
		},
		{
			"messages: also if their lifetimes are null later", models.Anthropic,
			start + `{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":3068},"output_tokens":2}}}` + "\n" + strings.Replace(end, `"usage":{`, `"usage":{"cache_creation":null,`, 1),
			message(prices.Usage{Input: 1630, CacheRead: 7, CacheWrite1h: 3337, Output: 50}, true),
		},
		{
			"messages: of five minutes, if there were none", models.Anthropic,
			start + `null,"output_tokens":2}}}` + "\n" + end,
			message(prices.Usage{Input: 1630, CacheRead: 7, CacheWrite5m: 3337, Output: 50}, true),
		},
		{
			"messages: of one of two lifetimes is not known", models.Anthropic,
			start + `{"ephemeral_5m_input_tokens":1068,"ephemeral_1h_input_tokens":2000},"output_tokens":2}}}` + "\n" + end,
			message(prices.Usage{Input: 1630, CacheRead: 7, CacheWrite5m: 1337, CacheWrite1h: 2000, Output: 50, Mode: "count:unknown_cache_creation_input_tokens"}, true),
		},
		{
			"messages: several deltas, the last of which has the stop reason", models.Anthropic,
			start + `null,"output_tokens":2}}}
			{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":20}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50,"server_tool_use":{"web_search_requests":2}}}`,
			message(prices.Usage{Input: 699, CacheRead: 7, CacheWrite5m: 3068, Output: 50, ToolUses: map[string]int64{"web_search": 2}}, true),
		},
		{
			"messages: names with escapes, and values of every kind", models.Anthropic,
			start + `{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":3068},"output_tokens":2, "x" : [1, {"a":"}"}] }}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{ "\u006futput_tokens":50 , "service_tier":"bat\u0063h","x":null}}`,
			message(prices.Usage{Input: 699, CacheRead: 7, CacheWrite1h: 3068, Output: 50, Mode: "batch"}, true),
		},
		{"messages: a cut stream has what is known", models.Anthropic, start + `null,"output_tokens":2}}}`, message(prices.Usage{Input: 699, CacheRead: 7, CacheWrite5m: 3068, Output: 2}, false)},
		{"messages: an error", models.Anthropic, start + `null,"output_tokens":2}}}` + "\n" + end + "\n" + `{"type":"error","error":{"type":"overloaded_error"}}`, message(prices.Usage{Input: 1630, CacheRead: 7, CacheWrite5m: 3337, Output: 50}, false)},
		{"messages: a delta alone is not the whole", models.Anthropic, end, prices.Response{Usage: prices.Usage{Input: 1630, CacheWrite5m: 3337, Output: 50}}},
		{
			"DeepSeek's messages", models.DeepSeek,
			`{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":3,"output_tokens":0}}}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`,
			message(prices.Usage{Input: 5, CacheRead: 3, Output: 9}, true),
		},
		{
			"chat: the last chunk has no choices, but the usage", models.OpenAI,
			`{"id":"1","model":"m","service_tier":"flex","choices":[{"finish_reason":null}],"usage":null}
			{"id":"1","model":"m","service_tier":"flex","choices":[{"finish_reason":"stop"}],"usage":null}
			{"id":"1","model":"m","service_tier":"flex","choices":[],` + chatCounts + `}
			[DONE]
			`,
			message(prices.Usage{Input: 5, Output: 1, Mode: "flex"}, true),
		},
		{"chat: a stream without usage", models.OpenAI, `{"id":"1","model":"m","choices":[{"finish_reason":"stop"}]}` + "\n[DONE]", message(prices.Usage{}, false)},
		{"chat: usage so far is not final", models.XAI, `{"id":"1","model":"m","choices":[{"finish_reason":null}],` + chatCounts + `}`, message(prices.Usage{Input: 5, Output: 1}, false)},
		{"chat: usage beside the finish reason", models.DeepSeek, `{"id":"1","model":"m","choices":[{"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":3,"completion_tokens":1}}`, message(prices.Usage{Input: 3, CacheRead: 2, Output: 1}, true)},
		{"chat: usage after the finish reason", models.XAI, `{"id":"1","model":"m","choices":[{"finish_reason":"stop"}]}` + "\n" + `{"choices":[{"finish_reason":null}],` + chatCounts + `}`, message(prices.Usage{Input: 5, Output: 1}, true)},
		{"chat: usage after the finish reason, and later ones", models.XAI, `{"id":"1","model":"m","choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}` + "\n" + `{"choices":[{"finish_reason":null}],` + chatCounts + `}`, message(prices.Usage{Input: 5, Output: 1}, true)},
		{"chat: a chunk without choices behind the finish reason is the last", models.XAI, `{"id":"1","model":"m","choices":[{"finish_reason":"stop"}]}` + "\n" + `{"choices":[],` + chatCounts + `}` + "\n" + `{"choices":[],"usage":{"prompt_tokens":9}}`, message(prices.Usage{Input: 5, Output: 1}, true)},
		{"chat: an error", models.OpenAI, `{"id":"1","model":"m","choices":[],` + chatCounts + `}` + "\n" + `{"error":{"message":"x"}}`, message(prices.Usage{Input: 5, Output: 1}, false)},
		{
			"responses: the tier and the tools of the final event count", models.OpenAI,
			`{"type":"response.created","response":{"id":"1","model":"m","service_tier":"auto","usage":null,"output":[]}}
			{"type":"response.output_item.done","item":{"type":"web_search_call","action":{"type":"search"}}}
			{"response":{"id":"1","model":"m","service_tier":"priority","output":[{"type":"web_search_call","action":{"type":"search"}}],"usage":{"input_tokens":5,"output_tokens":1,"total_tokens":6}},"type":"response.incomplete"}`,
			message(prices.Usage{Input: 5, Output: 1, Mode: "priority", ToolUses: map[string]int64{"web_search": 1}}, true),
		},
		{"responses: a cut stream", models.OpenAI, `{"type":"response.in_progress","response":{"id":"1","model":"m","service_tier":"flex","usage":null}}`, message(prices.Usage{}, false)},
		{"responses: a failure without usage", models.OpenAI, `{"type":"response.failed","response":{"id":"1","model":"m","service_tier":"auto","usage":null,"error":{"code":"x"}}}`, message(prices.Usage{}, false)},
		{"responses: a failure with usage is billed", models.XAI, `{"type":"response.failed","response":{"id":"1","model":"m","error":{"code":"x"},"usage":{"input_tokens":5,"output_tokens":1,"total_tokens":6}}}`, message(prices.Usage{Input: 5, Output: 1}, true)},
		{"responses: a turn of the Realtime API", models.OpenAI, `{"type":"response.done","response":{"id":"1","usage":{"input_tokens":5,"input_token_details":{"audio_tokens":4},"output_tokens":1,"total_tokens":6}}}`, prices.Response{ID: "1", Usage: prices.Usage{Input: 1, AudioInput: 4, Output: 1}, Complete: true}},
		{
			"generateContent: the last usage counts, and queries of all events", models.Gemini,
			`{"responseId":"1","modelVersion":"gemini-3.5-flash","candidates":[{"groundingMetadata":{"webSearchQueries":["a"]}}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}
			{"responseId":"1","modelVersion":"gemini-3.5-flash","candidates":[{"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["a","b"]}}],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":3,"totalTokenCount":11,"serviceTier":"FLEX"}}`,
			prices.Response{ID: "1", Model: "gemini-3.5-flash", Usage: prices.Usage{Input: 8, Output: 3, Mode: "flex", ToolUses: map[string]int64{"grounding": 2}}, Complete: true},
		},
		{"generateContent: a candidate that goes on", models.Gemini, `{"responseId":"1","candidates":[{"finishReason":"STOP"},{}],"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":3,"totalTokenCount":11}}`, prices.Response{ID: "1", Usage: prices.Usage{Input: 8, Output: 3}}},
		{"generateContent: an unspecified reason does not count", models.Gemini, `{"responseId":"1","candidates":[{"finishReason":0}],"usageMetadata":{"promptTokenCount":8}}`, prices.Response{ID: "1", Usage: prices.Usage{Input: 8}}},
		{"generateContent: a blocked prompt", models.Gemini, `{"responseId":"1","promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":8}}`, prices.Response{ID: "1", Usage: prices.Usage{Input: 8}, Complete: true}},
		{"Live: a turn", models.Gemini, `{"serverContent":{"modelTurn":{}}}` + "\n" + `{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":8,"responseTokenCount":2,"totalTokenCount":10}}`, prices.Response{Usage: prices.Usage{Input: 8, Output: 2}, Complete: true}},
		{
			"Live: queries", models.Gemini,
			`{"serverContent":{"groundingMetadata":{"webSearchQueries":["a","b"]}}}
			{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":8,"responseTokenCount":2,"totalTokenCount":10}}`,
			prices.Response{Usage: prices.Usage{Input: 8, Output: 2, ToolUses: map[string]int64{"grounding": 2}}, Complete: true},
		},
		{
			"an interaction", models.Gemini,
			`{"interaction":{"id":"1","model":"gemini-4-argon","service_tier":"standard"},"event_type":"interaction.created"}
			{"event_type":"step.delta","delta":{"type":"google_search_call","arguments":{"queries":["a","b"]}}}
			{"event_type":"step.start","step":{"type":"google_search_call","arguments":{"queries":["b"]}}}
			{"interaction":{"id":"1","model":"gemini-4-argon","service_tier":"flex","usage":{"total_input_tokens":5,"total_output_tokens":1,"total_tokens":6}},"event_type":"interaction.completed"}`,
			prices.Response{ID: "1", Model: "gemini-4-argon", Usage: prices.Usage{Input: 5, Output: 1, Mode: "flex", ToolUses: map[string]int64{"grounding": 2}}, Complete: true},
		},
		{"nothing", models.OpenAI, ``, prices.Response{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, row.want, readStream(t, row.provider, row.events))
		})
	}
}

func TestStreamErrors(t *testing.T) {
	t.Parallel()
	var wrong *discovery.ValueError
	stream := prices.NewStream("nobody")
	require.ErrorAs(t, stream.Event([]byte(`{}`)), &wrong)
	_, err := stream.Response()
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "provider", wrong.Field)

	for _, unmade := range []*prices.Stream{nil, {}} {
		require.ErrorAs(t, unmade.Event([]byte(`{}`)), &wrong)
		_, err = unmade.Response()
		require.ErrorAs(t, err, &wrong)
	}

	stream = prices.NewStream(models.OpenAI)
	for _, data := range []string{`topsecret42`, `{"a":"topsecret42`, `[{}]`, `{} topsecret42`} {
		err := stream.Event([]byte(data))
		require.ErrorAs(t, err, &wrong, data)
		assert.NotContains(t, err.Error(), "topsecret42")
	}
	require.NoError(t, stream.Event([]byte(`{"id":"1","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":3}}`)))
	got, err := stream.Response()
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "usage.total_tokens", wrong.Field)
	assert.Equal(t, prices.Response{ID: "1"}, got)
}

// A cut recorded stream is complete only if it has the final usage.
func TestCutStreamsAreNotComplete(t *testing.T) {
	t.Parallel()
	streams := 0
	for _, x := range readLines[exchange](t, "testdata/exchanges.jsonl.gz") {
		if !x.Expect.Complete || !strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") {
			continue
		}
		whole := read(t, &x)
		stream := prices.NewStream(x.Expect.Provider)
		for _, data := range events(x.Response.Body) {
			before, err := stream.Response()
			require.NoError(t, err, x.Name)
			if before.Complete {
				assert.Equal(t, whole, before, x.Name)
			}
			assert.False(t, before.Complete && strings.Contains(data, "sage\":{"), "%s: usage after the final one", x.Name)
			_ = stream.Event([]byte(data))
		}
		streams++
	}
	assert.Greater(t, streams, 40)
}

// Copied in pieces of any size, a recorded stream has the same Response as event by
// event.
func TestStreamsThatAreCopied(t *testing.T) {
	t.Parallel()
	streams := 0
	for _, x := range readLines[exchange](t, "testdata/exchanges.jsonl.gz") {
		if !strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") {
			continue
		}
		streams++
		checkCopied(t, x.Name, x.Expect.Provider, x.Response.Body, read(t, &x))
	}
	for _, x := range readPlatforms(t) {
		if x.Response.Binary == nil && strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") {
			streams++
			want, err := x.read(x.form())
			require.NoError(t, err, x.Name)
			checkCopied(t, x.Name, x.form(), x.Response.Body, want)
		}
	}
	assert.Greater(t, streams, 80)
}

func checkCopied(t *testing.T, name string, form models.Provider, body string, want prices.Response) {
	t.Helper()
	for _, size := range []int{1, 7, len(body) + 1} {
		stream := prices.NewStream(form)
		n, err := io.CopyBuffer(stream, struct{ io.Reader }{strings.NewReader(body)}, make([]byte, size))
		require.NoError(t, err, name)
		assert.EqualValues(t, len(body), n, name)
		got, err := stream.Response()
		require.NoError(t, err, name)
		assert.Equal(t, want, got, "%s in pieces of %d", name, size)
	}
}

func TestStreamsOfOtherFormatsThatAreCopied(t *testing.T) {
	t.Parallel()
	const gemini = `{"responseId":"1","modelVersion":"m","candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":8,"totalTokenCount":8}}`
	want := prices.Response{ID: "1", Model: "m", Usage: prices.Usage{Input: 8}, Complete: true}
	checkCopied(t, "an array", models.Gemini, `[{"responseId":"1","modelVersion":"m","candidates":[{}]},`+"\n"+gemini+"]", want)
	want.ID = ""
	checkCopied(t, "lines", prices.FormOllama, `{"model":"m","done":false}`+"\n"+`{"model":"m","done":true,"prompt_eval_count":8}`+"\n", want)
	checkCopied(t, "nothing", models.OpenAI, "", prices.Response{})
	checkCopied(t, "a page", models.OpenAI, "<html>", prices.Response{})

	stream := prices.NewStream(models.OpenAI)
	_, err := io.WriteString(stream, `{"id":"1","model":"m"`+"]")
	require.NoError(t, err)
	_, err = stream.Response()
	require.EqualError(t, err, "prices: data the response is not JSON")
}

// After [DONE] or the final event nothing counts, however the stream is read.
func TestTheEndOfAStreamIsFinal(t *testing.T) {
	t.Parallel()
	const (
		chat    = `{"id":"1","model":"m","choices":[{"finish_reason":"stop"}],` + chatCounts + `}`
		later   = `{"id":"2","model":"n","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`
		message = `{"type":"message_start","message":{"id":"1","model":"m","usage":{"input_tokens":5,"output_tokens":0}}}`
		delta   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":%s}}`
	)
	want := prices.Response{ID: "1", Model: "m", Usage: prices.Usage{Input: 5, Output: 1}, Complete: true}
	for name, row := range map[string]struct {
		provider models.Provider
		events   []string
		want     prices.Response
	}{
		"[DONE]":                     {models.OpenAI, []string{chat, "[DONE]", later}, want},
		"[DONE] with spaces":         {models.OpenAI, []string{chat, " [DONE] ", later}, want},
		"[DONE] before any counts":   {models.OpenAI, []string{`{"id":"1","model":"m"}`, "[DONE]", chat}, prices.Response{ID: "1", Model: "m"}},
		"the counts without choices": {models.OpenAI, []string{strings.Replace(chat, chatCounts, `"usage":null`, 1), strings.Replace(chat, `{"finish_reason":"stop"}`, "", 1), later}, want},
		"a stop reason":              {models.Anthropic, []string{message, strings.Replace(delta, "%s", "1", 1), strings.Replace(delta, "%s", "7", 1)}, want},
	} {
		assert.Equal(t, row.want, readStream(t, row.provider, strings.Join(row.events, "\n")), name)
		checkCopied(t, name, row.provider, "data: "+strings.Join(row.events, "\n\ndata: ")+"\n\n", row.want)
	}
}

// For any events: no panic, no negative count, and no complete response after an error
// event.
func FuzzStream(f *testing.F) {
	for _, x := range readLines[exchange](f, "testdata/exchanges.jsonl.gz") {
		if strings.HasPrefix(x.Response.Headers["content-type"], "text/event-stream") && len(x.Response.Body) < 4_000 {
			f.Add(string(x.Expect.Provider), []byte(strings.Join(events(x.Response.Body), "\n")))
		}
	}
	for _, x := range readPlatforms(f) {
		switch form := string(x.form()); {
		case x.Response.Binary != nil && len(x.Response.Binary) < 8_000:
			f.Add(form, x.Response.Binary)
		case x.form() == prices.FormOllama:
			f.Add(form, []byte(x.Response.Body))
		}
	}
	f.Fuzz(func(t *testing.T, provider string, text []byte) {
		stream := prices.NewStream(models.Provider(provider))
		for data := range bytes.Lines(text) {
			_ = stream.Event(data)
			got, err := stream.Response()
			notNegative(t, &got.Usage)
			assert.False(t, err != nil && got.Complete)
		}
		_ = stream.Event([]byte(`{"type":"error","error":{}}`))
		got, _ := stream.Response()
		assert.False(t, got.Complete)
	})
}
