package response

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	// bedrockRoot is the place of a body or an event of Converse and InvokeModel, whatever model has answered.
	bedrockRoot = place(Root, map[string]Field{
		"serviceTier.type": Tier, "performanceConfig.latency": Latency,
		// the event of Nova, and of Converse where it is the member of a union
		"metadata.usage": Usage, "metadata.serviceTier.type": Tier, "metadata.performanceConfig.latency": Latency,
		"amazon-bedrock-invocationMetrics": Metrics,
		"inputTextTokenCount":              InputCount, "results[].tokenCount": OutputCount, // Titan
		"prompt_token_count": InputCount, "generation_token_count": OutputCount, // Llama
	}, nil)

	// geminiRoot has the embeddings of Vertex too.
	geminiRoot = place(Root, map[string]Field{"predictions[].embeddings.statistics.token_count": InputCount}, nil)

	// In the APIs of Cohere and Ollama, message is not an object that holds the response.
	cohereRoot = place(nil, map[string]Field{"type": Kind, "id": ID, "model": Model, "usage": Usage, "meta": Usage, "delta.usage": Usage}, nil)
	ollamaRoot = place(nil, map[string]Field{
		"model": Model, "error": Failure, "done": Done, "prompt_eval_count": InputCount, "eval_count": OutputCount,
	}, nil)
)

// Parse reads one document of the Reader's form. It reports whether data is one JSON object.
func (r *Reader) Parse(data []byte) (*Document, bool) {
	var d jsonread.Decoder
	d.Reset(data)
	doc := new(Document)
	ok := d.Next() == jsonread.Object && doc.walk(&d, r.Root(), 0) == nil && d.AtEnd()
	return doc, ok
}

// Root returns the place of a document of the Reader's form.
func (r *Reader) Root() *Node {
	switch r.form {
	case usage.Converse, usage.Invoke:
		return bedrockRoot
	case usage.Cohere:
		return cohereRoot
	case usage.Ollama:
		return ollamaRoot
	case "gemini":
		return geminiRoot
	}
	return Root
}

// counted are the counts of a body without a usage object. Those of several answers or texts are added.
type counted struct{ input, output sum }

type sum struct {
	n     int64
	given bool
}

func (s *sum) add(raw []byte) {
	const most = 1 << 53
	if n, ok := number(raw); ok && n <= most {
		s.n, s.given = min(s.n+n, most+1), true // too large a sum is refused as a count
	}
}

// object returns the counts as a usage object of a form, or nil without any.
func (c *counted) object(form string) []byte {
	if !c.input.given && !c.output.given {
		return nil
	}
	names := [2]string{"inputTokens", "outputTokens"}
	switch form {
	case usage.Ollama:
		names = [2]string{"prompt_eval_count", "eval_count"}
	case "gemini":
		names = [2]string{"promptTokenCount", "candidatesTokenCount"}
	}
	object := []byte(`{"` + names[0] + `":` + strconv.FormatInt(c.input.n, 10))
	return append(object, `,"`+names[1]+`":`+strconv.FormatInt(c.output.n, 10)+"}"...)
}

// headerNames are the headers of InvokeModel with counts, and their names in the usage object of Converse.
var headerNames = map[string]string{
	"X-Amzn-Bedrock-Input-Token-Count": "inputTokens", "X-Amzn-Bedrock-Output-Token-Count": "outputTokens",
	"X-Amzn-Bedrock-Cache-Read-Input-Token-Count": "cacheReadInputTokens", "X-Amzn-Bedrock-Cache-Write-Input-Token-Count": "cacheWriteInputTokens",
}

// Headers takes the headers of the response. Those of InvokeModel have counts that a body may lack.
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

// withHeaders adds the counts of the headers that a usage object of Converse's form lacks. Models without an answer in text, as those
// of embeddings, have no output.
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

// vendor returns the form of a usage object: for InvokeModel that of the vendor.
func vendor(form string, object []byte) string {
	if form != usage.Invoke {
		return form
	}
	return usage.Vendor(bytes.Contains(object, []byte(`"input_tokens"`)), bytes.Contains(object, []byte(`"prompt_tokens"`)))
}

// latencyMode returns the mode of an answer whose latency is not the standard one.
func latencyMode(latency string) string {
	if latency == "" || strings.EqualFold(latency, "standard") {
		return ""
	}
	return "latency-" + latency
}

// own reports whether the final usage of a stream is the only one.
func (r *Reader) own() bool {
	return r.form == usage.Converse || r.form == usage.Cohere || r.form == usage.Ollama
}

// last takes the event with the final usage, of Ollama the one that is done.
func (r *Reader) last(d *Document, used []byte) {
	if d.text[Latency] != "" {
		r.text[Latency] = d.text[Latency]
	}
	if r.form == usage.Ollama && d.turned {
		used = d.counted.object(r.form)
	}
	if used != nil {
		r.usage, r.final = used, true
	}
}

// metrics takes Bedrock's metrics of InvokeModel, which are in the last event. A stream that has its own usage object keeps that:
// where they differ it is not known which one is billed.
func (r *Reader) metrics(d *Document) {
	if r.form == usage.Invoke && d.metrics != nil && !r.started && !r.final {
		r.usage, r.merged, r.final = d.metrics, nil, true
	}
}
