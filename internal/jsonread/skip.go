package jsonread

// Skip reads a value of any type.
func (d *Decoder) Skip() error {
	switch d.Next() {
	case Object:
		return d.skipObject()
	case Array:
		return d.skipArray()
	case String:
		return d.skipString()
	case Number:
		_, err := d.Number()
		return err
	case Null:
		return d.literal("null")
	case Bool:
		_, err := d.Bool()
		return err
	default:
		return d.unexpected()
	}
}

func (d *Decoder) skipObject() error {
	members := d.Object()
	for members.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return members.Err()
}

func (d *Decoder) skipArray() error {
	elements := d.Array()
	for elements.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return elements.Err()
}
