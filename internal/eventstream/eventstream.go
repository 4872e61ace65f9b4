// Package eventstream reads messages of the media type application/vnd.amazon.eventstream, in which Amazon Bedrock streams. The bytes are
// pushed in pieces of any size, and the payload of a message is passed on in pieces too: a message may have 16 MiB, and at most its
// headers are held. A [Reader] reads messages, and [Events] the JSON in those of Bedrock.
//
// A message is, with numbers in big-endian order: its length and that of its headers (4 bytes each), the CRC-32 of these 8 bytes,
// the headers, the payload, and the CRC-32 of everything before.
package eventstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

const (
	// MaxMessage bounds the length of a message.
	MaxMessage = 16 << 20
	// maxHeaders bounds the length of the headers of a message. Those of Bedrock have about 100 bytes.
	maxHeaders = 8 << 10

	preludeLength = 12 // with its checksum
	crcLength     = 4
)

var (
	errChecksum = errors.New("a message of the event stream has a wrong checksum")
	errLength   = errors.New("a message of the event stream has an invalid length")
	errTooLarge = errors.New("a message of the event stream has more than 16 MiB, or more than 8 KiB of headers")
	errHeaders  = errors.New("a message of the event stream has malformed headers")
	errCut      = errors.New("the event stream ends within a message")
)

// Headers are the headers of a message that describe it; "" for one that it lacks.
type Headers struct {
	// MessageType is "event", "exception" or "error".
	MessageType string
	// EventType, ExceptionType and ErrorCode name what it is.
	EventType, ExceptionType, ErrorCode string
}

// Reader reads the messages of a stream. The functions are called during Write, in the order of the stream.
type Reader struct {
	// Begin takes the headers of a message.
	Begin func(Headers)
	// Payload takes a piece of its payload, which is valid until Payload returns. Its checksum is not known yet.
	Payload func(piece []byte)
	// End is called when the checksum of the whole message was right.
	End func()

	held    []byte // of the prelude, of the headers or of the last checksum
	part    part
	headers int // length
	payload int // bytes that have not arrived
	sum     uint32
	err     error
}

// part is a part of a message.
type part uint8

const (
	inPrelude part = iota
	inHeaders
	inPayload
	inChecksum
)

// Write takes the next piece of the stream. After an error it ignores everything.
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

// Err returns why the stream cannot be read; nil if it can.
func (r *Reader) Err() error { return r.err }

// Close returns the error of the stream, or one if it ended within a message.
func (r *Reader) Close() error {
	if r.err == nil && (r.part != inPrelude || len(r.held) > 0) {
		r.err = errCut
	}
	return r.err
}

// wanted returns the length of the part that is held until it is complete.
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

// step takes a part that is complete.
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
	case inPayload: // is not held
	}
	r.held = r.held[:0]
	r.skipEmpty()
}

// prelude takes the lengths of a message.
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

// skipEmpty ends parts that have no bytes.
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

// IndexEither returns the index of the first byte of p that is one or the other, else the length of p. It searches in blocks: where one byte is
// frequent, each search for the other one to the end of p would take quadratic time in all. block suits the length of what is between them.
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
