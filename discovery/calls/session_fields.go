package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	errSessionLine = errors.New("the line is not a JSON object")
	errCut         = errors.New("the end of the line is missing")
	errCount       = errors.New("a count of tokens must be a whole number from 0 to 2^53")
)

// sessionFields are the members of an object that are read: into a *string a text, into a *int64 a count, into a *bool a boolean, into
// sessionFields an object, and by a func() any value. A text or a boolean in the place of another type is skipped.
type sessionFields map[string]any

// sessionDecoder reads a line. wrong is the first error, after which no member is read.
type sessionDecoder struct {
	jsonread.Decoder
	wrong error
}

// fail sets wrong to reason if err is the first error.
func (d *sessionDecoder) fail(err, reason error) {
	if err != nil && d.wrong == nil {
		d.wrong = reason
	}
}

func (d *sessionDecoder) skip() { d.fail(d.Skip(), errSessionLine) }

// members reads an object, whose values member must read. Any other value is skipped.
func (d *sessionDecoder) members(member func(key []byte)) {
	if d.Next() != jsonread.Object {
		d.skip()
		return
	}
	members := d.Object()
	for d.wrong == nil && members.Next() {
		member(members.Key())
	}
	d.fail(members.Err(), errSessionLine)
}

// object reads the fields of an object.
func (d *sessionDecoder) object(fields sessionFields) {
	d.members(func(key []byte) {
		kind, err := d.Next(), error(nil)
		switch to := fields[string(key)].(type) {
		case sessionFields:
			d.object(to)
		case func():
			to()
		case *int64:
			d.count(to)
		case *string:
			if kind == jsonread.String {
				*to, err = d.Str()
			} else {
				d.skip()
			}
		case *bool:
			if kind == jsonread.Bool {
				*to, err = d.Bool()
			} else {
				d.skip()
			}
		default:
			d.skip()
		}
		d.fail(err, errSessionLine)
	})
}

// count reads a count; null is 0.
func (d *sessionDecoder) count(to *int64) {
	if d.Next() == jsonread.Null {
		d.skip()
		return
	}
	n, err := d.Int64()
	if err != nil || n < 0 || n > maxRequests {
		d.fail(errCount, errCount)
	}
	*to = n
}
