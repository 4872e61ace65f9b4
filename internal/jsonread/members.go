package jsonread

// Members reads an object's members.
type Members struct {
	Elements
	key []byte
}

// Elements reads an array's elements.
type Elements struct {
	d       *Decoder
	err     error
	closing byte
	begun   bool
}

// Object starts reading an object. If the value isn't an object, Err reports it.
func (d *Decoder) Object() Members { return Members{Elements: d.begin('{', '}')} }

// Array starts reading an array. If the value isn't an array, Err reports it.
func (d *Decoder) Array() Elements { return d.begin('[', ']') }

func (d *Decoder) begin(opening, closing byte) Elements {
	err := d.consume(opening)
	d.depth++
	switch {
	case err != nil:
	case d.depth > maxDepth:
		err = errDepth
	case d.AtEnd():
		err = d.unexpected()
	}
	return Elements{d: d, closing: closing, err: err}
}

// Next reports whether there is another element. Read it before calling Next again.
func (e *Elements) Next() bool {
	if e.err != nil {
		return false
	}
	d := e.d
	switch c := d.peek(); {
	case c == e.closing:
		d.at++
		d.depth--
		return false
	case !e.begun:
		e.begun = true
	case c == ',':
		d.at++
	default:
		e.err = d.unexpected()
		return false
	}
	return true
}

// Next reports whether there is another member, and reads its key. Read its value before
// calling Next again.
func (m *Members) Next() bool {
	if m.plainNext() {
		return true
	}
	if !m.Elements.Next() {
		return false
	}
	if m.key, m.err = m.d.StrBytes(); m.err == nil {
		m.err = m.d.consume(':')
	}
	if m.err == nil && m.d.AtEnd() {
		m.err = m.d.unexpected()
	}
	return m.err == nil
}

// plainNext is a fast path: it reads a comma, a key without escapes and a colon, without
// white space. If the text differs, it reads nothing.
func (m *Members) plainNext() bool {
	d := m.d
	rest := d.text[d.at:]
	if !m.begun || len(rest) < 2 || rest[0] != ',' || rest[1] != '"' || m.err != nil {
		return false
	}
	key := rest[2:]
	n := plain(key)
	if len(key) < n+3 || key[n] != '"' || key[n+1] != ':' || key[n+2] <= ' ' {
		return false
	}
	m.key = key[:n:n]
	d.at += n + 4
	return true
}

// Key returns the current member's key.
func (m *Members) Key() []byte { return m.key }

// Err returns the error that stopped Next, or nil at the end.
func (e *Elements) Err() error { return e.err }
