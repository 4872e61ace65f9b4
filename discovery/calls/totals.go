package calls

import (
	"errors"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Totals adds up calls while a program runs, as [Sum] adds up files. Create one with [NewTotals]. It is safe for concurrent use. Memory
// grows with the number of groups and not with the number of calls.
type Totals struct {
	mu   sync.Mutex
	sums *sums
}

// NewTotals returns sums of no calls. by has the names of one grouping of Options.By; without names there is one Group. Wrong names are
// a [*ValueError].
func NewTotals(by ...string) (*Totals, error) {
	g, err := parseGrouping(by)
	if err != nil {
		return nil, err
	}
	return &Totals{sums: newSums(g)}, nil
}

func (t *Totals) ready() error {
	if t == nil || t.sums == nil {
		return invalid("Totals", "", "must be made with NewTotals")
	}
	return nil
}

// Add adds a call. The recorded cost counts; a record without one is priced by [prices.BuiltIn]: for another list, add the Record of
// [Record.Count]. A record that Sum could not read is an error, and is in no group.
func (t *Totals) Add(r Record) error {
	if err := t.ready(); err != nil {
		return err
	}
	counted, err := r.Count(nil, false)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sums.add(&counted, prices.BuiltIn()) {
		return errTotals
	}
	return nil
}

var errTotals = errors.New("calls: the tokens do not fit in a sum")

// Merge adds the groups of o, which does not change. It panics with a [*ValueError] if the names of the groupings differ, or if the tokens
// do not fit in an int64.
func (t *Totals) Merge(o *Totals) {
	if t.ready() != nil || o.ready() != nil {
		return
	}
	if !slices.Equal(t.sums.by.names, o.sums.by.names) {
		panic(invalid("Totals", "", "must be by the same names"))
	}
	more := newSums(o.sums.by) // both locked at once could be a deadlock
	o.mu.Lock()
	more.merge(o.sums)
	o.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sums.merge(more) {
		panic(invalid("Totals", "", "must not have more tokens than fit in an int64"))
	}
}

// Groups returns the groups, sorted by their values. Each has a call. Calls that are added later do not change them.
func (t *Totals) Groups() []Group {
	if t.ready() != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sums.rows()
}
