package discoverytest

import (
	"encoding/json"
	"fmt"
)

// writeMessage responds in the form of Anthropic's Messages API.
func writeMessage(c completion) answer {
	if c.stream {
		return stream(c.messageEvents())
	}
	body := c.message(c.usage, object{"type": "text", "text": c.text})
	body["stop_reason"] = "end_turn"
	return ok(body)
}

func (c completion) message(usage json.RawMessage, content ...object) object {
	return object{
		"id": fmt.Sprintf("msg_%d", c.number), "type": "message", "role": "assistant", "model": c.model,
		"content": append([]object{}, content...), "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
}

// messageEvents returns the events of a stream. The usage is in two of them: message_start has all but the output, which is 1
// there, and message_delta has the final counts without the kinds of cache writes, the tier and the region.
func (c completion) messageEvents() []string {
	start := edit(c.usage, func(fields map[string]json.RawMessage) {
		if _, given := fields["output_tokens"]; given {
			fields["output_tokens"] = json.RawMessage("1")
		}
	})
	events := []string{
		typed(object{"type": "message_start", "message": c.message(start)}),
		typed(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}),
		typed(object{"type": "ping"}),
	}
	for _, word := range c.words() {
		events = append(events, typed(object{
			"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": word},
		}))
	}
	return append(events,
		typed(object{"type": "content_block_stop", "index": 0}),
		typed(object{
			"type": "message_delta", "delta": object{"stop_reason": "end_turn", "stop_sequence": nil},
			"usage": without(c.usage, "cache_creation", "service_tier", "inference_geo", "speed"),
		}),
		typed(object{"type": "message_stop"}),
	)
}
