package calls

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
)

// fetchedLine is the line of a call that fetched a stored response.
type fetchedLine struct {
	id    string
	time  time.Time
	line  []byte
	file  string
	place [2]int // the numbers of the file and of the line
}

var errFetched = errors.New("the line is that of a fetched response")

// addFetched adds the lines that fetched a response first: several programs may fetch one, which is one call.
func addFetched(summers []*summer) {
	var all []fetchedLine
	for _, s := range summers {
		all = append(all, s.fetched...)
	}
	slices.SortFunc(all, func(a, b fetchedLine) int {
		return cmp.Or(cmp.Compare(a.id, b.id), a.time.Compare(b.time), slices.Compare(a.place[:], b.place[:]))
	})
	s := summers[0]
	s.last = true
	var first fetchedLine
	for _, f := range all {
		if f.id == first.id && f.time.Sub(first.time) < endpoints.FetchedOnce {
			continue
		}
		first = f
		if err := s.addLine(f.line); err != nil {
			s.errs.add(f.place[0], &LineError{f.file, f.place[1], err})
		}
	}
}
