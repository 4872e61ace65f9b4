package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// fetchedLine is the line of a call that fetched a stored response.
type fetchedLine struct {
	name         string // of the file
	number, line int    // of the file and in it
	text         []byte
}

var errFetched = errors.New("the line is that of a fetched response")

// addFetched adds the lines that fetched a response first: several programs may fetch one, which is one call.
func addFetched(summers []*summer) {
	s := summers[0]
	for _, more := range summers[1:] {
		s.fetched = append(s.fetched, more.fetched...)
	}
	s.last = true
	for _, f := range endpoints.FirstFetches(s.fetched) {
		if err := s.addLine(f.Call.text); err != nil {
			s.errs.add(f.Call.number, &LineError{f.Call.name, f.Call.line, err})
		}
	}
}
