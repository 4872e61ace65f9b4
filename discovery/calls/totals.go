package calls

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Totals adds up calls while a program runs, as [Sum] adds up files. Create one with
// [NewTotals]. It may be used concurrently. Memory grows with groups, not with calls.
type Totals struct {
	mu     sync.Mutex
	sums   *sums
	tokens int64
}

// NewTotals returns Totals without calls, grouped by names as in Options.By. If by is
// empty, there is one Group. An unknown name is a [*ValueError].
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

// Add adds a call with its recorded cost, or else a price from [prices.BuiltIn]: for
// another list, add what [Record.Count] returns. A record that Sum couldn't read is an
// error, and is in no group.
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
	if !t.fit(tokens(&counted.Counts)) {
		return errTotals
	}
	counted.addTo([]*sums{t.sums}, prices.BuiltIn())
	return nil
}

// fit adds tokens to the total, unless it would overflow.
func (t *Totals) fit(tokens int64) bool {
	fit := tokens <= math.MaxInt64-t.tokens
	if fit {
		t.tokens += tokens
	}
	return fit
}

var errTotals = errors.New("calls: the tokens do not fit in a sum")

// Merge adds the groups in o, which doesn't change. It panics with a [*ValueError] if the
// groupings differ, or tokens don't fit in an int64.
func (t *Totals) Merge(o *Totals) {
	if t.ready() != nil || o.ready() != nil {
		return
	}
	if !slices.Equal(t.sums.by.names, o.sums.by.names) {
		panic(invalid("Totals", "", "must have the same grouping"))
	}
	more := newSums(o.sums.by) // locking both at once could deadlock
	o.mu.Lock()
	more.merge(o.sums)
	tokens := o.tokens
	o.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.fit(tokens) {
		panic(invalid("Totals", "", "must not have more tokens than fit in an int64"))
	}
	t.sums.merge(more)
}

// Groups returns the groups that have calls, sorted by value. Later calls don't change
// the result.
func (t *Totals) Groups() []Group {
	if t.ready() != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sums.rows()
}
