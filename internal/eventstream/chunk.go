package eventstream

import (
	"encoding/base64"
	"encoding/json"
	"slices"
)

// chunk decodes a chunk's payload, {"bytes":"BASE64","p":"PADDING"}, while it arrives. It
// ignores all top-level members except bytes.
type chunk struct {
	encoded bool // the payload is a chunk
	data    func(piece []byte)
	failed  bool

	depth   int
	text    textState
	escape  []byte // an escape sequence, until complete
	isKey   bool   // the next text is a key
	key     []byte // the last top-level key
	pending []byte // base64 waiting for a complete group
	padded  bool   // nothing may follow after =
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
	// encodedBlock is the amount of base64 decoded at once.
	encodedBlock = 1 << 10
	decodedBlock = encodedBlock / 4 * 3
)

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

// structure reads a byte outside strings.
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

func (c *chunk) take(p []byte) {
	switch c.text {
	case keyText:
		c.key = append(c.key, p[:min(len(p), maxKey-len(c.key))]...)
	case bytesText:
		c.decode(p)
	case noText, otherText:
	}
}

// unescape reads an escape byte. Encoders may escape /, = and +, which occur in base64.
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

// decode decodes groups of four characters and keeps the rest for the next piece.
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
