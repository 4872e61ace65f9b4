package response

import (
	"bytes"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Reader reads a response of a provider: its body, or the events of its stream.
type Reader struct {
	form   string
	text   names
	usage  []byte
	merged *merged // the usage object of a stream of Anthropic, instead of usage
	tools  tools
	batch  bool
	// headers are the counts in the headers of Bedrock.
	headers map[string]int64
	// full is set once the state was more than MaxState, and was dropped.
	full bool
	// started is set by a message_start, and finished by the end of a candidate.
	started, finished bool
	// final is set by the final usage, failed by an error event, and ended by [DONE].
	final, failed, ended bool
	// charged reports that the usage states a charge, which is final without a finish reason and beside an error.
	charged bool
	// open reports that a later chunk of chat completions may have the final usage again.
	open bool
	// background and pending describe a response that is made in the background, and is not ready yet.
	background, pending bool
}

// MaxState bounds the state of a Reader in bytes: its names, usage object and uses of tools. The counts of a response with more are
// not known.
const MaxState = 48 << 10

var errFull = &usage.Error{Field: "usage", Reason: "has more than 48 KiB"}

// New returns a Reader for responses of a form: that of a provider's API, or one of [usage.Forms].
func New(form string) *Reader { return &Reader{form: form} }

// Form returns the form of the responses.
func (r *Reader) Form() string { return r.form }

// Result is what was read of a response.
type Result struct {
	ID, Model string
	Usage     usage.Usage
	// Form is the form of Object. It is not the one of the Reader if that is usage.Invoke.
	Form string
	// Upstream is OpenRouter's provider. BYOK and UpstreamUSD are those of usage.Whole.
	Upstream, UpstreamUSD string
	BYOK                  bool
	// ModelStage and RetirementTime are Gemini's status of the model, as it was sent.
	ModelStage, RetirementTime string
	// Object is the provider's usage object, for a stream of Anthropic the merged one.
	Object []byte
	// Complete reports whether Usage is the final one.
	Complete bool
	// Background reports whether the response was made in the background, and Pending whether it is not ready yet.
	Background, Pending bool
	// Failed reports whether the provider sent an error in the stream, and Charged whether Usage has the charge of a stream that is not
	// complete.
	Failed, Charged bool
}

// Final reports whether the final usage has been read. It is faster than Result.
func (r *Reader) Final() bool { return r.final && !r.failed }

// Ended reports whether the final usage has been read, and no event can change it but an error.
func (r *Reader) Ended() bool { return r.Final() && !r.open }

// Result returns what has been read so far. The error is a *[usage.Error] if the final usage object is invalid.
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
	if err != nil && !result.Complete { // a part of a response need not have all counts
		err = nil
	}
	result.Complete = result.Complete && err == nil
	if result.Charged = r.charged && !result.Complete; result.Charged {
		result.Usage.Mode = "" // that of counts, which are not final
	}
	tier := r.text[Tier]
	switch {
	case r.batch:
		tier = "batch"
	case tier == "auto": // not decided yet, or the host repeats the request
		tier = ""
	}
	result.Usage.Mode = usage.Join(usage.Join(tier, latencyMode(r.text[Latency])), result.Usage.Mode)
	result.Usage.Requests = r.tools.requests(result.Form, result.Model, result.Usage.Requests)
	return result, err
}

// Size returns about how many bytes the Reader holds, at most MaxState.
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

// bound drops the counts if they have become too large.
func (r *Reader) bound(d *Document) {
	if d.large || r.Size() > MaxState {
		*r = Reader{form: r.form, text: names{ID: r.text[ID], Model: r.text[Model]}, failed: r.failed, ended: r.ended, full: true}
	}
}

// Body reads a whole body, or a line of a batch's results.
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

// Event reads an event of a stream, or an element of Gemini's array. After the final usage, and after End, only an error matters.
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

// End notes that the stream has ended with [DONE], which makes the last counts of chat completions final.
func (r *Reader) End() {
	r.final = r.final || r.open && !r.ended
	r.ended = true
}

// IsEnd reports whether the data of an event is [DONE].
func IsEnd(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// Fail notes that the stream has ended with an error outside of its events.
func (r *Reader) Fail() { r.failed = true }

// Named reports whether the id and the model have been read.
func (r *Reader) Named() bool { return r.text[ID] != "" && r.text[Model] != "" }

// name keeps the names that a document has.
func (r *Reader) name(d *Document) { r.keep(d, RetirementTime) }

// keep keeps the names up to last that a document has.
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

// responses reads an event of a stream of responses. The first events have the tier that was requested, the final one has the
// tier that is billed.
func (r *Reader) responses(d *Document) {
	if d.depth == 0 {
		return
	}
	r.name(d)
	r.setBackground(d)
	switch d.kind {
	case "response.completed", "response.incomplete", "response.failed", "response.done": // the last is that of the Realtime API
		r.text[Tier], r.usage, r.merged, r.tools = d.text[Tier], d.used(), nil, d.tools
		r.final = r.usage != nil
	}
}

func (r *Reader) setBackground(d *Document) {
	r.background, r.pending = d.background, d.text[Status] == "queued" || d.text[Status] == "in_progress"
}

func (r *Reader) messageStart(d *Document) {
	r.name(d)
	r.usage, r.merged, r.started = d.used(), nil, true
}

// messageDelta merges the counts so far. The final ones come with a stop reason.
func (r *Reader) messageDelta(d *Document) {
	used := d.used()
	if used == nil {
		return
	}
	r.merge(used)
	r.setCharged(used)
	r.final = r.final || d.stopped && r.started
}

func (r *Reader) setCharged(used []byte) {
	if bytes.Contains(used, []byte(`"cost"`)) { // which few objects have
		u, err := usage.Parse(r.form, used)
		r.charged = err == nil && u.ChargedUSD != ""
	}
}

// merge adds a usage object to the one before. If either is not an object the later one stays, whose reader reports it.
func (r *Reader) merge(used []byte) {
	m, ok := r.merged, true
	if m == nil {
		m, ok = newMerged(r.usage)
	}
	if ok && m.add(used) {
		r.usage, r.merged = nil, m
		return
	}
	r.usage, r.merged = used, nil
}

func (r *Reader) interaction(d *Document) {
	r.name(d)
	r.tools.merge(&d.tools)
	if strings.HasPrefix(d.kind, "interaction.complete") {
		r.text[Tier], r.usage, r.merged = d.text[Tier], d.used(), nil
		r.final = r.usage != nil
	}
}

// chunk reads an event that is a part of the answer. Gemini's events all have the usage so far, and the last one has the finish
// reason. The names and the tier are those of the first chunks, and of chunks with more than content: a caller may leave out all others.
func (r *Reader) chunk(d *Document) {
	used := d.used()
	if !r.Named() || used != nil || d.finished > 0 {
		r.keep(d, Tier)
	}
	r.tools.merge(&d.tools)
	r.finished = r.finished || d.finished > 0 || d.turned
	if r.own() {
		r.last(d, used)
		return
	}
	switch {
	case used == nil:
	case d.native:
		r.usage, r.merged = used, nil
		r.final = r.finished || d.fed
		if d.candidates > 0 {
			r.final = d.finished == d.candidates
		}
	default:
		r.completion(used, d.candidates)
	}
}

// completion takes the usage of a chunk of chat completions. The final one is in a chunk without choices, or follows the finish
// reason. Where every chunk has the usage so far, the last one counts; behind a finish reason one without choices is the last.
func (r *Reader) completion(used []byte, choices int) {
	r.usage, r.merged = used, nil
	r.setCharged(used)
	r.final = r.charged || r.finished || choices == 0
	r.open = !r.finished || choices > 0
}
