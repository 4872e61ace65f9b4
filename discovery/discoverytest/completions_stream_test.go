package discoverytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// events requires a complete stream and returns its events' data.
func events(t *testing.T, r nettest.Reply) []map[string]any {
	t.Helper()
	require.Equal(t, "text/event-stream; charset=utf-8", r.Header.Get("Content-Type"))
	var all []map[string]any
	for text := range strings.SplitSeq(strings.TrimSuffix(r.Body, "\n\n"), "\n\n") {
		name, data, named := strings.Cut(text, "\ndata: ")
		if !named {
			name, data = "", strings.TrimPrefix(text, "data: ")
		}
		if data == "[DONE]" {
			all = append(all, map[string]any{"type": "[DONE]"})
			continue
		}
		one := nettest.Reply{Body: data}.Object(t)
		if named {
			require.Equal(t, "event: "+one["type"].(string), name)
		}
		all = append(all, one)
	}
	return all
}

func TestStreamOfChat(t *testing.T) {
	t.Parallel()
	unasked := strings.Replace(chatBody, "{", `{"stream":true,`, 1)
	// Per event: the number of choices, and whether there's a usage ("" means no field).
	for _, test := range []struct {
		op   discoverytest.Operation
		body string
		want string
	}{
		{discoverytest.CreateOpenAIChat, unasked, "1 1 1 1 [DONE]"},
		{discoverytest.CreateOpenAIChat, "", "1null 1null 1null 1null 0usage [DONE]"},
		{discoverytest.CreateGeminiChat, unasked, "1 1 1 1 [DONE]"},
		{discoverytest.CreateGeminiChat, "", "1null 1null 1null 1null 0usage [DONE]"},
		{discoverytest.CreateXAIChat, unasked, "1 1 1 1 0usage [DONE]"},
		{discoverytest.CreateXAIChat, "", "1null 1null 1null 1null 0usage [DONE]"},
		{discoverytest.CreateDeepSeekChat, unasked, "1null 1null 1null 1usage [DONE]"},
		{discoverytest.CreateDeepSeekChat, "", "1null 1null 1null 1usage [DONE]"},
	} {
		var form []string
		for _, event := range start(t).streamOf(test.op, test.body) {
			if event["type"] == "[DONE]" {
				form = append(form, "[DONE]")
				continue
			}
			state := ""
			if usage, given := event["usage"]; given && usage == nil {
				state = "null"
			} else if given {
				state = "usage"
				assert.Equal(t, json.Number("120"), usage.(map[string]any)["total_tokens"])
			}
			form = append(form, fmt.Sprint(len(event["choices"].([]any)), state))
		}
		assert.Equal(t, test.want, strings.Join(form, " "), "%s %s", test.op, test.body)
	}
}

func TestStreamOfResponses(t *testing.T) {
	t.Parallel()
	for _, op := range []discoverytest.Operation{
		discoverytest.CreateOpenAIResponse, discoverytest.CreateDeepSeekResponse, discoverytest.CreateXAIResponse,
	} {
		all := start(t).streamOf(op, "")
		assert.Equal(t, []any{
			"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
			"response.output_text.delta", "response.output_text.delta", "response.output_text.done", "response.content_part.done",
			"response.output_item.done", "response.completed",
		}, nettest.Column(all, "type"))
		first, last := all[0]["response"].(map[string]any), all[len(all)-1]["response"].(map[string]any)
		assert.Equal(t, []any{"resp_1", nil, "auto"}, []any{first["id"], first["usage"], first["service_tier"]})
		assert.Equal(t, []any{"resp_1", "default", "completed"}, []any{last["id"], last["service_tier"], last["status"]})
		assert.Equal(t, json.Number("120"), last["usage"].(map[string]any)["total_tokens"])
		assert.Equal(t, json.Number("9"), all[len(all)-1]["sequence_number"])
	}
}

func TestStreamOfMessages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.SetCompletion(discoverytest.CreateAnthropicMessage, discoverytest.Completion{Text: "a b c", Usage: json.RawMessage(
		`{"input_tokens":7,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":5},"output_tokens":9,"service_tier":"batch"}`,
	)})
	all := s.streamOf(discoverytest.CreateAnthropicMessage, "")
	assert.Equal(t, []any{
		"message_start", "content_block_start", "ping", "content_block_delta", "content_block_delta", "content_block_delta",
		"content_block_stop", "message_delta", "message_stop",
	}, nettest.Column(all, "type"))
	started := all[0]["message"].(map[string]any)
	assert.Equal(t, []any{"m-1", "msg_1"}, []any{started["model"], started["id"]})
	assert.Equal(t, map[string]any{
		"input_tokens": json.Number("7"), "cache_creation_input_tokens": json.Number("5"), "output_tokens": json.Number("1"),
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": json.Number("5")}, "service_tier": "batch",
	}, started["usage"])
	assert.Equal(t, map[string]any{
		"input_tokens": json.Number("7"), "cache_creation_input_tokens": json.Number("5"), "output_tokens": json.Number("9"),
	}, all[7]["usage"])
	assert.Equal(t, "end_turn", all[7]["delta"].(map[string]any)["stop_reason"])
}

func TestStreamOfGemini(t *testing.T) {
	t.Parallel()
	s := start(t)
	all := s.streamOf(discoverytest.GenerateGeminiContent, "")
	r := completionRequests()[1]
	got, err := s.complete(t.Context(), r, "/gemini/v1beta/models/m-1:streamGenerateContent", r.body)
	require.NoError(t, err)
	assert.Equal(t, "application/json; charset=UTF-8", got.Header.Get("Content-Type"))
	var array []map[string]any
	dec := json.NewDecoder(strings.NewReader(got.Body))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&array), got.Body)
	for id, parts := range map[string][]map[string]any{"response-1": all, "response-2": array} {
		require.Len(t, parts, 2)
		for i, part := range parts {
			candidate, usage := part["candidates"].([]any)[0].(map[string]any), part["usageMetadata"].(map[string]any)
			want := []any{id, "m-1", nil, json.Number("100"), nil}
			if i == 1 {
				want = []any{id, "m-1", "STOP", json.Number("120"), json.Number("20")}
			}
			assert.Equal(t, want, []any{
				part["responseId"], part["modelVersion"], candidate["finishReason"], usage["totalTokenCount"], usage["candidatesTokenCount"],
			})
		}
	}
}

// An unusual usage, even null, is sent unchanged.
func TestStreamWithUnusualUsage(t *testing.T) {
	t.Parallel()
	for _, usage := range []string{"null", "[]", `{}`, `"x"`} {
		s := start(t)
		for _, r := range completionRequests() {
			s.SetCompletion(r.op, discoverytest.Completion{Usage: json.RawMessage(usage)})
			got, err := s.complete(t.Context(), r, r.streamPath, r.streamed)
			require.NoError(t, err)
			assert.Contains(t, got.Body, `"`+r.usage+`":`+usage, r.path)
		}
	}
}

func TestFaultsInterruptAStream(t *testing.T) {
	t.Parallel()
	for _, r := range completionRequests() {
		t.Run(r.path, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			// Only the streams' ids differ.
			run := func(fault *discoverytest.Fault) (string, error) {
				if fault != nil {
					s.Fail(r.op, *fault)
				}
				got, err := s.complete(t.Context(), r, r.streamPath, r.streamed)
				n := len(s.Requests(r.op))
				return strings.NewReplacer(fmt.Sprint("-", n, `"`), `-1"`, fmt.Sprint("_", n, `"`), `_1"`).Replace(got.Body), err
			}
			whole, err := run(nil)
			require.NoError(t, err)
			first, _, _ := strings.Cut(whole, "\n\n")
			first += "\n\n"
			require.NotEqual(t, whole, first)

			cut, err := run(&discoverytest.Fault{AfterEvents: 1, HangUp: true})
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, first, cut)
			cut, err = run(&discoverytest.Fault{AfterEvents: 1, HangUp: true, Body: "data: {"})
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, first+"data: {", cut)
			short, err := run(&discoverytest.Fault{AfterEvents: 1})
			require.NoError(t, err)
			assert.Equal(t, first, short)
			failed, err := run(&discoverytest.Fault{AfterEvents: 1, Body: "event: error\ndata: {}\n\n"})
			require.NoError(t, err)
			assert.Equal(t, first+"event: error\ndata: {}\n\n", failed)
			late, err := run(&discoverytest.Fault{AfterEvents: 1, Delay: time.Millisecond})
			require.NoError(t, err)
			assert.Equal(t, whole, late)
			late, err = run(&discoverytest.Fault{AfterEvents: 1000, HangUp: true})
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, whole, late)
		})
	}
}

func TestFaultOfAStreamLeavesOtherResponsesAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, r := range completionRequests() {
		s.Fail(r.op, discoverytest.Fault{AfterEvents: 1, HangUp: true})
		got, err := s.complete(t.Context(), r, r.path, r.body)
		require.NoError(t, err)
		assert.Equal(t, 200, got.Status)
		s.Fail(r.op, discoverytest.Fault{Status: 529, Body: "overloaded"})
		got, err = s.complete(t.Context(), r, r.streamPath, r.streamed)
		require.NoError(t, err)
		assert.Equal(t, 529, got.Status)
	}
}

// The first event arrives while the others are delayed.
func TestEventsAreFlushed(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := completionRequests()[0]
	s.Fail(r.op, discoverytest.Fault{AfterEvents: 1, Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+r.path, strings.NewReader(r.streamed))
	require.NoError(t, err)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set(r.header, r.key)
	resp, err := s.http.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	const begin = "event: message_start\n"
	text := make([]byte, len(begin))
	_, err = io.ReadFull(resp.Body, text)
	require.NoError(t, err)
	assert.Equal(t, begin, string(text))
	cancel()
	_, err = io.Copy(io.Discard, resp.Body)
	require.ErrorIs(t, err, context.Canceled)
}
