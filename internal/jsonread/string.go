package jsonread

// Str reads a string.
func (d *Decoder) Str() (string, error) {
	text, err := d.StrBytes()
	return string(text), err
}

// StrBytes reads a string. The result is a slice of the text unless the string has escapes. Invalid UTF-8 is kept.
func (d *Decoder) StrBytes() ([]byte, error) {
	if d.peek() != '"' {
		return nil, errSyntax
	}
	if text, ok := d.plainString(); ok {
		return text, nil
	}
	value, err := d.jx()
	if err != nil {
		return nil, err
	}
	return value.StrBytes()
}

// special has the bytes that end a plain string: the quote, the backslash, and control characters, which are errors.
var special = func() (special [256]bool) {
	for c := range byte(' ') {
		special[c] = true
	}
	special['"'], special['\\'] = true, true
	return special
}()

// plainString reads a string that has no escapes, and nothing of others. The next byte is its quote.
func (d *Decoder) plainString() (text []byte, ok bool) {
	rest := d.text[d.at+1:]
	for i, c := range rest {
		if special[c] {
			if c != '"' {
				return nil, false
			}
			d.at += i + 2
			return rest[:i:i], true
		}
	}
	return nil, false
}
