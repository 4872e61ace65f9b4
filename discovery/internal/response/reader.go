package response

import (
	"bytes"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Reader reads a provider's response: its body, or the events in its stream.
type Reader struct {
	form   string
	text   names
	usage  []byte
	merged *merged // replaces usage in an Anthropic stream
	tools  tools
	batch  bool
	// headers has the counts in Bedrock's headers.
	headers map[string]int64
	// full is set once the state exceeded MaxState and was dropped.
	full bool
	// started is set by message_start, and finished by a finish reason or a turn's end.
	started, finished bool
	// final is set by the last usage, failed by an error event, and ended by [DONE].
	final, failed, ended bool
	// charged is set if the usage states a charge. A charge is final even without a finish
	// reason, or after an error.
	charged bool
	// open is set while a later chat chunk may still replace the usage.
	open bool
	// background is set for a background response, and pending until it's ready.
	background, pending bool
}

// MaxState bounds a Reader's names, usage object and tool uses, in bytes. Beyond it the
// counts are unknown.
const MaxState = 48 << 10

var errFull = &usage.Error{Field: "usage", Reason: "has more than 48 KiB"}

// New returns a Reader for a provider's API, or for one of [usage.Forms].
func New(form string) *Reader { return &Reader{form: form} }

// Form returns the form given to New.
func (r *Reader) Form() string { return r.form }

// Result has the counts so far.
type Result struct {
	ID, Model string
	Usage     usage.Usage
	// Form is Object's form, which differs from the Reader's for usage.Invoke.
	Form string
	// Upstream is OpenRouter's provider; BYOK and UpstreamUSD are as in usage.Whole.
	Upstream, UpstreamUSD string
	BYOK                  bool
	// ModelStage and RetirementTime are Gemini's model status, as sent.
	ModelStage, RetirementTime string
	// Object is the provider's usage object, merged for an Anthropic stream.
	Object []byte
	// Complete reports whether Usage is final.
	Complete bool
	// Background reports a response made in the background, and Pending that it isn't ready.
	Background, Pending bool
	// Failed reports an error event, and Charged that Usage has a charge from an incomplete
	// stream.
	Failed, Charged bool
}

// Final reports whether the final usage was read. It is faster than Result.
func (r *Reader) Final() bool { return r.final && !r.failed }

// Ended reports whether only an error can still change the result.
func (r *Reader) Ended() bool { return r.Final() && !r.open }

// Result returns the counts so far. It returns a *[usage.Error] if the final usage
// object is invalid.
func (r *Reader) Result() (Result, error) {
	result := Result{
		ID: r.text[ID], Model: r.text[Model], Upstream: r.text[Upstream], ModelStage: r.text[ModelStage], RetirementTime: r.text[RetirementTime],
		Form: r.form, Object: r.usage, Complete: r.Final(), Background: r.background, Pending: r.pending, Failed: r.failed,
	}
	if r.full {
		return result, errFull
	}
	if r.merged != nil {
		result.Object = r.merged.object()
	}
	var err error
	if result.Object != nil {
		result.Form = vendor(r.form, result.Object)
		var whole usage.Whole
		whole, err = usage.ParseWhole(result.Form, result.Object)
		result.Usage, result.BYOK, result.UpstreamUSD = whole.Usage, whole.BYOK, whole.UpstreamUSD
	}
	if err != nil && !result.Complete { // an incomplete response may lack counts
		err = nil
	}
	result.Complete = result.Complete && err == nil
	if result.Charged = r.charged && !result.Complete; result.Charged {
		result.Usage.Mode = "" // it belongs to counts that are not final
	}
	tier := r.text[Tier]
	switch {
	case r.batch:
		tier = "batch"
	case tier == "auto": // not decided yet, or the host repeats the request
		tier = ""
	}
	result.Usage.Mode = usage.Join(usage.Join(tier, latencyMode(r.text[Latency])), result.Usage.Mode)
	result.Usage.ToolUses = r.tools.requests(result.Form, result.Model, result.Usage.ToolUses)
	return result, err
}

// Size returns the approximate number of bytes held, at most MaxState.
func (r *Reader) Size() int {
	size := len(r.usage) + r.tools.size()
	for _, text := range r.text {
		size += len(text)
	}
	if r.merged != nil {
		size += r.merged.size
	}
	return size
}

func (r *Reader) bound(d *Document) {
	if d.large || r.Size() > MaxState {
		*r = Reader{form: r.form, text: names{ID: r.text[ID], Model: r.text[Model]}, failed: r.failed, ended: r.ended, full: true}
	}
}

// Body reads a whole body, or one line from a batch's results.
func (r *Reader) Body(d *Document) {
	if d.text[Object] == "batch" || d.kind == "message_batch" || d.line && d.depth == 0 { // a batch itself, or a line without a response
		return
	}
	r.name(d)
	r.text[Tier], r.text[Latency], r.usage, r.tools = d.text[Tier], d.text[Latency], d.used(), d.tools
	if r.usage == nil {
		r.usage = d.counted.object(r.form)
	}
	if r.form == usage.Invoke {
		r.usage = withHeaders(r.usage, r.headers)
	}
	r.batch = d.batch || r.form == "gemini" && d.depth > 0
	r.setBackground(d)
	r.final = r.usage != nil && !r.pending
	r.bound(d)
}

// Event reads a stream event, or an element in Gemini's array. After the final usage, and
// after End, only an error matters.
func (r *Reader) Event(d *Document) {
	r.failed = r.failed || d.failed || d.kind == "error"
	if r.full || r.ended || r.final && !r.open {
		return
	}
	switch {
	case strings.HasPrefix(d.kind, "response."):
		r.responses(d)
	case d.kind == "message_start":
		r.messageStart(d)
	case d.kind == "message_delta":
		r.messageDelta(d)
	case strings.HasPrefix(d.kind, "interaction."):
		r.interaction(d)
	default:
		r.chunk(d)
	}
	r.metrics(d)
	r.bound(d)
}

// End notes [DONE], which makes the last chat counts final.
func (r *Reader) End() {
	r.final = r.final || r.open && !r.ended
	r.ended = true
}

// IsEnd reports whether an event is [DONE].
func IsEnd(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// Fail notes an error outside the events.
func (r *Reader) Fail() { r.failed = true }

// Named reports whether the id and the model were read.
func (r *Reader) Named() bool { return r.text[ID] != "" && r.text[Model] != "" }

func (r *Reader) name(d *Document) { r.keep(d, RetirementTime) }

// keep keeps the document's names up to last.
func (r *Reader) keep(d *Document, last Field) {
	if d.text[ModelStage] != "" || d.text[RetirementTime] != "" { // a later status replaces the whole earlier one
		r.text[ModelStage], r.text[RetirementTime] = "", ""
	}
	for f := ID; f <= last; f++ {
		if d.text[f] != "" {
			r.text[f] = d.text[f]
		}
	}
}

// Parse reads one document. It reports whether data is one JSON object.
func (r *Reader) Parse(data []byte) (*Document, bool) {
	var d jsonread.Decoder
	d.Reset(data)
	doc := new(Document)
	ok := d.Next() == jsonread.Object && doc.walk(&d, r.Root(), 0) == nil && d.AtEnd()
	return doc, ok
}

// Root returns the place for a document in the Reader's form.
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
