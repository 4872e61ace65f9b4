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

func (s *session) fail(err error) { s.wrong = cmp.Or(s.wrong, err) }

// value reads a value of any type, and returns its JSON.
func (s *session) value() []byte {
	value, err := s.Raw()
	if err != nil {
		s.fail(errSessionLine)
	}
	return value
}

// members reads an object, whose values member must read. Any other value is skipped.
func (s *session) members(member func(key []byte)) {
	if s.Next() != jsonread.Object {
		s.value()
		return
	}
	members := s.Object()
	for s.wrong == nil && members.Next() {
		member(members.Key())
	}
	if members.Err() != nil {
		s.fail(errSessionLine)
	}
}

// object reads the fields of an object.
func (s *session) object(fields sessionFields) {
	s.members(func(key []byte) {
		kind := s.Next()
		switch to := fields[string(key)].(type) {
		case sessionFields:
			s.object(to)
		case func():
			to()
		case *int64:
			*to = s.count()
		case *[]byte:
			if value := s.value(); kind == jsonread.String && len(value) > len(`""`) {
				*to = value
			}
		case *bool:
			*to = string(s.value()) == "true"
		default:
			s.value()
		}
	})
}

// count reads a count; null is 0.
func (s *session) count() int64 {
	if s.Next() == jsonread.Null {
		s.value()
		return 0
	}
	n, err := s.Int64()
	if err != nil || n < 0 || n > maxRequests {
		s.fail(errCount)
	}
	return n
}
