package meter

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// reading reads the counts of a response.
type reading struct {
	call   *call
	status int
	stream bool
	done   bool

	gunzip *gunzip
	events *events  // for server-sent events
	frames *frames  // for a binary event stream
	json   *skimmer // for everything else
	reader *response.Reader
	// latest is an event with the counts so far, which is parsed only if it turns out to be the last one.
	latest []byte
	err    error // why the response cannot be read
	// requestID is the id of a response of Converse, whose body has none.
	requestID string
}

func newReading(c *call, res *http.Response) *reading {
	r := &reading{call: c, status: res.StatusCode, reader: response.New(c.target.Form)}
	r.reader.Headers(res.Header.Get)
	if id := res.Header.Get("X-Amzn-Requestid"); c.target.Form == usage.Converse && len(id) <= response.MaxName {
		r.requestID = id
	}
	r.read(res.Header.Get("Content-Type"))
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		r.gunzip = newGunzip(r.plain)
	default:
		r.err = errors.New("the response has an encoding that is not read: " + encodingName(res.Header))
	}
	return r
}

// read prepares for a body of a content type.
func (r *reading) read(contentType string) {
	skim := skimmer{root: r.reader.Root(), each: r.document, kept: make([]byte, 0, 512), stack: make([]container, 0, 8), key: make([]byte, 0, maxKey)}
	mediaType, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "text/event-stream":
		r.events, r.stream = &events{skimmer: skim, marks: marks}, true
		if r.call.target.Form == string(models.Gemini) {
			r.events.marks = geminiMarks
		}
	case binaryEvents:
		r.frames, r.stream = newFrames(skim, r.document), true
	case "application/x-ndjson":
		skim.lines = true
		r.json, r.stream = &skim, true
	default:
		r.json, r.stream = &skim, r.call.target.Stream
	}
}

// write takes bytes of the body.
func (r *reading) write(p []byte) {
	switch {
	case len(p) == 0 || r.done || r.err != nil || !endpoints.Bills(r.status):
	case r.gunzip != nil:
		r.gunzip.Write(p)
		if r.done {
			r.gunzip.Close() // the caller may neither read on nor close the response
		}
	default:
		r.plain(p)
	}
}

// plain takes bytes of the unpacked body.
func (r *reading) plain(p []byte) {
	switch {
	case r.frames != nil:
		r.frame(p)
		return
	case r.events == nil:
		r.json.Write(p)
		return
	}
	r.events.Write(p)
	if r.events.ended && !r.done && r.reader.Final() {
		r.finish("")
	}
}

// document takes the fields of a body, or of an event, that matter. After the final one the call is recorded at once: the caller
// may neither read on nor close the response. If another chunk may have the final counts it is recorded after [DONE] or the end.
func (r *reading) document(fields []byte) {
	if r.done || r.delay(fields) {
		return
	}
	r.parseLatest()
	r.parse(fields)
	if r.reader.Ended() {
		r.finish("")
	}
}

// delay keeps an event of Gemini in place of the one before, whose counts it includes. It reports whether it did: the last event
// is parsed at once, as are those that have more than counts.
func (r *reading) delay(fields []byte) bool {
	const maxLatest = 2 << 10
	const counts = 1<<response.None | 1<<response.Metadata | 1<<response.ID | 1<<response.Model |
		1<<response.ModelStage | 1<<response.RetirementTime
	if r.events == nil || !r.events.named || len(fields) > maxLatest || r.events.skimmer.fields&^counts != 0 ||
		!bytes.HasPrefix(fields, []byte(`{"candidates":[{}],"usageMetadata":{"`)) {
		return false
	}
	r.latest = append(r.latest[:0], fields...)
	return true
}

func (r *reading) parseLatest() {
	if len(r.latest) > 0 {
		r.parse(r.latest)
		r.latest = r.latest[:0]
	}
}

// parse takes the fields of a document.
func (r *reading) parse(fields []byte) {
	d, ok := r.reader.Parse(fields)
	switch {
	case !ok:
		return
	case r.stream:
		r.reader.Event(d)
		switch {
		case r.events != nil:
			r.events.named, r.events.skimmer.other = r.reader.Named(), r.reader.Size()
		case r.frames != nil:
			r.frames.skimmer.other = r.reader.Size()
		default:
			r.json.other = r.reader.Size()
		}
	default:
		r.reader.Body(d)
	}
}

// end records the call if its final counts were not read. reason is why not.
func (r *reading) end(reason string) {
	if r.gunzip != nil {
		r.gunzip.Close()
	}
	if r.done {
		return
	}
	r.parseLatest()
	r.finish(r.reason(reason))
}

// reason returns why there are no final counts.
func (r *reading) reason(ended string) string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.gunzip != nil && errors.Is(r.gunzip.err, errNotGzip):
		return errNotGzip.Error()
	case r.events != nil && r.events.err != nil:
		return r.events.err.Error()
	case r.json != nil && r.json.err != nil:
		return r.json.err.Error()
	case r.frames != nil && r.frames.events.Close() != nil:
		return r.frames.events.Close().Error()
	case r.events != nil && r.events.ended:
		return "the stream has no counts; stream_options.include_usage requests them"
	case r.json != nil && !r.stream && r.json.ended:
		return "the response has no counts"
	}
	return ended
}

// finish records the call, unless it turns out to be none.
func (r *reading) finish(reason string) {
	r.done = true
	c, record := r.call, r.call.record(r.status)
	record.Stream = r.stream
	if !endpoints.Bills(r.status) {
		if c.target.Stored || c.target.Unknown {
			c.cancel()
			return
		}
		record.USD = "0"
		c.finish(record)
		return
	}
	result, err := r.reader.Result()
	if (c.target.Stored || result.Background) && !c.inBackground(&result, r.stream) {
		return
	}
	if c.target.Unknown && err == nil && result.Model == "" && result.Object == nil {
		c.cancel()
		return
	}
	r.fill(&record, &result)
	switch {
	case c.target.Uncounted != "":
		record.Unpriced = c.target.Uncounted
	case err != nil:
		record.Unpriced = "the counts are invalid: " + err.Error()
	case result.Complete || result.Charged:
		c.price(&record, prices.Usage(result.Usage))
	case result.Failed && r.err != nil:
		record.Unpriced = r.err.Error()
	case result.Failed:
		record.Unpriced = "the provider ended the response with an error"
	default:
		record.Unpriced = reason
	}
	if !result.Complete && record.USD == "" {
		record.AtLeastUSD = atLeast(c.meter.prices, callOf(&record, prices.Usage(result.Usage)))
	}
	c.finish(record)
}

// fill sets what the response states.
func (r *reading) fill(record *calls.Record, result *response.Result) {
	record.Complete = result.Complete
	if r.json != nil && r.json.array && !result.Complete { // a JSON array that was cut is not JSON
		return
	}
	record.ID, record.Usage, record.Mode, record.Requests = cmp.Or(result.ID, r.requestID), result.Object, result.Usage.Mode, result.Usage.Requests
	if result.Model != "" {
		r.call.name(record, result.Model)
	}
	if result.Object != nil && result.Form != string(record.Provider) {
		record.API = result.Form
	}
	record.Upstream, record.UpstreamUSD, record.BYOK = result.Upstream, result.UpstreamUSD, result.BYOK
	record.ModelStage, record.RetirementDate = result.ModelStage, dateOf(result.RetirementTime)
}

// dateOf returns the UTC day of an RFC 3339 time, or "" for another text.
func dateOf(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

// encodingName returns the name of an encoding, if it looks like one.
func encodingName(header http.Header) string {
	name := header.Get("Content-Encoding")
	other := func(r rune) bool {
		return ('a' > r || r > 'z') && ('A' > r || r > 'Z') && ('0' > r || r > '9') && !strings.ContainsRune(", -", r)
	}
	if name == "" || len(name) > 40 || strings.ContainsFunc(name, other) {
		return "unknown"
	}
	return name
}
