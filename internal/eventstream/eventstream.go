// Package eventstream reads application/vnd.amazon.eventstream, the stream format in
// Amazon Bedrock. A [Reader] reads messages, and [Events] reads the JSON in Bedrock's
// messages.
//
// Input arrives in pieces of any size, and payloads are passed on in pieces, too: a
// message may have 16 MiB, but only its headers are buffered.
//
// A message has, in big-endian order: its length and its headers' length (4 bytes each),
// a CRC-32 over these 8 bytes, headers, payload, and a CRC-32 over everything before.
package eventstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

const (
	// MaxMessage is the maximum message length, in bytes.
	MaxMessage = 16 << 20
	// maxHeaders is the maximum length of a message's headers. Bedrock sends about 100
	// bytes.
	maxHeaders = 8 << 10

	preludeLength = 12 // including its checksum
	crcLength     = 4
)

var (
	errChecksum = errors.New("an event stream message has a wrong checksum")
	errLength   = errors.New("an event stream message has an invalid length")
	errTooLarge = errors.New("an event stream message has more than 16 MiB, or its headers more than 8 KiB")
	errHeaders  = errors.New("an event stream message has malformed headers")
	errCut      = errors.New("the event stream ends within a message")
)

// Headers describe a message. A missing header is "".
type Headers struct {
	// MessageType is "event", "exception" or "error".
	MessageType string
	// EventType, ExceptionType and ErrorCode hold the message's name, depending on
	// MessageType.
	EventType, ExceptionType, ErrorCode string
}

// Reader reads messages. Write calls its functions in stream order.
type Reader struct {
	// Begin is called with a message's headers.
	Begin func(Headers)
	// Payload is called with each piece of the payload. The piece is valid until Payload
	// returns, and its checksum isn't verified yet.
	Payload func(piece []byte)
	// End is called once the message's checksum was verified.
	End func()

	held    []byte // prelude, headers or checksum, until complete
	part    part
	headers int // length in bytes
	payload int // bytes still to come
	sum     uint32
	err     error
}

type part uint8

const (
	inPrelude part = iota
	inHeaders
	inPayload
	inChecksum
)

// Write reads the next piece. After an error it does nothing.
func (r *Reader) Write(p []byte) {
	for len(p) > 0 && r.err == nil {
		switch r.part {
		case inPayload:
			n := min(len(p), r.payload)
			r.add(p[:n])
			r.Payload(p[:n])
			p, r.payload = p[n:], r.payload-n
			r.skipEmpty()
		default:
			n := min(len(p), r.wanted()-len(r.held))
			r.held, p = append(r.held, p[:n]...), p[n:]
			if len(r.held) == r.wanted() {
				r.step()
			}
		}
	}
}

// Err returns the first error in the stream, or nil.
func (r *Reader) Err() error { return r.err }

// Close returns the first error. It's an error if the stream ends within a message.
func (r *Reader) Close() error {
	if r.err == nil && (r.part != inPrelude || len(r.held) > 0) {
		r.err = errCut
	}
	return r.err
}

// wanted returns the length of the current part, which is buffered until complete.
func (r *Reader) wanted() int {
	switch r.part {
	case inHeaders:
		return r.headers
	case inChecksum:
		return crcLength
	case inPrelude, inPayload:
	}
	return preludeLength
}

func (r *Reader) step() {
	switch r.part {
	case inPrelude:
		r.prelude()
	case inHeaders:
		h, ok := parse(r.held)
		if !ok {
			r.err = errHeaders
			return
		}
		r.add(r.held)
		r.part = inPayload
		r.Begin(h)
	case inChecksum:
		if binary.BigEndian.Uint32(r.held) != r.sum {
			r.err = errChecksum
			return
		}
		r.part = inPrelude
		r.End()
	case inPayload: // never buffered
	}
	r.held = r.held[:0]
	r.skipEmpty()
}

func (r *Reader) prelude() {
	length, headers := binary.BigEndian.Uint32(r.held), binary.BigEndian.Uint32(r.held[4:])
	switch {
	case binary.BigEndian.Uint32(r.held[8:]) != crc32.ChecksumIEEE(r.held[:8]):
		r.err = errChecksum
	case length > MaxMessage || headers > maxHeaders:
		r.err = errTooLarge
	case length < preludeLength+crcLength || headers > length-preludeLength-crcLength:
		r.err = errLength
	default:
		r.headers, r.payload = int(headers), int(length-headers)-preludeLength-crcLength
		r.sum, r.part = 0, inHeaders
		r.add(r.held)
	}
}

// skipEmpty ends empty parts.
func (r *Reader) skipEmpty() {
	if r.part == inHeaders && r.headers == 0 && r.err == nil {
		r.part = inPayload
		r.Begin(Headers{})
	}
	if r.part == inPayload && r.payload == 0 {
		r.part = inChecksum
	}
}

func (r *Reader) add(p []byte) { r.sum = crc32.Update(r.sum, crc32.IEEETable, p) }

// IndexEither returns the first index in p that holds one or other, or
// len(p).
//
// It searches block by block. Searching all of p for both bytes would take quadratic time
// if one is frequent. block should match the typical distance between them.
func IndexEither(p []byte, one, other byte, block int) int {
	for n := 0; n < len(p); n += block {
		b := p[n:min(n+block, len(p))]
		found := bytes.IndexByte(b, one)
		if found >= 0 {
			b = b[:found]
		}
		if i := bytes.IndexByte(b, other); i >= 0 {
			return n + i
		}
		if found >= 0 {
			return n + found
		}
	}
	return len(p)
}
