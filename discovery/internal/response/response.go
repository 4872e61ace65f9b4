// Package response reads whole responses of the providers: the usage object, and what is billed beside it.
//
// It has two parts. The extraction finds the values that matter in a JSON document, by the paths below, and sets the fields of a
// [Document]. [Reader.Parse] does it for a document in memory. A scanner that follows [Root], and calls [Document.Enter] and
// [Document.Set] in the order of the text, makes the same Document without the text. The interpretation is a [Reader]: it merges the Documents
// of a response, and judges whether its final usage has been read.
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
// Events of a stream have the paths of the body, below:
//
//	chat, generateContent      the event itself
//	responses                  response, with type response.completed, .incomplete or .failed at the end
//	messages                   message (type message_start); usage and delta.stop_reason (message_delta)
//	interactions               interaction (event_type interaction.completed); step and delta have the paths of a step
//
// After an event whose type is error, or that has an error, a response is never complete.
//
// A line of a batch's results has them below result.message (Anthropic), response.body (OpenAI), response (Gemini's inlined
// responses) or batch_result.response.chat_get_completion (xAI).
package response

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Field is what a value of a document means.
type Field uint8

// The fields. Members of an item count when its ItemEnd is set.
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

// IsName reports whether a field is a text that is kept.
func (f Field) IsName() bool { return f >= Kind && f <= Latency }

// IsFlag reports whether only the presence of a value matters.
func (f Field) IsFlag() bool { return f == Failure || f == Feedback || f == Maps }

// names are texts that are kept, by their fields.
type names [Latency + 1]string

// Document is what was read of one JSON document: a body, an event, or an element of an array.
type Document struct {
	kind string
	// text has the other names.
	text names
	// depth is the number of objects around the response, and batch reports whether one of them is that of a batch's results.
	depth int
	batch bool
	// line reports that the document is a line of a batch's results, and failed that it has an error.
	line, failed bool

	// usage is the usage object, nil if there is none, and native reports whether it has Gemini's own form.
	usage  []byte
	native bool
	// metrics are Bedrock's of a stream, and counted the counts of a body without a usage object.
	metrics []byte
	counted counted
	// stopped, fed and turned report a stop reason, a promptFeedback, and the end of a turn.
	stopped, fed, turned bool
	// large reports a usage object of more than MaxState.
	large                bool
	candidates, finished int
	background           bool

	tools tools
	item  item
}

// Enter begins an object that holds the response, at a depth of 1 or more. What was read outside of it, except the kind of the
// event, belongs to something else.
func (d *Document) Enter(n *Node, depth int) {
	if depth > d.depth {
		*d = Document{kind: d.kind, failed: d.failed, line: d.line, large: d.large, depth: depth, batch: n.Batch}
	}
}

// Set sets a field that was read at a depth, which is 0 outside of the objects that were entered. raw is the JSON text of the
// value; it is not kept.
func (d *Document) Set(f Field, depth int, raw []byte) {
	switch {
	case f == Kind:
		d.kind = name(raw)
	case f == Failure:
		d.failed = d.failed || given(raw)
	case f == Line:
		d.line = true
	case depth < d.depth: // beside the object that holds the response
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

// setEnd sets what decides whether a response is complete.
func (d *Document) setEnd(f Field, raw []byte) {
	switch f {
	case Usage, Metadata:
		switch {
		case len(raw) > MaxState:
			d.large = true
		case given(raw):
			d.usage, d.native = bytes.Clone(raw), f == Metadata
		}
	case Metrics:
		if d.large = d.large || len(raw) > MaxState; !d.large && given(raw) {
			d.metrics = bytes.Clone(raw)
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

// used returns the usage object, or nil if there is none. An empty one counts only for a blocked prompt of Gemini, whose
// counts are left out since they are 0.
func (d *Document) used() []byte {
	switch {
	case d.native && d.fed && d.candidates == 0 && !bytes.Contains(d.usage, []byte("TokenCount")):
		return []byte(`{"totalTokenCount":0}`)
	case !bytes.Contains(d.usage, []byte(`"`)):
		return nil
	}
	return d.usage
}

// given reports whether a value is more than the default of its type. Enums may be numbers.
func given(raw []byte) bool {
	switch string(raw) {
	case "null", "false", "0", `""`, `"FINISH_REASON_UNSPECIFIED"`:
		return false
	}
	return true
}

// MaxName bounds a name, such as an id. A longer text is none.
const MaxName = 1 << 10

// name returns a string, or "" for a longer one and for any other value.
func name(raw []byte) string {
	if len(raw) > MaxName+2 { // with quotes
		return ""
	}
	return text(raw)
}

// text returns a string, or "" for any other value.
func text(raw []byte) string {
	var d jsonread.Decoder
	d.Reset(raw)
	value, _ := d.Str()
	return value
}
