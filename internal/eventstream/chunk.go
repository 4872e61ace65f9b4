package eventstream

import (
	"bytes"
	"encoding/base64"
)

// chunk decodes the payload of a chunk, {"bytes":"BASE64","p":"PADDING"}, as it arrives. Of the members at the top, only bytes matters.
type chunk struct {
	encoded bool // the payload is one
	data    func(piece []byte)
	failed  bool

	depth   int
	text    textState
	escape  int // bytes of an escape in a text that are still to come
	code    rune
	isKey   bool // the text is a key, or may become one
	isBytes bool // the next value is that of bytes
	key     []byte
	pending []byte // base64 that is not decoded yet
	padded  bool   // after = nothing may follow
	buffer  []byte
}

type textState uint8

const (
	noText textState = iota
	otherText
	keyText
	bytesText
)

const (
	maxKey = 16
	// encodedBlock is the base64 that is decoded at once.
	encodedBlock = 1 << 10
	decodedBlock = encodedBlock / 4 * 3
)

// write takes the next piece of the payload.
func (c *chunk) write(p []byte) {
	for len(p) > 0 && !c.failed {
		switch {
		case c.text == noText:
			c.structure(p[0])
			p = p[1:]
		case c.escape > 0:
			c.unescape(p[0])
			p = p[1:]
		default:
			n := IndexEither(p, '"', '\\', encodedBlock)
			c.take(p[:n])
			if p = p[n:]; len(p) == 0 {
				return
			}
			if p[0] == '\\' {
				c.escape, c.code = 1, 0
			} else {
				c.endText()
			}
			p = p[1:]
		}
	}
}

// structure takes a byte outside of texts.
func (c *chunk) structure(b byte) {
	switch b {
	case '{', '[':
		c.depth++
		c.isKey, c.isBytes = b == '{' && c.depth == 1, false
	case '}', ']':
		c.depth--
	case ',':
		c.isKey, c.isBytes = c.depth == 1, false
	case ':':
		c.isKey = false
	case '"':
		c.key = c.key[:0]
		c.text = otherText
		if c.isKey {
			c.text = keyText
		} else if c.isBytes && c.depth == 1 {
			c.text = bytesText
		}
	}
}

// take takes bytes of a text without escapes.
func (c *chunk) take(p []byte) {
	switch c.text {
	case keyText:
		c.key = append(c.key, p[:min(len(p), maxKey-len(c.key))]...)
	case bytesText:
		c.decode(p)
	case noText, otherText:
	}
}

func (c *chunk) endText() {
	c.isBytes = c.text == keyText && string(c.key) == "bytes"
	c.failed = c.failed || len(c.pending) > 0
	c.text = noText
}

// unescape takes a byte of an escape. Encoders may escape / = and +, which base64 has.
func (c *chunk) unescape(b byte) {
	const digits = "0123456789abcdef"
	c.escape--
	if c.code == 0 && c.escape == 0 && b == 'u' {
		c.escape, c.code = 4, 1 // the leading 1 marks that digits follow
		return
	}
	if c.code == 0 {
		c.failed = c.failed || c.text == bytesText && b != '/'
		c.take([]byte{b})
		return
	}
	digit := bytes.IndexByte([]byte(digits), b|0x20)
	c.failed = c.failed || digit < 0
	if c.code = c.code<<4 | rune(digit); c.escape == 0 { //nolint:gosec // less than 16
		c.take([]byte(string(c.code & 0xffff)))
	}
}

// decode takes base64. It decodes groups of four characters; the rest of a piece is kept for the next one.
func (c *chunk) decode(p []byte) {
	for len(p) > 0 && !c.failed {
		n := min(len(p), encodedBlock-len(c.pending))
		c.pending, p = append(c.pending, p[:n]...), p[n:]
		whole := c.pending[:len(c.pending)/4*4]
		n, err := base64.StdEncoding.Decode(c.buffer, whole)
		c.failed = err != nil || c.padded && len(whole) > 0
		if !c.failed && n > 0 {
			c.padded = whole[len(whole)-1] == '='
			c.data(c.buffer[:n])
		}
		c.pending = append(c.pending[:0], c.pending[len(whole):]...)
	}
}
