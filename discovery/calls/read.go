package calls

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// LineError reports an unreadable line, or a file that can't be read from that line on.
type LineError struct {
	File string
	Line int
	// Err quotes nothing from the line.
	Err error
}

// Error includes the file, the line and the cause.
func (e *LineError) Error() string { return fmt.Sprintf("calls: %s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns Err.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields each call once, with its cost and counts ([Record.Count]). An advisor in an
// Anthropic response is a separate call with its own model and no id. Records keep their
// order, except for records that may be copies, which come last.
//
// An unreadable line yields a [*LineError], and reading continues. If only counting
// fails, as for invalid usage, the error comes with the record as it is in the file. The
// same happens once all tokens together exceed an int64.
//
// # Files
//
// A path names a file, or a directory with files that end in .jsonl or .jsonl.gz, at any
// depth. Gzip is recognized by content. A file with several paths is read once. A
// compressed copy, which has the same name and .gz, is skipped. In a directory, a link to
// a file elsewhere is an error.
//
// # Lines
//
// A [Log] or another program writes them. Each needs a model, a time, and a usage object
// or a cost, and has at most 1 MiB. The provider is optional if [models.ProviderOf] finds
// it; so is everything else. Blank lines are skipped. A line with a duplicate key, even
// in its labels or requests, is an error.
func Read(o Options, paths ...string) iter.Seq2[Record, error] {
	if o.Prices == nil {
		o.Prices = prices.BuiltIn()
	}
	return func(yield func(Record, error) bool) {
		source := o.source(paths)
		blocks := readAhead{decoded: make(chan *lines), left: make(chan struct{})}
		defer blocks.leave(source)
		blocks.start(source, &o)
		for l := range blocks.inOrder() {
			if !l.yield(func(r *Record, err error) bool { return err == nil && !o.selects(r) || o.yield(r, err, yield) }) {
				return
			}
			l.yielded <- struct{}{}
		}
	}
}

// yield also yields advisors.
func (o *Options) yield(r *Record, err error, yield func(Record, error) bool) bool {
	if err != nil || o.Recorded {
		return yield(*r, err)
	}
	all := r.apart(o.Prices)
	if all == nil {
		return yield(*r, nil)
	}
	for _, one := range all {
		if !yield(one, nil) {
			return false
		}
	}
	return true
}

// readAhead decodes ahead of the caller. Each goroutine waits until its block was
// yielded.
type readAhead struct {
	workers sync.WaitGroup
	decoded chan *lines
	left    chan struct{}
}

func (a *readAhead) start(source *sharedBlocks, o *Options) {
	for range min(runtime.GOMAXPROCS(0), maxWorkers) {
		l := o.lines()
		a.workers.Go(func() { l.each(source, func(*block) bool { return a.deliver(l) }) })
	}
	go func() { a.workers.Wait(); close(a.decoded) }()
}

func (a *readAhead) deliver(l *lines) bool {
	select {
	case a.decoded <- l:
	case <-a.left:
		return false
	}
	select {
	case <-l.yielded:
		return true
	case <-a.left:
		return false
	}
}

// leave ends all goroutines. Defer it, in case the caller's loop breaks or panics.
func (a *readAhead) leave(source *sharedBlocks) {
	close(a.left)
	source.stop()
	a.workers.Wait()
}

func (a *readAhead) inOrder() iter.Seq[*lines] {
	return func(yield func(*lines) bool) {
		waiting := map[int]*lines{}
		next := 0
		for l := range a.decoded {
			for waiting[l.turn] = l; waiting[next] != nil; next++ {
				l = waiting[next]
				delete(waiting, next)
				if !yield(l) {
					return
				}
			}
		}
	}
}

func (b *block) lines() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for line := range bytes.Lines(b.data) {
			if len(bytes.TrimSpace(line)) > 0 && !yield(b.line+i, line) {
				return
			}
			i++
		}
	}
}

// lines decodes blocks for one goroutine, into reused slices.
type lines struct {
	in *decoder
	o  *Options

	records   []Record // in the block
	errs      []error
	sightings []sighting
	turn      int // block number
	yielded   chan struct{}
}

func (o *Options) lines() *lines {
	l := &lines{in: newDecoder(), o: o, yielded: make(chan struct{})}
	if !o.Recorded {
		l.in.counts = &usage.Reader{}
	}
	return l
}

// each decodes this goroutine's blocks, then held records, until done returns false.
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
			l.recount(source, &b)
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
		l.recount(source, b)
		if !done(b) {
			return
		}
	}
}

func (l *lines) decode(b *block) {
	l.turn, l.records, l.errs, l.sightings = b.turn, l.records[:0], l.errs[:0], l.sightings[:0]
	for i := range b.records {
		l.takeDecoded(b, i)
	}
	for number, line := range b.lines() {
		l.records = slices.Grow(l.records, 1)[:len(l.records)+1]
		r := &l.records[len(l.records)-1] // read clears the old record
		var seen sighting
		err := l.in.read(line, r)
		if err == nil {
			seen = r.sighting(line, number)
			err = l.count(r, &seen)
			seen.counts = seen.countsOf(r)
		} else {
			*r = Record{}
		}
		if err != nil {
			err = &LineError{b.file, number, err}
		}
		l.errs, l.sightings = append(l.errs, err), append(l.sightings, seen)
	}
}

func (l *lines) takeDecoded(b *block, i int) {
	r, err := b.records[i], b.errs[i]
	var seen sighting
	if err == nil {
		seen = r.sighting(nil, 0)
		seen.waits = false // Decode has seen all files
		err = l.countDecoded(&r, &seen)
	}
	l.records, l.errs, l.sightings = append(l.records, r), append(l.errs, err), append(l.sightings, seen)
}

func (l *lines) countDecoded(r *Record, seen *sighting) error {
	if l.in.counts != nil && r.Usage != nil {
		l.in.Reset(r.Usage)
		l.in.usageErr = l.in.counts.Read(&l.in.Decoder)
	}
	return l.count(r, seen)
}

// recount selects again, since Join may have changed labels.
func (l *lines) recount(source *sharedBlocks, b *block) {
	for i := range l.sightings {
		if l.sightings[i].joined && l.errs[i] == nil && len(l.o.MatchLabels) > 0 {
			if l.errs[i] = l.countDecoded(&l.records[i], &l.sightings[i]); l.errs[i] == nil {
				source.copies.mu.Lock()
				source.copies.count(b, l, i)
				source.copies.mu.Unlock()
			}
		}
	}
}

func (l *lines) count(r *Record, seen *sighting) error {
	if r.Session && l.o.Subscription {
		r.Billing = Subscription
	}
	if l.o.Recorded || !l.o.selects(r) {
		return nil
	}
	err := l.in.count(r, l.o.Prices, l.o.Reprice)
	seen.tokens = tokens(&r.Counts)
	return err
}

func (l *lines) yield(yield func(*Record, error) bool) bool {
	for i := range l.records {
		if !l.sightings[i].skip && !yield(&l.records[i], l.errs[i]) {
			return false
		}
	}
	return true
}
