package response

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// bedrockRoot is for Converse and InvokeModel, for any model.
var bedrockRoot = place(Root, map[string]Field{
	"serviceTier.type": Tier, "performanceConfig.latency": Latency,
	// Nova's event, and Converse's as a union member
	"metadata.usage": Usage, "metadata.serviceTier.type": Tier, "metadata.performanceConfig.latency": Latency,
	"amazon-bedrock-invocationMetrics": Metrics,
	"inputTextTokenCount":              InputCount, "results[].tokenCount": OutputCount, // Titan
	"prompt_token_count": InputCount, "generation_token_count": OutputCount, // Llama
}, nil)

// header with a count -> its name in Converse's usage object
var headerNames = map[string]string{
	"X-Amzn-Bedrock-Input-Token-Count": "inputTokens", "X-Amzn-Bedrock-Output-Token-Count": "outputTokens",
	"X-Amzn-Bedrock-Cache-Read-Input-Token-Count": "cacheReadInputTokens", "X-Amzn-Bedrock-Cache-Write-Input-Token-Count": "cacheWriteInputTokens",
}

// Headers takes the response headers. InvokeModel's have counts that a body may lack.
func (r *Reader) Headers(get func(name string) string) {
	const most = 15 // digits
	if r.form != usage.Invoke {
		return
	}
	r.headers = make(map[string]int64, len(headerNames))
	for header, name := range headerNames {
		if n, err := strconv.ParseInt(get(header), 10, 64); err == nil && n >= 0 && len(get(header)) <= most {
			r.headers[name] = n
		}
	}
}

// withHeaders fills in counts missing from an object in Converse's form. Embedding models
// have no output.
func withHeaders(object []byte, headers map[string]int64) []byte {
	const input, output = "inputTokens", "outputTokens"
	_, counts := headers[input]
	if !counts || vendor(usage.Invoke, object) != usage.Converse {
		return object
	}
	m, ok := newMerged(object)
	if !ok {
		return object
	}
	for name, n := range headers {
		if m.members[name] == nil {
			m.set(name, fmt.Appendf(nil, `"%s":%d`, name, n))
		}
	}
	if object == nil && m.members[output] == nil {
		m.set(output, []byte(`"`+output+`":0`))
	}
	return m.object()
}

// vendor returns the vendor's form for InvokeModel.
func vendor(form string, object []byte) string {
	if form != usage.Invoke {
		return form
	}
	return usage.Vendor(bytes.Contains(object, []byte(`"input_tokens"`)), bytes.Contains(object, []byte(`"prompt_tokens"`)))
}

func latencyMode(latency string) string {
	if latency == "" || strings.EqualFold(latency, "standard") {
		return ""
	}
	return "latency-" + latency
}

// metrics takes InvokeModel's metrics from the last event, unless the stream has its own
// usage object: if they differ, it is unknown which one is billed.
func (r *Reader) metrics(d *Document) {
	if r.form == usage.Invoke && d.metrics != nil && !r.started && !r.final {
		r.usage, r.merged, r.final = d.metrics, nil, true
	}
}
