package calls

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Totals adds up calls while a program runs, as [Sum] adds up files. Create one with [NewTotals]. It is safe for concurrent use. Memory
// grows with the number of groups and not with the number of calls.
type Totals struct {
	mu     sync.Mutex
	summer *summer
}

// NewTotals returns sums of no calls. by has the names of one grouping of SumOptions.By; without names there is one Group. Wrong names are
// a [*ValueError].
func NewTotals(by ...string) (*Totals, error) {
	g, err := parseGrouping(by)
	if err != nil {
		return nil, err
	}
	s := newSummer(SumOptions{Prices: prices.BuiltIn()}, []*grouping{g}, nil)
	return &Totals{summer: s}, nil
}

func (t *Totals) ready() error {
	if t == nil || t.summer == nil {
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
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.summer
	s.e.counts = &s.counts
	if err := s.set(&r); err != nil {
		return err
	}
	p, _ := s.e.resolve()
	recorded, err := s.e.cost()
	if err != nil {
		return err
	}
	var one part
	s.groups = s.groups[:0]
	if err := s.part(p, recorded, &one); err != nil {
		return err
	}
	one.add()
	return nil
}

// set sets the fields of a record that sums need. JSON of the record, which has all, would take several times as long.
func (s *summer) set(r *Record) (err error) {
	e := &s.e
	*e = entry{
		id: []byte(r.ID), provider: []byte(r.Provider), model: []byte(r.Model), mode: []byte(r.Mode), path: []byte(r.Path), unpriced: []byte(r.Unpriced),
		api: []byte(r.API), platform: []byte(r.Platform), region: []byte(r.Region), profile: []byte(r.Profile), billing: []byte(r.Billing),
		modelStage: []byte(r.ModelStage), retirementDate: []byte(r.RetirementDate), time: r.Time.UTC(), status: r.Status, complete: r.Complete, session: r.Session,
		usd: given(r.USD), bound: given(r.BoundUSD), upstreamUSD: given(r.UpstreamUSD),
		counts: e.counts,
	}
	if r.Requests != nil {
		e.requests, err = json.Marshal(r.Requests)
	}
	if !maps.Equal(r.Labels, s.labels) && err == nil { // else the JSON is that of the last record
		s.labels = maps.Clone(r.Labels)
		s.labelsJSON, err = json.Marshal(r.Labels)
	}
	if len(r.Labels) > 0 {
		e.labels = s.labelsJSON
	}
	if r.Usage == nil || err != nil {
		return err
	}
	s.d.Reset(r.Usage)
	return e.readUsage(&s.d)
}

// given returns a text, or nil for an empty one.
func given(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// Merge adds the groups of o, which does not change. It panics with a [*ValueError] if the names of the groupings differ.
func (t *Totals) Merge(o *Totals) {
	if t.ready() != nil || o.ready() != nil {
		return
	}
	if !slices.Equal(t.sums().by.names, o.sums().by.names) {
		panic(invalid("Totals", "", "must be by the same names"))
	}
	more := newSums(o.sums().by) // both locked at once could be a deadlock
	o.mu.Lock()
	more.merge(o.sums())
	o.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums().merge(more)
}

// Groups returns the groups, sorted by their values. Each has a call. Calls that are added later do not change them.
func (t *Totals) Groups() []Group {
	if t.ready() != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sums().rows()
}

func (t *Totals) sums() *sums { return t.summer.sums[0] }
