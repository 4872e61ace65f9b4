package calls

import (
	"cmp"
	"errors"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	errSessionLine = errors.New("the line is not a JSON object")
	errCut         = errors.New("the end of the line is missing")
	errCount       = errors.New("a count of tokens must be a whole number from 0 to 2^53")
)

// sessionLine is what a line of some program states. A text is JSON, or nil if it is not stated.
type sessionLine struct {
	kind, event, time, id, session, parent, cwd, provider, model []byte

	copied, failed      bool // copied: from another agent of the session
	counts, last, total sessionCounts
	usage               []byte // the members of the usage object, each after a comma
}

// sessionCounts are counts in an order that each program has.
type sessionCounts [5]int64

// fields returns the fields of counts by their names.
func (c *sessionCounts) fields(names ...string) sessionFields {
	fields := sessionFields{}
	for i, name := range names {
		fields[name] = &c[i]
	}
	return fields
}

// sessionFields are the members of an object that are read: into a *[]byte the JSON of a text that is not empty, into a *int64 a count,
// into a *bool a boolean, into sessionFields an object, and by a func() any value. A value of another type is skipped in the place of a
// text, a boolean or an object.
type sessionFields map[string]any

// sessionDecoder reads a line. wrong is the first error, after which no member is read.
type sessionDecoder struct {
	jsonread.Decoder
	wrong error
}

func (d *sessionDecoder) fail(err error) { d.wrong = cmp.Or(d.wrong, err) }

// value reads a value of any type, and returns its JSON.
func (d *sessionDecoder) value() []byte {
	value, err := d.Raw()
	if err != nil {
		d.fail(errSessionLine)
	}
	return value
}

// members reads an object, whose values member must read. Any other value is skipped.
func (d *sessionDecoder) members(member func(key []byte)) {
	if d.Next() != jsonread.Object {
		d.value()
		return
	}
	members := d.Object()
	for d.wrong == nil && members.Next() {
		member(members.Key())
	}
	if members.Err() != nil {
		d.fail(errSessionLine)
	}
}

// object reads the fields of an object.
func (d *sessionDecoder) object(fields sessionFields) {
	d.members(func(key []byte) {
		kind := d.Next()
		switch to := fields[string(key)].(type) {
		case sessionFields:
			d.object(to)
		case func():
			to()
		case *int64:
			*to = d.count()
		case *[]byte:
			if value := d.value(); kind == jsonread.String && len(value) > len(`""`) {
				*to = value
			}
		case *bool:
			*to = string(d.value()) == "true"
		default:
			d.value()
		}
	})
}

// count reads a count; null is 0.
func (d *sessionDecoder) count() int64 {
	if d.Next() == jsonread.Null {
		d.value()
		return 0
	}
	n, err := d.Int64()
	if err != nil || n < 0 || n > maxRequests {
		d.fail(errCount)
	}
	return n
}
