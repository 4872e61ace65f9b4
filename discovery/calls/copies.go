package calls

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// Copies are records in a file that do not count, because others of the same calls do. Records are of one call if they have the same
// provider and response id, and their times differ by less than 24 hours. The first one that is read counts, of those with final
// counts if there are any; of several that fetched a stored response, the earliest.
type Copies struct {
	// File is the file with the copies, and Of the file with the records that count, which may be the same; "" if these are in several files.
	File string `json:"file"`
	Of   string `json:"of"`
	// Calls is the number of copies. It is 0 for a compressed file beside the file with the same name, which is read in its place.
	Calls int `json:"calls"`
	// IDs are the response ids of the first three.
	IDs []string `json:"ids"`
	// Differ is the number of copies whose counts differ from the record that counts. It may be too small
	// by one of a thousand.
	Differ int `json:"differ,omitempty"`
}

// The bounds of the ids in Copies: their number, and the length of each.
const (
	maxIDs = 3
	maxID  = 100
)

// packedCopy returns a compressed file and the file with the same name. One of them is named.
func packedCopy(name string) Copies {
	name = strings.TrimSuffix(name, ".gz")
	return Copies{File: name + ".gz", Of: name, IDs: []string{}}
}

// String returns a sentence about the copies.
func (c Copies) String() string {
	ids := strings.Join(c.IDs, ", ")
	if c.Calls > len(c.IDs) {
		ids += ", …"
	}
	if c.Differ > 0 {
		ids += fmt.Sprintf("; with other counts: %d", c.Differ)
	}
	switch {
	case c.Calls == 0:
		return c.File + " is a copy of the file without .gz, and its calls count once"
	case c.File == "":
		return fmt.Sprintf("calls that were recorded several times count once; copies: %d (%s)", c.Calls, ids)
	case c.Of == c.File:
		return fmt.Sprintf("%s: calls that are there several times count once; copies: %d (%s)", c.File, c.Calls, ids)
	}
	return fmt.Sprintf("%s: calls that are also in %s count once; copies: %d (%s)", c.File, cmp.Or(c.Of, "other files"), c.Calls, ids)
}

// sighting is a record in a block.
type sighting struct {
	key    uint64
	time   time.Time
	id     string
	line   []byte
	number int // of the line
	final  bool
	waits  bool
	counts int // digest of final counts, or 0
	// skip reports whether the record is a copy, or is added after all others. joined reports whether Options.Join got it.
	skip, joined bool
}

// sighting returns the record of a line, or a record without one.
func (r *Record) sighting(line []byte, number int) sighting {
	s := sighting{key: once.Key(r.Provider, r.ID, r.Time), time: r.Time, id: r.ID, line: line, number: number, final: !r.Incomplete || r.USD != ""}
	s.waits = once.Waits(r.Path, r.ID, s.final)
	return s
}

// countsBits is the size of a digest of counts. The rest of a place is the number of a file.
const countsBits = 10

// countsOf returns a digest of the final counts of a record, or 0.
func (s *sighting) countsOf(r *Record) int {
	if !s.final || !r.HasCounts {
		return 0
	}
	u := &r.Counts
	n := uint64(0)
	for _, count := range [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, tokens(u)} {
		n = (n + uint64(count)) * 0x9e3779b97f4a7c15 //nolint:gosec // a digest
	}
	return int(max(1, n>>(64-countsBits)))
}

// copies finds the records of one call. Blocks are added in the order in which they are read, whichever goroutine decodes them, so that it
// does not depend on chance which record counts.
type copies struct {
	mu    sync.Mutex
	added sync.Cond
	turn  int // the number of blocks that were added
	seen  once.Seen
	off   bool // whether copies are yielded, too
	join  func(file string, r *Record)
	held  []held
	// heldBytes are those of the lines of held.
	heldBytes int
	found     map[int]*foundCopies // by the number of the file
	total     int64                // of the tokens and uses of tools of all records that count
}

// foundCopies are Copies whose files have numbers.
type foundCopies struct {
	Copies
	of int // -1 for several
}

// held is a record that is added after all others: a line of a block, or a Record.
type held struct {
	sighting
	block
	record *Record
}

// The bounds of records that are held. Those beyond are added at once.
const (
	maxHeld      = 100_000
	maxHeldBytes = 16 << 20 // of lines
)

func (c *copies) isFull() bool { return len(c.held) >= maxHeld || c.heldBytes >= maxHeldBytes }

// add adds the records of a block after those of all blocks before, and sets skip.
func (c *copies) add(b *block, l *lines) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.await(b.turn)
	for i := range l.sightings {
		if c.off {
			break
		}
		s := &l.sightings[i]
		if s.waits && !c.isFull() {
			s.skip = true
			c.heldBytes += len(s.line)
			held := held{sighting: *s, block: *b}
			held.data, held.block.line, held.id = bytes.Clone(s.line), s.number, strings.Clone(s.id)
			c.held = append(c.held, held)
			continue
		}
		s.skip = !c.first(s, b.number)
		c.joinRecord(b, l, i)
		c.count(b, l, i)
	}
	c.turn++
	c.added.Broadcast()
}

// addLast adds the records of a block that all others come before. The lines of calls files are known to count.
func (c *copies) addLast(b *block, l *lines) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range l.sightings {
		if c.off {
			break
		}
		if b.records != nil {
			l.sightings[i].skip = !c.first(&l.sightings[i], b.number)
		}
		c.joinRecord(b, l, i)
		c.count(b, l, i)
	}
}

var errSum = errors.New("the tokens up to this line do not fit in a sum")

// count adds the counts of a record, which is an error if they do not fit: then no sum of records overflows.
func (c *copies) count(b *block, l *lines, i int) {
	r := &l.records[i]
	if !r.HasCounts || l.sightings[i].skip || l.errs[i] != nil {
		return
	}
	n := tokens(&r.Counts)
	if n > math.MaxInt64-c.total {
		l.errs[i] = &LineError{b.file, l.sightings[i].number, errSum}
		return
	}
	c.total += n
}

// joinRecord calls Options.Join with a record of a calls file that counts.
func (c *copies) joinRecord(b *block, l *lines, i int) {
	if s := &l.sightings[i]; c.join != nil && b.records == nil && !s.skip && l.errs[i] == nil {
		s.joined = true
		c.join(b.file, &l.records[i])
	}
}

// await waits until a number of blocks were added.
func (c *copies) await(turn int) {
	c.added.L = &c.mu
	for c.turn < turn {
		c.added.Wait()
	}
}

// first reports whether a record in a file is the first one of its call.
func (c *copies) first(s *sighting, file int) bool {
	of, first := c.seen.Add(s.key, s.time, file<<countsBits|s.counts)
	if first {
		return true
	}
	counts := of & (1<<countsBits - 1)
	of >>= countsBits
	f := c.found[file]
	if f == nil {
		f = &foundCopies{of: of}
		if c.found == nil {
			c.found = map[int]*foundCopies{}
		}
		c.found[file] = f
	}
	if f.Calls++; len(f.IDs) < maxIDs {
		f.IDs = append(f.IDs, argument.Redact(strings.Clone(s.id[:min(len(s.id), maxID)])))
	}
	if counts > 0 && s.counts > 0 && counts != s.counts {
		f.Differ++
	}
	if f.of != of {
		f.of = -1
	}
	return false
}

// rest returns the records that were held and count, after a number of blocks were added. Only its first caller gets them.
func (c *copies) rest(turns int) []held {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.await(turns)
	rest := c.held
	c.held = nil
	rank := func(h held) int {
		if h.final {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rest, func(a, b held) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), a.time.Compare(b.time)) })
	return slices.DeleteFunc(rest, func(h held) bool { return !c.first(&h.sighting, h.block.number) })
}

// drop forgets the lines that are held.
func (c *copies) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
}

// report calls onCopies with what was found in files with these names, and with their compressed copies, or logs it.
func (c *copies) report(onCopies func(Copies), names, packed []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if onCopies == nil {
		onCopies = func(c Copies) { slog.Warn("calls: " + c.String()) }
	}
	for _, name := range packed {
		onCopies(packedCopy(name))
	}
	for _, file := range slices.Sorted(maps.Keys(c.found)) {
		f := c.found[file]
		if file > 0 {
			f.File = names[file-1] //nolint:gosec // files are numbered from 1
		}
		if f.of > 0 {
			f.Of = names[f.of-1]
		}
		onCopies(f.Copies)
	}
	c.found = nil
}

// Once returns the records of a sequence that count, as [Read] does with those of files. Copies are logged to [slog.Default].
func Once(records iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var c copies
		for r, err := range records {
			if err == nil && !c.addRecord(&r) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
		for _, h := range c.rest(0) {
			if !yield(*h.record, nil) {
				return
			}
		}
		c.report(nil, []string{""}, nil)
	}
}

// addRecord reports whether a record counts now.
func (c *copies) addRecord(r *Record) bool {
	s := r.sighting(nil, 0)
	if s.waits && !c.isFull() {
		record := *r // which r is not, so that it does not escape
		c.held = append(c.held, held{sighting: s, record: &record, block: block{number: 1}})
		return false
	}
	return c.first(&s, 1)
}
