package calls

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// lines decodes blocks. Each goroutine has its own.
type lines struct {
	in *decoder
	// list and reprice are those of Record.Count; without a list records are not counted.
	list    *prices.List
	reprice bool
	// wanted reports whether a record is counted, and may change it; nil counts all.
	wanted func(*Record) bool

	calls     []Record // of the lines of the block
	errs      []error
	sightings []sighting
}

func newLines(list *prices.List, reprice bool) *lines {
	l := &lines{in: newDecoder(), list: list, reprice: reprice}
	if list != nil {
		l.in.counts = &usage.Reader{}
	}
	return l
}

// read yields the calls of the blocks that this goroutine gets, then those that were held until all others were read. A call may be changed
// when yield returns. Beside an error of its cost a call is as it was recorded.
func (l *lines) read(source *sharedBlocks, yield func(file int, r *Record, err error) bool) {
	var b block
	for {
		var err error
		b, err = source.next(b.data)
		switch {
		case errors.Is(err, errNoMore):
			l.readRest(source, yield)
			return
		case err != nil:
			if !yield(b.number, &Record{}, err) {
				source.stop()
				return
			}
			continue
		}
		l.decode(&b)
		if !source.all {
			source.copies.add(&b, l.sightings)
		}
		if !l.yield(&b, yield) {
			source.stop()
			return
		}
	}
}

func (l *lines) readRest(source *sharedBlocks, yield func(int, *Record, error) bool) {
	if source.all {
		return
	}
	for _, h := range source.rest() {
		l.decode(&h.block)
		if !l.yield(&h.block, yield) {
			source.stop()
			return
		}
	}
}

// decode decodes the lines of a block.
func (l *lines) decode(b *block) {
	l.calls, l.errs, l.sightings = l.calls[:0], l.errs[:0], l.sightings[:0]
	for number, line := range b.lines() {
		l.calls = append(l.calls, Record{})
		r := &l.calls[len(l.calls)-1]
		var seen sighting
		err := l.in.read(line, r)
		if err == nil {
			seen = r.sighting(line, number)
			if l.list != nil && (l.wanted == nil || l.wanted(r)) {
				err = l.in.count(r, l.list, l.reprice)
			}
		} else {
			*r = Record{}
		}
		if err != nil {
			err = &LineError{b.file, number, err}
		}
		l.errs, l.sightings = append(l.errs, err), append(l.sightings, seen)
	}
}

// yield yields the lines of the block, without those to be skipped.
func (l *lines) yield(b *block, yield func(int, *Record, error) bool) bool {
	for i := range l.calls {
		if !l.sightings[i].skip && !yield(b.number, &l.calls[i], l.errs[i]) {
			return false
		}
	}
	return true
}
