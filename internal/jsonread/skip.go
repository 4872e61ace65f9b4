package jsonread

// Skip reads a value of any type.
func (d *Decoder) Skip() error {
	switch d.Next() {
	case Object:
		return d.skipObject()
	case Array:
		return d.skipArray()
	case String:
		if _, ok := d.plainString(); ok {
			return nil
		}
	case Number:
		if _, _, ok := d.plainNumber(); ok {
			return nil
		}
	case Null:
		return d.literal("null")
	case Bool:
		_, err := d.Bool()
		return err
	case Invalid:
		return errSyntax
	}
	_, err := d.jx()
	return err
}

func (d *Decoder) skipObject() error {
	members, err := d.Object()
	if err != nil {
		return err
	}
	for members.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return members.Err()
}

func (d *Decoder) skipArray() error {
	elements, err := d.Array()
	if err != nil {
		return err
	}
	for elements.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return elements.Err()
}
