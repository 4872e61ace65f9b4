package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Token counts in each answer.
const (
	input  = 100
	output = 20
)

// fake imitates the providers' APIs. It answers every call with one word and keeps its
// own ledger.
type fake struct {
	mu     sync.Mutex
	calls  map[string]int // host -> answers with counts
	others []string       // unknown requests
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var request struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	_ = json.Unmarshal(text, &request)
	path, model := r.URL.Path, request.Model
	switch {
	case r.Header.Get("Upgrade") != "", r.Method != http.MethodPost, strings.HasSuffix(path, "count_tokens"), strings.HasSuffix(path, ":countTokens"):
		f.other(w, r)
	case strings.HasSuffix(path, "/chat/completions"):
		f.answer(w, r, chat(model, request.Stream, request.StreamOptions.Usage))
	case strings.HasSuffix(path, "/responses"):
		f.answer(w, r, responses(model, request.Stream))
	case strings.HasSuffix(path, "/messages"):
		f.answer(w, r, messages(model, request.Stream))
	case strings.HasSuffix(path, "/converse"):
		f.answer(w, r, converse())
	case strings.HasSuffix(path, "/invoke"):
		f.answer(w, r, messages("claude-haiku-4-5-20251001", false))
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		_, model, _ = strings.Cut(path, "/models/")
		model, _, _ = strings.Cut(model, ":")
		f.answer(w, r, content(model, strings.Contains(path, ":stream"), strings.Contains(string(text), "responseJsonSchema") || strings.Contains(string(text), "responseSchema")))
	default:
		f.other(w, r)
	}
}

// other answers requests that cost nothing.
func (f *fake) other(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.others = append(f.others, r.Method+" "+r.Host+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"type":"error","error":{"type":"not_found_error","message":"not found"}}`)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request, events []string) {
	f.mu.Lock()
	f.calls[r.Host]++
	f.mu.Unlock()
	if len(events) == 1 {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, events[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		var named struct{ Type string }
		if json.Unmarshal([]byte(e), &named) == nil && named.Type != "" {
			fmt.Fprintf(w, "event: %s\n", named.Type)
		}
		if e != "" {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}
}

func chat(model string, stream, usage bool) []string {
	counts := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, input, output, input+output)
	if strings.HasPrefix(model, "deepseek") {
		counts = strings.Replace(counts, "}", fmt.Sprintf(`,"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":%d}`, input), 1)
	}
	if !stream {
		return []string{fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],"usage":%s}`, model, counts)}
	}
	events := []string{
		fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":%q,"choices":[{"index":0,"delta":{"role":"assistant","content":"done"},"finish_reason":null}]}`, model),
		fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":%q,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, model),
	}
	if usage {
		events = append(events, fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":%q,"choices":[],"usage":%s}`, model, counts))
	}
	return append(events, "[DONE]")
}

func responses(model string, stream bool) []string {
	const item = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"done","annotations":[]}]}`
	response := func(status, output, usage string) string {
		return fmt.Sprintf(`{"id":"resp_1","object":"response","created_at":1,"status":%q,"error":null,"incomplete_details":null,"instructions":null,"model":%q,"output":[%s],"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":%s,"metadata":{}}`, status, model, output, usage)
	}
	counts := fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":0},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}`, input, output, input+output)
	if !stream {
		return []string{response("completed", item, counts)}
	}
	return []string{
		`{"type":"response.created","sequence_number":0,"response":` + response("in_progress", "", "null") + `}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]}}`,
		`{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"done"}`,
		`{"type":"response.output_text.done","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"text":"done"}`,
		`{"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":` + item + `}`,
		`{"type":"response.completed","sequence_number":6,"response":` + response("completed", item, counts) + `}`,
	}
}

func messages(model string, stream bool) []string {
	if !stream {
		return []string{fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":"done"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":%d}}`, model, input, output)}
	}
	return []string{
		fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":1}}}`, model, input),
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done"}}`,
		`{"type":"content_block_stop","index":0}`,
		fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":%d}}`, output),
		`{"type":"message_stop"}`,
	}
}

func converse() []string {
	return []string{fmt.Sprintf(`{"output":{"message":{"role":"assistant","content":[{"text":"done"}]}},"stopReason":"end_turn","usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d},"metrics":{"latencyMs":1}}`, input, output, input+output)}
}

func content(model string, stream, schema bool) []string {
	text := "done"
	if schema { // Gemini CLI asks a model which model to use
		text = `{\"complexity_reasoning\":\"simple\",\"complexity_score\":1,\"reasoning\":\"simple\",\"model_choice\":\"flash\",\"next_speaker\":\"user\"}`
	}
	event := fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"%s"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d},"modelVersion":%q,"responseId":"r1"}`, text, input, output, input+output, model)
	if stream {
		return []string{event, ""}
	}
	return []string{event}
}
