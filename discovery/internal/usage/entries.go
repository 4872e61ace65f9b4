package usage

import "github.com/mesh-gateway/mesh-go/internal/jsonread"

// list reads an array, or null.
func list(d *jsonread.Decoder, name string, element func(*jsonread.Decoder) error) error {
	switch d.Next() {
	case jsonread.Null:
		return d.Skip()
	case jsonread.Array:
	default:
		return &Error{name, "must be an array"}
	}
	elements := d.Array()
	for elements.Next() {
		if err := element(d); err != nil {
			return err
		}
	}
	return elements.Err()
}

func eachMember(d *jsonread.Decoder, name string, member func(key []byte) error) error {
	if d.Next() != jsonread.Object {
		return &Error{name, "must hold objects"}
	}
	members := d.Object()
	for members.Next() {
		if err := member(members.Key()); err != nil {
			return err
		}
	}
	return members.Err()
}

// entry reads an element of a list that has a name and a number, such as {"ttl": "1h", "inputTokens": 7}.
func entry(d *jsonread.Decoder, list, nameKey, numberKey string) (name string, n int64, err error) {
	err = eachMember(d, list, func(key []byte) (err error) {
		switch string(key) {
		case nameKey:
			name, err = text(d, list)
		case numberKey:
			n, err = amount(d, list)
		default:
			err = d.Skip()
		}
		return err
	})
	return name, n, err
}

// text reads a string.
func text(d *jsonread.Decoder, list string) (string, error) {
	value, err := d.Str()
	if err != nil {
		return "", &Error{list, "is not valid JSON"}
	}
	return value, nil
}

// amount reads a whole number of 0 or more.
func amount(d *jsonread.Decoder, name string) (int64, error) {
	n, err := whole(d)
	if err != nil || n < 0 || n > maxTokens {
		return 0, &Error{name, "must have whole numbers from 0 to 2^53"}
	}
	return n, nil
}
