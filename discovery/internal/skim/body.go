// Package skim reads JSON documents from a response that arrives in pieces of any size.
// It keeps only the fields that a response.Reader needs. Together with the Reader, it
// holds at most 64 KiB.
package skim

import (
	"bytes"
	"errors"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// Media types for bodies with several documents: server-sent events, Bedrock's binary
// event stream, and JSON documents separated by white space.
const (
	Events = "text/event-stream"
	Frames = "application/vnd.amazon.eventstream"
	Lines  = "application/x-ndjson"
)

// Body reads a response body.
type Body struct {
	reader  *response.Reader
	stream  bool
	skimmer Skimmer
	events  *events             // server-sent events
	frames  *eventstream.Events // a binary event stream
	// latest is an event with the counts so far. It's parsed only if it turns out to be
	// the last.
	latest []byte
}

// NewBody returns a Body that passes documents to reader. If contentType isn't one of the
// media types above, the body is a JSON document, or an array of documents if stream is
// set.
func NewBody(reader *response.Reader, contentType string, stream bool) *Body {
	b := &Body{reader: reader, stream: true}
	b.skimmer = Skimmer{root: reader.Root(), each: b.document, kept: make([]byte, 0, 512), stack: make([]container, 0, 8), key: make([]byte, 0, maxKey)}
	mediaType, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case Events:
		b.events = &events{skimmer: &b.skimmer, marks: marks}
		if reader.Form() == "gemini" {
			b.events.marks = geminiMarks
		}
	case Frames:
		b.frames = newFrames(&b.skimmer, b.document)
	case Lines:
		b.skimmer.lines = true
	default:
		b.stream = stream
	}
	return b
}

// Stream reports whether the response is a stream.
func (b *Body) Stream() bool { return b.stream }

// Done reports whether the rest can't matter: the final usage or [DONE] was read, or the
// counts are too large.
func (b *Body) Done() bool { return b.skimmer.stopped }

// Write reads the next piece.
func (b *Body) Write(p []byte) {
	switch {
	case b.Done():
	case b.frames != nil:
		b.frames.Write(p)
		var exception *eventstream.ExceptionError
		if errors.As(b.Err(), &exception) {
			b.reader.Fail()
		}
	case b.events != nil:
		if b.events.Write(p); b.events.done {
			b.Flush()
			b.reader.End()
		}
	default:
		b.skimmer.Write(p)
	}
}

// document passes a document's kept fields to the Reader. The Body is done after the
// final document, or after [DONE] if another chunk may have the final counts.
func (b *Body) document(fields []byte) {
	if b.delay(fields) {
		return
	}
	b.Flush()
	b.parse(fields)
	b.skimmer.stopped = b.reader.Ended() // the rest of the piece must not matter
}

// delay keeps a Gemini event for later, and reports whether it did. It replaces the
// previous one, because each event has all counts so far. The last event is parsed at
// once, and so are events with more than counts.
func (b *Body) delay(fields []byte) bool {
	const maxLatest = 2 << 10
	const counts = 1<<response.None | 1<<response.Metadata | 1<<response.ID | 1<<response.Model |
		1<<response.ModelStage | 1<<response.RetirementTime
	if b.events == nil || !b.events.named || len(fields) > maxLatest || b.skimmer.fields&^counts != 0 ||
		!bytes.HasPrefix(fields, []byte(`{"candidates":[{}],"usageMetadata":{"`)) {
		return false
	}
	b.latest = append(b.latest[:0], fields...)
	return true
}

// Flush passes everything read so far to the Reader.
func (b *Body) Flush() {
	if len(b.latest) > 0 {
		b.parse(b.latest)
		b.latest = b.latest[:0]
	}
}

func (b *Body) parse(fields []byte) {
	d, ok := b.reader.Parse(fields)
	switch {
	case !ok:
	case !b.stream:
		b.reader.Body(d)
	default:
		b.reader.Event(d)
		b.skimmer.other = b.reader.Size()
		if b.events != nil {
			b.events.named = b.reader.Named()
		}
	}
}

func (b *Body) json() bool { return b.events == nil && b.frames == nil }

// Err returns the error that makes the rest unreadable, such as an
// *[eventstream.ExceptionError].
func (b *Body) Err() error {
	switch {
	case b.json(), errors.Is(b.skimmer.err, errTooLarge):
		return b.skimmer.err
	case b.frames != nil && !b.Done():
		return b.frames.Err()
	}
	return nil
}

// Close returns the first error. It's an error if an event stream ends within a message.
func (b *Body) Close() error {
	if err := b.Err(); err != nil || b.frames == nil {
		return err
	}
	return b.frames.Close()
}

// Reason tells why a complete body lacks final counts. If the body was cut, it returns
// ended.
func (b *Body) Reason(ended string) string {
	err := b.Close()
	switch {
	case err != nil:
		return err.Error()
	case b.events != nil && b.Done():
		return "the stream has no counts; stream_options.include_usage requests them"
	case !b.stream && b.skimmer.ended:
		return "the response has no counts"
	}
	return ended
}

// Cut reports whether the body is an unfinished array, which isn't JSON.
func (b *Body) Cut() bool { return b.json() && b.skimmer.array }
