package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// lines decodes blocks. Each goroutine has its own.
type lines struct {
	in *decoder
	o  *Options

	records   []Record // of the lines of the block
	errs      []error
	sightings []sighting
	turn      int // of the block
	yielded   chan struct{}
}

// lines returns what decodes for one goroutine.
func (o *Options) lines() *lines {
	l := &lines{in: newDecoder(), o: o, yielded: make(chan struct{})}
	if !o.Recorded {
		l.in.counts = &usage.Reader{}
	}
	return l
}

// each decodes the blocks that this goroutine gets, then those that were held until all others were read, until done returns false.
func (l *lines) each(source *sharedBlocks, done func(*block) bool) {
	var b block
	for {
		var err error
		b, err = source.next(b.data)
		switch {
		case errors.Is(err, errNoMore):
			l.rest(source, done)
			return
		case err != nil:
			l.records, l.errs, l.sightings = append(l.records[:0], Record{}), append(l.errs[:0], err), append(l.sightings[:0], sighting{})
			l.turn = b.turn
			source.copies.add(&b, l)
		default:
			l.decode(&b)
			source.copies.add(&b, l)
			l.recount()
		}
		if !done(&b) {
			return
		}
	}
}

func (l *lines) rest(source *sharedBlocks, done func(*block) bool) {
	for b := range source.rest {
		l.decode(b)
		source.copies.addLast(b, l)
		l.recount()
		if !done(b) {
			return
		}
	}
}

// decode decodes the lines of a block.
func (l *lines) decode(b *block) {
	l.turn, l.records, l.errs, l.sightings = b.turn, l.records[:0], l.errs[:0], l.sightings[:0]
	for i := range b.records {
		l.takeDecoded(b, i)
	}
	for number, line := range b.lines() {
		l.records = append(l.records, Record{})
		r := &l.records[len(l.records)-1]
		var seen sighting
		err := l.in.read(line, r)
		if err == nil {
			seen = r.sighting(line, number)
			err = l.count(r)
		} else {
			*r = Record{}
		}
		if err != nil {
			err = &LineError{b.file, number, err}
		}
		l.errs, l.sightings = append(l.errs, err), append(l.sightings, seen)
	}
}

// takeDecoded takes a record of another program.
func (l *lines) takeDecoded(b *block, i int) {
	r, err := b.records[i], b.errs[i]
	var seen sighting
	if err == nil {
		seen = r.sighting(nil, 0)
		seen.waits = false // Decode has seen all files
		err = l.countDecoded(&r)
	}
	l.records, l.errs, l.sightings = append(l.records, r), append(l.errs, err), append(l.sightings, seen)
}

func (l *lines) countDecoded(r *Record) error {
	if l.in.counts != nil && r.Usage != nil {
		l.in.Reset(r.Usage)
		l.in.usageErr = l.in.counts.Read(&l.in.Decoder)
	}
	return l.count(r)
}

// recount counts the records again that Join may have made those of other labels.
func (l *lines) recount() {
	for i := range l.sightings {
		if l.sightings[i].joined && l.errs[i] == nil && len(l.o.MatchLabels) > 0 {
			l.errs[i] = l.countDecoded(&l.records[i])
		}
	}
}

// count sets the cost that counts of a record that is selected.
func (l *lines) count(r *Record) error {
	if r.Session && l.o.Subscription {
		r.Billing = Subscription
	}
	if l.o.Recorded || !l.o.selects(r) {
		return nil
	}
	return l.in.count(r, l.o.Prices, l.o.Reprice)
}

// yield yields the lines of the block, without those to be skipped.
func (l *lines) yield(yield func(*Record, error) bool) bool {
	for i := range l.records {
		if !l.sightings[i].skip && !yield(&l.records[i], l.errs[i]) {
			return false
		}
	}
	return true
}
