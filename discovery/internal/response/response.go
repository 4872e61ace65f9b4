// Package response reads whole responses: the usage object and other billed items.
//
// The extraction finds the relevant values in a JSON document, by the paths below, and
// sets the fields in a [Document]. [Reader.Parse] does so for a document in memory. A
// scanner that follows [Root] and calls [Document.Enter] and [Document.Set] in text
// order makes the same Document without the text. A [Reader] interprets the Documents:
// it merges them and judges whether the final usage was read.
//
// # Paths
//
// Bodies; [] is any element:
//
//	OpenAI, DeepSeek, xAI      id, model, service_tier, usage, status, object, background,
//	                           choices[].finish_reason (chat), tool_usage.web_search.num_requests, tool_usage.image_gen.total_tokens, tool_usage.*.num_requests,
//	                           output[].type, .action.type, .container_id, .environment.container_id (responses)
//	Anthropic, and DeepSeek's  id, model, usage; the tier, the speed, the region and the tools are in the usage
//	messages
//	Gemini's generateContent   responseId, modelVersion, usageMetadata, candidates[].finishReason,
//	and Live                   modelStatus.modelStage and .retirementTime,
//	                           candidates[].groundingMetadata.webSearchQueries[], .imageSearchQueries[] and
//	                           .groundingChunks[].maps, promptFeedback, serverContent.turnComplete and .groundingMetadata
//	Bedrock's Converse and     usage, serviceTier.type, performanceConfig.latency, metadata.usage, amazon-bedrock-invocationMetrics,
//	InvokeModel                inputTextTokenCount, results[].tokenCount (Titan), prompt_token_count, generation_token_count (Llama)
//	OpenRouter, Groq           provider; x_groq.usage
//	Vertex's predict           predictions[].embeddings.statistics.token_count
//	Cohere                     id, usage, meta; delta.usage in a stream
//	Ollama                     model, done, prompt_eval_count, eval_count
//	Gemini's interactions      id, model, service_tier, usage, status, steps[].type and .arguments.queries[]
//	                           (outputs[] in older versions)
//
// Stream events have the body's paths, below:
//
//	chat, generateContent      the event itself
//	responses                  response, with type response.completed, .incomplete or .failed at the end
//	messages                   message (type message_start); usage and delta.stop_reason (message_delta)
//	interactions               interaction (event_type interaction.completed); step and delta have a step's paths
//
// After an event whose type is error, or that has an error, a response is never complete.
//
// A line in a batch's results has them below result.message (Anthropic), response.body
// (OpenAI), response (Gemini's inlined responses) or
// batch_result.response.chat_get_completion (xAI).
package response

import (
	"bytes"
	"fmt"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Field says what a value means.
type Field uint8

// Item fields take effect at ItemEnd.
const (
	None Field = iota
	Kind
	Object
	Status
	ID
	Model
	Upstream
	ModelStage
	RetirementTime
	Tier
	Latency
	Failure
	Line
	Usage
	Metadata
	Metrics
	InputCount
	OutputCount
	Done
	StopReason
	FinishReason
	CandidateEnd
	Feedback
	TurnComplete
	Background
	Query
	ImageQuery
	Maps
	Searches
	OtherUses
	ImageTokens
	ItemType
	ItemAction
	ItemContainer
	ItemQuery
	ItemEnd
)

// IsName reports whether a field is a text to keep.
func (f Field) IsName() bool { return f >= Kind && f <= Latency }

// IsFlag reports whether only the value's presence matters.
func (f Field) IsFlag() bool { return f == Failure || f == Feedback || f == Maps }

type names [Latency + 1]string

// Document has the values from a body, an event or an array element.
type Document struct {
	kind string
	// text has the names other than kind.
	text names
	// depth is the number of objects around the response. batch is set if one is a batch
	// result.
	depth int
	batch bool
	// line is set for a line from a batch's results, and failed if there is an error.
	line, failed bool

	// usage is the usage object, or nil. native is set if it has Gemini's own form.
	usage  []byte
	native bool
	// metrics is Bedrock's object in a stream. counted has counts from outside any usage
	// object.
	metrics []byte
	counted counted
	// stopped, fed and turned are set by a stop reason, promptFeedback and a turn's end.
	stopped, fed, turned bool
	// large is set if the usage object exceeds MaxState.
	large                bool
	candidates, finished int
	background           bool

	tools tools
	item  item
}

// Enter begins an object that holds the response, at a depth from 1. Values read outside
// it belong to something else, except for the event's kind.
func (d *Document) Enter(n *Node, depth int) {
	if depth > d.depth {
		*d = Document{kind: d.kind, failed: d.failed, line: d.line, large: d.large, depth: depth, batch: n.Batch}
	}
}

// Set sets a field at a depth, which is 0 outside entered objects. raw is the value's
// JSON and isn't kept.
func (d *Document) Set(f Field, depth int, raw []byte) {
	switch {
	case f == Kind:
		d.kind = name(raw)
	case f == Failure:
		d.failed = d.failed || given(raw)
	case f == Line:
		d.line = true
	case depth < d.depth: // outside the object that holds the response
	case f <= Latency:
		d.text[f] = name(raw)
	case f <= Background:
		d.setEnd(f, raw)
	case f < ItemType:
		d.tools.set(f, raw)
	case f == ItemEnd:
		d.tools.add(&d.item)
		d.item = item{}
	default:
		d.item.set(f, raw)
	}
}

// setEnd sets fields that decide whether the response is complete.
func (d *Document) setEnd(f Field, raw []byte) {
	switch f {
	case Usage, Metadata, Metrics:
		switch {
		case len(raw) > MaxState:
			d.large = true
		case !given(raw):
		case f == Metrics:
			d.metrics = bytes.Clone(raw)
		default:
			d.usage, d.native = bytes.Clone(raw), f == Metadata
		}
	case InputCount:
		d.counted.input.add(raw)
	case OutputCount:
		d.counted.output.add(raw)
	case Done, TurnComplete:
		d.turned = string(raw) == "true"
	case StopReason:
		d.stopped = given(raw)
	case FinishReason:
		if given(raw) {
			d.finished++
		}
	case CandidateEnd:
		d.candidates++
	case Feedback:
		d.fed = given(raw)
	default:
		d.background = string(raw) == "true"
	}
}

// used returns the usage object, or nil. An empty one counts only for Gemini's blocked
// prompts, which omit counts of 0.
func (d *Document) used() []byte {
	switch {
	case d.native && d.fed && d.candidates == 0 && !bytes.Contains(d.usage, []byte("TokenCount")):
		return []byte(`{"totalTokenCount":0}`)
	case !bytes.Contains(d.usage, []byte(`"`)):
		return nil
	}
	return d.usage
}

// given reports whether a value isn't its type's default. Enums may be numbers.
func given(raw []byte) bool {
	switch string(raw) {
	case "null", "false", "0", `""`, `"FINISH_REASON_UNSPECIFIED"`:
		return false
	}
	return true
}

// MaxName bounds a name, such as an id. A longer one is ignored.
const MaxName = 1 << 10

func name(raw []byte) string {
	if len(raw) > MaxName+2 { // with quotes
		return ""
	}
	return text(raw)
}

func text(raw []byte) string {
	var d jsonread.Decoder
	d.Reset(raw)
	value, _ := d.Str()
	return value
}

// counted adds up counts that are outside any usage object, one per answer or text.
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

// object writes the counts as a usage object, or returns nil without counts.
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
	return fmt.Appendf(nil, `{"%s":%d,"%s":%d}`, names[0], c.input.n, names[1], c.output.n)
}
