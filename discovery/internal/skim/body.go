// Package skim reads the documents of a response that arrives in pieces of any size. Of each document it keeps only what a
// response.Reader needs. Together with the Reader it holds at most 64 KiB.
package skim

import (
	"bytes"
	"errors"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// The media types of bodies that have several documents: server-sent events, the binary event stream of Bedrock, and JSON documents with
// nothing but white space between them.
const (
	Events = "text/event-stream"
	Frames = "application/vnd.amazon.eventstream"
	Lines  = "application/x-ndjson"
)

// Body reads the body of a response.
type Body struct {
	reader *response.Reader
	stream bool
	events *events  // for server-sent events
	frames *frames  // for a binary event stream
	json   *Skimmer // for everything else
	// latest is an event with the counts so far, which is parsed only if it turns out to be the last one.
	latest []byte
	done   bool
	err    error
}

// NewBody returns a Body whose documents go to a Reader. Without one of the media types above, it has one JSON document, or an array of
// them if the response is a stream.
func NewBody(reader *response.Reader, contentType string, stream bool) *Body {
	b := &Body{reader: reader, stream: true}
	skim := Skimmer{root: reader.Root(), each: b.document, kept: make([]byte, 0, 512), stack: make([]container, 0, 8), key: make([]byte, 0, maxKey)}
	mediaType, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case Events:
		b.events = &events{skimmer: skim, marks: marks}
		if reader.Form() == "gemini" {
			b.events.marks = geminiMarks
		}
	case Frames:
		b.frames = newFrames(skim, b.document)
	case Lines:
		skim.lines = true
		b.json = &skim
	default:
		b.json, b.stream = &skim, stream
	}
	return b
}

// Stream reports whether the response is a stream.
func (b *Body) Stream() bool { return b.stream }

// Done reports whether what follows cannot matter: the final usage was read, or [DONE].
func (b *Body) Done() bool { return b.done }

// Write takes the next piece of the body.
func (b *Body) Write(p []byte) {
	switch {
	case b.done || b.err != nil:
	case b.frames != nil:
		b.frame(p)
	case b.events != nil:
		b.events.Write(p)
		b.done, b.err = b.done || b.events.ended, b.events.err
	default:
		b.json.Write(p)
		b.err = b.json.err
	}
}

// frame takes bytes of a binary event stream.
func (b *Body) frame(p []byte) {
	err := b.frames.Write(p)
	if b.done {
		return
	}
	b.err = err
	var exception *eventstream.ExceptionError
	if errors.As(err, &exception) {
		b.reader.Fail()
	}
}

// document takes the fields of a document that matter. After the final one the Body is done. If another chunk may have the final counts,
// it is done after [DONE].
func (b *Body) document(fields []byte) {
	if b.done || b.delay(fields) {
		return
	}
	b.Flush()
	b.parse(fields)
	b.done = b.reader.Ended()
	switch { // what follows in the same piece must not matter
	case b.events != nil:
		b.events.ended = b.done
	case b.json != nil:
		b.json.stopped = b.done
	}
}

// delay keeps an event of Gemini in place of the one before, whose counts it includes. It reports whether it did: the last event
// is parsed at once, as are those that have more than counts.
func (b *Body) delay(fields []byte) bool {
	const maxLatest = 2 << 10
	const counts = 1<<response.None | 1<<response.Metadata | 1<<response.ID | 1<<response.Model |
		1<<response.ModelStage | 1<<response.RetirementTime
	if b.events == nil || !b.events.named || len(fields) > maxLatest || b.events.skimmer.fields&^counts != 0 ||
		!bytes.HasPrefix(fields, []byte(`{"candidates":[{}],"usageMetadata":{"`)) {
		return false
	}
	b.latest = append(b.latest[:0], fields...)
	return true
}

// Flush gives the Reader what was read so far.
func (b *Body) Flush() {
	if len(b.latest) > 0 {
		b.parse(b.latest)
		b.latest = b.latest[:0]
	}
}

// parse takes the fields of a document.
func (b *Body) parse(fields []byte) {
	d, ok := b.reader.Parse(fields)
	switch {
	case !ok:
	case !b.stream:
		b.reader.Body(d)
	case b.events != nil:
		b.reader.Event(d)
		b.events.named, b.events.skimmer.other = b.reader.Named(), b.reader.Size()
	case b.frames != nil:
		b.reader.Event(d)
		b.frames.skimmer.other = b.reader.Size()
	default:
		b.reader.Event(d)
		b.json.other = b.reader.Size()
	}
}

// Err returns why the rest of the body cannot be read: an *[eventstream.ExceptionError], for example.
func (b *Body) Err() error { return b.err }

// Close returns the error of the body, or one if it ended within a message of an event stream.
func (b *Body) Close() error {
	if b.err == nil && b.frames != nil {
		return b.frames.events.Close()
	}
	return b.err
}

// Reason returns why a whole body has no final counts, or ended if it was cut.
func (b *Body) Reason(ended string) string {
	err := b.Close()
	switch {
	case err != nil:
		return err.Error()
	case b.events != nil && b.events.ended:
		return "the stream has no counts; stream_options.include_usage requests them"
	case !b.stream && b.json.ended:
		return "the response has no counts"
	}
	return ended
}

// Cut reports whether the body is an array that has not ended, which is not JSON.
func (b *Body) Cut() bool { return b.json != nil && b.json.array }
