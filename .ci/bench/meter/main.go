// Command meter measures package meter.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func main() {
	measure.Main(map[string]func() func(){
		"hosts": hosts,
		"response": func() func() {
			body := `{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-5.4","choices":[{"index":0,"message":{"role":"assistant","content":"` +
				strings.Repeat("word ", 360) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`
			return exchange("https://api.openai.com/v1/chat/completions", "application/json", []byte(body))
		},
		"events": func() func() {
			text := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + strings.Repeat("word ", 16) + `"}}`
			body := slices.Concat(
				chunk(`{"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":10,"output_tokens":1}}}`),
				bytes.Repeat(chunk(text), 1000),
				chunk(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`))
			const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
			return exchange("https://bedrock-runtime.us-east-1.amazonaws.com/model/"+model+"/invoke-with-response-stream", "application/vnd.amazon.eventstream", body)
		},
	})
}

// hosts makes a short call to each host, since recognizing one takes time, too.
func hosts() func() {
	const (
		chat     = `{"id":"chatcmpl-1","model":"gpt-5.4","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`
		grok     = `{"id":"1","model":"grok-4.7","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`
		deepSeek = `{"id":"1","model":"deepseek-v4-pro","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,` +
			`"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6}}`
		router   = `{"id":"gen-1","model":"openai/gpt-5.4","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,"cost":0.0003}}`
		messages = `{"id":"msg_1","model":"claude-opus-4-5-20251101","content":[],"usage":{"input_tokens":10,"output_tokens":20}}`
		generate = `{"responseId":"r1","modelVersion":"gemini-2.5-flash","candidates":[],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":20,"totalTokenCount":30}}`
		converse = `{"output":{},"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":20,"totalTokens":30}}`
	)
	var calls []func()
	for _, call := range [][2]string{
		{"https://api.openai.com/v1/chat/completions", chat},
		{"https://api.deepseek.com/chat/completions", deepSeek},
		{"https://api.x.ai/v1/chat/completions", grok},
		{"https://openrouter.ai/api/v1/chat/completions", router},
		{"https://api.anthropic.com/v1/messages", messages},
		{"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent", generate},
		{"https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/google/models/gemini-2.5-flash:generateContent", generate},
		{"https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse", converse},
	} {
		calls = append(calls, exchange(call[0], "application/json", []byte(call[1])))
	}
	return func() {
		for _, call := range calls {
			call()
		}
	}
}

// server is a transport that answers every request with its body.
type server struct {
	contentType string
	body        []byte
}

func (s server) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {s.contentType}}, Request: req, Body: io.NopCloser(bytes.NewReader(s.body)),
	}, nil
}

// exchange reads a response through a meter.
func exchange(url, contentType string, body []byte) func() {
	m, err := meter.New()
	measure.Must(err)
	transport, buffer := m.Transport(server{contentType, body}), make([]byte, 32<<10)
	return func() {
		req, err := http.NewRequest(http.MethodPost, url, http.NoBody)
		measure.Must(err)
		resp, err := transport.RoundTrip(req)
		measure.Must(err)
		_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, buffer)
		measure.Must(err)
		measure.Must(resp.Body.Close())
	}
}

// chunk returns an AWS event stream message.
func chunk(event string) []byte {
	header := func(name, value string) string {
		return string(rune(len(name))) + name + "\x07" + string(binary.BigEndian.AppendUint16(nil, uint16(len(value)))) + value
	}
	payload := `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `","p":"abcdefghijkl"}`
	headers := header(":message-type", "event") + header(":event-type", "chunk")
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(headers)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, headers...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}
