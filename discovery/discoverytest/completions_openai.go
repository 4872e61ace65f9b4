package discoverytest

import (
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// writeChat responds in the form of OpenAI's chat API.
func writeChat(c completion) answer {
	if c.stream {
		return stream(c.chatEvents())
	}
	body := c.chat("chat.completion", []object{{
		"index": 0, "message": object{"role": "assistant", "content": c.text, "refusal": nil}, "logprobs": nil, "finish_reason": "stop",
	}})
	body["usage"] = c.usage
	return ok(body)
}

func (c completion) chat(kind string, choices []object) object {
	return object{
		"id": fmt.Sprintf("chatcmpl-%d", c.number), "object": kind, "created": created, "model": c.model, "choices": choices,
		"service_tier": "default", "system_fingerprint": "fp_example",
	}
}

// chatEvents returns the chunks of a stream and [DONE]. DeepSeek adds the usage to the chunk with the finish_reason, xAI sends a
// chunk for it, and the others do so only on request: all their other chunks then have the usage null.
func (c completion) chatEvents() []string {
	deltas := []object{{"role": "assistant", "content": ""}}
	for _, word := range c.words() {
		deltas = append(deltas, object{"content": word})
	}
	var events []string
	add := func(choices []object, usage any) {
		chunk := c.chat("chat.completion.chunk", choices)
		if usage != nil || c.includeUsage || c.service == discovery.ServiceDeepSeek {
			chunk["usage"] = usage
		}
		events = append(events, event("", chunk))
	}
	for _, delta := range deltas {
		add([]object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": nil}}, nil)
	}
	last := []object{{"index": 0, "delta": object{}, "logprobs": nil, "finish_reason": "stop"}}
	switch {
	case c.service == discovery.ServiceDeepSeek:
		add(last, c.usage)
	case c.service == discovery.ServiceXAI || c.includeUsage:
		add(last, nil)
		add([]object{}, c.usage)
	default:
		add(last, nil)
	}
	return append(events, "data: [DONE]\n\n")
}

// writeResponse responds in the form of OpenAI's responses API.
func writeResponse(c completion) answer {
	if c.stream {
		return stream(c.responseEvents())
	}
	return ok(c.response("completed"))
}

// emptyResponse has the fields that do not depend on the request.
const emptyResponse = `{
	"object": "response", "created_at": 1795305600, "background": false, "error": null, "incomplete_details": null, "instructions": null,
	"max_output_tokens": null, "metadata": {}, "output": [], "parallel_tool_calls": true, "previous_response_id": null,
	"service_tier": "auto", "store": true, "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1, "truncation": "disabled",
	"usage": null
}`

// response returns the response object: in progress without output and usage, or completed.
func (c completion) response(status string) object {
	body := decoded(emptyResponse)
	body["id"], body["status"], body["model"] = fmt.Sprintf("resp_%d", c.number), status, c.model
	if status == "completed" {
		body["service_tier"], body["output"], body["usage"] = "default", []object{c.outputItem("completed", c.outputPart(c.text))}, c.usage
	}
	return body
}

func (c completion) itemID() string { return fmt.Sprintf("msg_%d", c.number) }

func (c completion) outputItem(status string, parts ...object) object {
	return object{"id": c.itemID(), "type": "message", "role": "assistant", "status": status, "content": append([]object{}, parts...)}
}

func (c completion) outputPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}, "logprobs": []object{}}
}

// responseEvents returns the events of a stream. The last one has the whole response; there is no [DONE].
func (c completion) responseEvents() []string {
	var events []string
	add := func(kind string, data object) {
		data["type"], data["sequence_number"] = kind, len(events)
		events = append(events, typed(data))
	}
	addPart := func(kind string, data object) {
		data["item_id"], data["output_index"], data["content_index"] = c.itemID(), 0, 0
		add(kind, data)
	}
	add("response.created", object{"response": c.response("in_progress")})
	add("response.in_progress", object{"response": c.response("in_progress")})
	add("response.output_item.added", object{"output_index": 0, "item": c.outputItem("in_progress")})
	addPart("response.content_part.added", object{"part": c.outputPart("")})
	for _, word := range c.words() {
		addPart("response.output_text.delta", object{"delta": word, "logprobs": []object{}})
	}
	addPart("response.output_text.done", object{"text": c.text, "logprobs": []object{}})
	addPart("response.content_part.done", object{"part": c.outputPart(c.text)})
	add("response.output_item.done", object{"output_index": 0, "item": c.outputItem("completed", c.outputPart(c.text))})
	add("response.completed", object{"response": c.response("completed")})
	return events
}
