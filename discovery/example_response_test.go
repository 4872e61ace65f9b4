package discovery_test

import (
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// A response has the model that answered, and what is billed beside the usage object: here a service tier and a search.
func ExampleParseResponse() {
	response, err := discovery.ParseResponse(discovery.OpenAI, []byte(`{"id": "resp_1", "model": "gpt-5.4-2026-03-05", "service_tier": "flex",
		"output": [{"type": "web_search_call", "action": {"type": "search", "query": "mesh"}}],
		"usage": {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}}`))
	fmt.Println(response.Model, response.Usage.Input, response.Usage.Output, response.Usage.Mode, response.Usage.Requests)
	fmt.Println(response.Complete, err)
	// Output:
	// gpt-5.4-2026-03-05 900 60 flex map[web_search:1]
	// true <nil>
}

// The events of Anthropic's messages are merged. A stream that ends before the stop reason is not Complete.
func ExampleStream() {
	stream := discovery.NewStream(discovery.Anthropic)
	for _, data := range []string{ // the data lines of server-sent events
		`{"type": "message_start", "message": {"id": "msg_1", "model": "claude-sonnet-5", "usage": {"input_tokens": 50, "output_tokens": 1,
			"cache_creation_input_tokens": 700, "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 700}}}}`,
		`{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 120}}`,
	} {
		if err := stream.Event([]byte(data)); err != nil {
			fmt.Println(err)
		}
		response, err := stream.Response()
		fmt.Println(response.Usage.Input, response.Usage.CacheWrite1h, response.Usage.Output, response.Complete, err)
	}
	// Output:
	// 50 700 1 false <nil>
	// 50 700 120 true <nil>
}
