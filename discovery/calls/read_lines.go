package calls

import "errors"

// lines decodes blocks. Each goroutine has its own.
type lines[T any] struct {
	in *recordReader
	// of returns the value of a record.
	of        func(*Record) (T, error)
	values    []T // of the lines of the block
	errs      []error
	sightings []sighting
}

// read yields the lines of the blocks that this goroutine gets, then those that were held until all others were read.
func (l *lines[T]) read(source *sharedBlocks, yield func(T, error) bool) {
	var b block
	for {
		var err error
		var none T
		b, err = source.next(b.data)
		switch {
		case errors.Is(err, errNoMore):
			l.readRest(source, yield)
			return
		case err != nil:
			if !yield(none, err) {
				source.stop()
				return
			}
			continue
		}
		l.decode(&b)
		if !source.all {
			source.copies.add(&b, l.sightings)
		}
		if !l.yield(yield) {
			source.stop()
			return
		}
	}
}

func (l *lines[T]) readRest(source *sharedBlocks, yield func(T, error) bool) {
	if source.all {
		return
	}
	for _, h := range source.rest() {
		l.decode(&h.block)
		if !l.yield(yield) {
			source.stop()
			return
		}
	}
}

// decode decodes the lines of a block.
func (l *lines[T]) decode(b *block) {
	l.values, l.errs, l.sightings = l.values[:0], l.errs[:0], l.sightings[:0]
	for number, line := range b.lines() {
		var value T
		var seen sighting
		r, err := l.in.read(line)
		if err != nil {
			err = &LineError{b.file, number, err}
		} else {
			seen = l.in.e.sighting(r.Provider, line, number)
			value, err = l.of(&r)
		}
		l.values, l.errs, l.sightings = append(l.values, value), append(l.errs, err), append(l.sightings, seen)
	}
}

// yield yields the lines of the block, without those to be skipped.
func (l *lines[T]) yield(yield func(T, error) bool) bool {
	for i, value := range l.values {
		if !l.sightings[i].skip && !yield(value, l.errs[i]) {
			return false
		}
	}
	return true
}
