package discoverytest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// completion is a response to one request. The templates use its exported names.
type completion struct {
	Service     discovery.Service
	Number      int // of the responses of this server, from 1
	Model, Text string
	Usage       json.RawMessage
	Options     struct {
		IncludeUsage bool `json:"include_usage"` // in a stream of the chat API
	}

	stream   bool
	array    bool        // a stream of Gemini is a JSON array
	header   http.Header // of a response that is not a stream of events
	sequence int
}

// Words returns the parts of the text that a stream sends.
func (c *completion) Words() []string { return strings.SplitAfter(c.Text, " ") }

// Sequence counts the events of a stream from 0.
func (c *completion) Sequence() int {
	c.sequence++
	return c.sequence - 1
}

// FirstUsage is the usage at the start of a stream of Anthropic, with one output token.
func (c *completion) FirstUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		if fields["output_tokens"] != nil {
			fields["output_tokens"] = json.RawMessage("1")
		}
	})
}

// FinalUsage is the usage at the end of a stream of Anthropic, without what is in the first one only.
func (c *completion) FinalUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		for _, name := range []string{"cache_creation", "service_tier", "inference_geo", "speed"} {
			delete(fields, name)
		}
	})
}

// PromptUsage is the usage without the output of Gemini.
func (c *completion) PromptUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		delete(fields, "candidatesTokenCount")
		delete(fields, "candidatesTokensDetails")
		if prompt := fields["promptTokenCount"]; prompt != nil {
			fields["totalTokenCount"] = prompt
		}
	})
}

// editedUsage returns the usage with changed fields, whose values stay exact. Anything but an object is returned unchanged.
func (c *completion) editedUsage(change func(fields map[string]json.RawMessage)) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Usage, &fields) != nil {
		return c.Usage
	}
	change(fields)
	text, _ := json.Marshal(fields) // it was valid
	return text
}

// answer fills in the template of a form, or that of its stream.
func (c *completion) answer(form string) answer {
	if c.stream {
		form += " stream"
	}
	text := fill(form, c)
	if !c.stream {
		return answer{Status: http.StatusOK, Header: c.header, Body: json.RawMessage(text)}
	}
	events := strings.SplitAfter(strings.TrimSuffix(text, "\n\n"), "\n\n")
	events[len(events)-1] += "\n\n"
	if c.array {
		return answer{Status: http.StatusOK, Header: c.header, Events: arrayOf(events)}
	}
	return answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Events: events}
}

// arrayOf returns the data of events as the parts of a JSON array, with the separators that Google writes.
func arrayOf(events []string) []string {
	before := "["
	for i, event := range events {
		events[i] = before + strings.TrimSuffix(strings.TrimPrefix(event, "data: "), "\n\n")
		before = "\n,\r\n"
	}
	events[len(events)-1] += "\n]\n"
	return events
}
