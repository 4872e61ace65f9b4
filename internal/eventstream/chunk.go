package eventstream

import (
	"encoding/base64"
	"encoding/json"
	"slices"
)

// chunk decodes the payload of a chunk, {"bytes":"BASE64","p":"PADDING"}, as it arrives. Of the members at the top, only bytes matters.
type chunk struct {
	encoded bool // the payload is one
	data    func(piece []byte)
	failed  bool

	depth   int
	text    textState
	escape  []byte // of a text, so far
	isKey   bool   // the next text is a key
	key     []byte // the last one at the top
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
		case len(c.escape) > 0:
			c.unescape(p[0])
			p = p[1:]
		default:
			n := IndexEither(p, '"', '\\', encodedBlock)
			c.take(p[:n])
			if p = p[n:]; len(p) == 0 {
				return
			}
			if p[0] == '\\' {
				c.escape = append(c.escape, p[0])
			} else {
				c.failed, c.text = c.failed || len(c.pending) > 0, noText
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
		c.isKey = b == '{' && c.depth == 1
	case '}', ']':
		c.depth--
	case ',':
		c.isKey = c.depth == 1
	case ':':
		c.isKey = false
	case '"':
		switch {
		case c.isKey:
			c.text, c.key = keyText, c.key[:0]
		case c.depth == 1 && string(c.key) == "bytes":
			c.text = bytesText
		default:
			c.text = otherText
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

// unescape takes a byte of an escape. Encoders may escape / = and +, which base64 has.
func (c *chunk) unescape(b byte) {
	c.escape = append(c.escape, b)
	if len(c.escape) < len(`\u0000`) && c.escape[1] == 'u' {
		return
	}
	var text string
	c.failed = json.Unmarshal(slices.Concat([]byte{'"'}, c.escape, []byte{'"'}), &text) != nil
	c.escape = c.escape[:0]
	c.take([]byte(text))
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
