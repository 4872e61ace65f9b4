package streams_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/streams"
)

// random is a well-formed stream from one API.
type random struct {
	streams.Stream
	rand *rand.Rand
	// events has each event's data. answer is the equivalent body without streaming.
	events []string
	answer string
}

func randomStream(seed uint64) *random {
	r := &random{rand: rand.New(rand.NewPCG(seed, 30))}
	r.Name = fmt.Sprint("stream ", seed)
	switch r.rand.IntN(8) {
	case 0, 1:
		r.chat(models.OpenAI, "api.openai.com/v1", "gpt-5.4")
	case 2:
		r.chat(models.DeepSeek, "api.deepseek.com", "deepseek-v4-flash")
	case 3:
		r.chat(models.XAI, "api.x.ai/v1", "grok-4.3")
	case 4, 5:
		r.responses()
	case 6:
		r.messages()
	default:
		r.generateContent()
	}
	r.serialize()
	return r
}

func (r *random) often() bool { return r.rand.IntN(3) > 0 }

func (r *random) rarely() bool { return r.rand.IntN(5) == 0 }

// text is a JSON string. It may look like part of an event, and may exceed what a meter
// keeps per line.
func (r *random) text() string {
	words := []string{"word ", `"usage":{"prompt_tokens":9}`, "data: [DONE]\n\n", `"finish_reason":"stop"`, "é", `\`, "}", `"error":{`}
	var b strings.Builder
	for range r.rand.IntN(9) {
		b.WriteString(words[r.rand.IntN(len(words))])
	}
	if r.rarely() {
		b.WriteString(strings.Repeat("long ", r.rand.IntN(3000)))
	}
	text, _ := json.Marshal(b.String())
	return string(text)
}

func (r *random) pick(of ...string) string { return of[r.rand.IntN(len(of))] }

func (r *random) add(format string, args ...any) {
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// chat adds a chat completions stream. Chunks with and without choices may have usage,
// before, in and after the chunk with the finish reason, and the last usage counts. A
// chunk without choices after the finish reason has the final usage.
func (r *random) chat(p models.Provider, host, model string) {
	r.Provider, r.URL = p, "https://"+host+"/chat/completions"
	r.Request = `{"model":"` + model + `","stream":true}`
	tier := ""
	if p == models.OpenAI {
		tier = r.pick("", `"service_tier":"default",`, `"service_tier":"priority",`, `"service_tier":"flex",`)
	}
	head := fmt.Sprintf(`"id":"chat_%d","object":"chat.completion.chunk",%s"model":"%s"`, r.rand.IntN(1e6), tier, model)
	final, output := "", 0
	usage := func(sure bool) string {
		if !sure && r.often() {
			return r.pick("", `,"usage":null`)
		}
		output += 1 + r.rand.IntN(100)
		final = r.chatUsage(p, output)
		return `,"usage":` + final
	}
	const none = `,"choices":[]`
	choice := func(reason string) string {
		return fmt.Sprintf(`,"choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]`, r.text(), reason)
	}
	for range 1 + r.rand.IntN(8) {
		r.add(`{%s%s%s}`, head, choice("null"), usage(false))
	}
	if r.rarely() {
		r.add(`{%s%s%s}`, head, none, usage(true))
	}
	r.add(`{%s%s%s}`, head, choice(r.pick(`"stop"`, `"length"`, `"tool_calls"`)), usage(false))
	for range r.rand.IntN(3) {
		r.add(`{%s%s%s}`, head, choice("null"), usage(false))
	}
	if final == "" || r.often() {
		last := usage(true)
		for range 1 + r.rand.IntN(2) {
			r.add(`{%s%s%s}`, head, none, last)
		}
	} else { // the usage that counts never precedes the finish reason
		r.add(`{%s%s%s}`, head, choice("null"), usage(true))
	}
	r.answer = fmt.Sprintf(`{%s,"choices":[{"finish_reason":"stop","message":{"content":%s}}],"usage":%s}`, head, r.text(), final)
	r.events = append(r.events, "[DONE]")
}

// chatUsage returns a chat completions usage object with the given output tokens.
func (r *random) chatUsage(p models.Provider, output int) string {
	input := 1000 + r.rand.IntN(1000)
	cached, reasoning := r.rand.IntN(1000), r.rand.IntN(output)
	counts := fmt.Sprintf(`"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}`, input, output, input+output, cached)
	switch p {
	case models.DeepSeek:
		counts += fmt.Sprintf(`,"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d`, cached, input-cached)
	case models.XAI: // its output excludes reasoning
		return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},`+
			`"completion_tokens_details":{"reasoning_tokens":%d},"num_sources_used":0}`, input, output, input+output+reasoning, cached, reasoning)
	default:
		counts += fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, reasoning)
	}
	return "{" + counts + "}"
}

// responses adds an OpenAI or xAI Responses stream. Its events repeat instructions and
// output.
func (r *random) responses() {
	r.Provider, r.URL = models.OpenAI, "https://api.openai.com/v1/responses"
	model, tier := "gpt-5.4", r.pick("default", "flex", "priority")
	if r.rarely() {
		r.Provider, r.URL, model, tier = models.XAI, "https://api.x.ai/v1/responses", "grok-4.3", "default"
	}
	r.Request = `{"model":"` + model + `","stream":true}`
	head := fmt.Sprintf(`"id":"resp_%d","object":"response","model":"%s","instructions":%s`, r.rand.IntN(1e6), model, r.text())
	for _, kind := range []string{"created", "in_progress"} {
		r.add(`{"type":"response.%s","response":{%s,"status":"in_progress","service_tier":"auto","output":[],"usage":null}}`, kind, head)
	}
	for range r.rand.IntN(8) {
		r.add(`{"type":"response.output_text.delta","item_id":"msg_1","delta":%s}`, r.text())
	}
	output := `{"type":"message","content":[{"type":"output_text","text":` + r.text() + `}]}`
	if r.rarely() {
		output += `,{"type":"web_search_call","id":"ws_1","action":{"type":"search","query":` + r.text() + `}}`
	}
	input, out := 1000+r.rand.IntN(1000), 1+r.rand.IntN(1000)
	kind := r.pick("completed", "incomplete")
	r.answer = fmt.Sprintf(`{%s,"status":"%s","service_tier":"%s","output":[%s],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},`+
		`"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}}`,
		head, kind, tier, output, input, r.rand.IntN(1000), out, r.rand.IntN(out), input+out)
	r.add(`{"type":"response.%s","response":%s}`, kind, r.answer)
}

// messages adds an Anthropic Messages stream. It has counts in message_start and in each
// message_delta.
func (r *random) messages() {
	r.Provider, r.URL = models.Anthropic, "https://api.anthropic.com/v1/messages"
	r.Request = `{"model":"claude-sonnet-5","stream":true}`
	head := fmt.Sprintf(`"id":"msg_%d","type":"message","role":"assistant","model":"claude-sonnet-5"`, r.rand.IntN(1e6))
	short, long := r.rand.IntN(100), r.rand.IntN(100)
	input := fmt.Sprintf(`"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,`+
		`"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}`, r.rand.IntN(5000), r.rand.IntN(5000), short+long, short, long)
	tier := r.pick("", `,"service_tier":"standard"`, `,"service_tier":"batch"`)
	r.add(`{"type":"message_start","message":{%s,"content":[],"usage":{%s,"output_tokens":1%s}}}`, head, input, tier)
	if r.often() {
		r.add(`{"type":"ping"}`)
	}
	for range r.rand.IntN(8) {
		r.add(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, r.text())
	}
	for i := range r.rand.IntN(3) {
		r.add(`{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":%d}}`, i+2)
	}
	output, searches := r.rand.IntN(5000), ""
	if r.rarely() {
		searches = `,"server_tool_use":{"web_search_requests":2}`
	}
	r.add(`{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":%d%s%s}}`,
		r.pick("end_turn", "tool_use", "max_tokens"), output, r.pick("", `,"cache_read_input_tokens":null`), searches)
	r.add(`{"type":"message_stop"}`)
	r.answer = fmt.Sprintf(`{%s,"content":[{"type":"text","text":%s}],"usage":{%s,"output_tokens":%d%s%s}}`, head, r.text(), input, output, searches, tier)
}

// generateContent adds a Gemini stream. All events have the counts so far.
func (r *random) generateContent() {
	const model = "gemini-3-flash-preview"
	r.Provider, r.URL = models.Gemini, "https://generativelanguage.googleapis.com/v1beta/models/"+model+":streamGenerateContent?alt=sse"
	r.Request = `{"contents":[]}`
	input, id := 1000+r.rand.IntN(1000), r.rand.IntN(1e6)
	output, thoughts, more := 0, r.rand.IntN(100), r.rand.IntN(8)
	cached, tier := r.rand.IntN(1000), r.pick("", `,"serviceTier":"STANDARD"`)
	for i := range more + 1 {
		output += 1 + r.rand.IntN(100)
		reason := ""
		if i == more {
			reason = r.pick(`,"finishReason":"STOP"`, `,"finishReason":"MAX_TOKENS"`)
			if r.rarely() {
				reason += `,"groundingMetadata":{"webSearchQueries":["one","two"]}`
			}
		}
		r.answer = fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s}],"role":"model"},"index":0%s}],"usageMetadata":{"promptTokenCount":%d,`+
			`"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"totalTokenCount":%d%s},"modelVersion":"%s","responseId":"r%d"}`,
			r.text(), reason, input, cached, output, thoughts, input+output+thoughts, tier, model, id)
		r.events = append(r.events, r.answer)
	}
}

// serialize sets the body. It adds the lines that may surround events, and picks a line
// ending.
func (r *random) serialize() {
	r.Complete = true
	end, space, named := r.pick("\n", "\r\n"), r.pick("", " "), r.often()
	var b strings.Builder
	for i, data := range r.events {
		switch {
		case r.rarely():
			b.WriteString(": keep-alive" + end + end)
		case named:
			fmt.Fprintf(&b, "event: message%sid: %d%s", end, i, end)
		}
		for line := range strings.Lines(r.spread(data)) {
			b.WriteString("data:" + space + strings.TrimSuffix(line, "\n") + end)
		}
		b.WriteString(end)
	}
	r.Body = b.String()
}

// spread sometimes splits an event's data into several lines.
func (r *random) spread(data string) string {
	if data != "[DONE]" && r.rarely() {
		return strings.Replace(data, `,"`, ",\n\"", 1+r.rand.IntN(3))
	}
	return data
}
