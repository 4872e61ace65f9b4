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

// Copies reports a file's duplicate records, which aren't added up. Records with the same
// provider and response id, less than 24 hours apart, are the same call. Only the first
// one is kept, or the first with final counts if there is any. If several programs
// fetched a stored response, the earliest fetch is kept. Ollama's short ids, such as
// chatcmpl-998, repeat, so those records also need the same time.
type Copies struct {
	// File contains the copies. The kept records are in the file Of, which may be the same
	// one; it's "" if they are in several.
	File string `json:"file"`
	Of   string `json:"of"`
	// Calls is the number of copies. It's 0 if File is a compressed copy of Of, which isn't
	// read.
	Calls int `json:"calls"`
	// IDs are the first three response ids.
	IDs []string `json:"ids"`
	// Differ is the number of copies whose final counts differ from the kept record's. About
	// one difference in 1,000 is missed, because only digests are compared.
	Differ int `json:"differ,omitempty"`
}

const (
	maxIDs = 3
	maxID  = 100
)

func packedCopy(name string) Copies {
	name = strings.TrimSuffix(name, ".gz")
	return Copies{File: name + ".gz", Of: name, IDs: []string{}}
}

// String describes the copies in a sentence, for a log.
func (c Copies) String() string {
	ids := strings.Join(c.IDs, ", ")
	if c.Calls > len(c.IDs) && ids != "" {
		ids += ", …"
	}
	if c.Differ > 0 {
		ids += fmt.Sprintf("; with other counts: %d", c.Differ)
	}
	if ids = strings.TrimPrefix(ids, "; "); ids != "" {
		ids = " (" + ids + ")"
	}
	switch {
	case c.Calls == 0:
		return c.File + " is a copy of the file without .gz, so its calls count once"
	case c.File == "":
		return fmt.Sprintf("calls recorded several times count once; copies: %d%s", c.Calls, ids)
	case c.Of == c.File:
		return fmt.Sprintf("%s: repeated calls count once; copies: %d%s", c.File, c.Calls, ids)
	}
	return fmt.Sprintf("%s: calls that are also in %s count once; copies: %d%s", c.File, cmp.Or(c.Of, "other files"), c.Calls, ids)
}

type sighting struct {
	key    uint64
	time   time.Time
	id     string
	line   []byte
	number int
	final  bool
	waits  bool
	tokens int64
	counts int // digest of final counts, or 0
	// skip is set for copies and for held records. joined is set once Options.Join was
	// called.
	skip, joined bool
}

func (r *Record) sighting(line []byte, number int) sighting {
	s := sighting{key: once.Key(r.Provider, r.ID, r.Time), time: r.Time, id: r.ID, line: line, number: number, final: !r.Incomplete || r.USD != ""}
	s.waits = once.Waits(r.Path, r.ID, s.final)
	return s
}

// A place in once.Seen is a file number, followed by countsBits bits for a digest of the
// counts.
const countsBits = 10

func (s *sighting) countsOf(r *Record) int {
	if !s.final || !r.HasCounts {
		return 0
	}
	u := &r.Counts
	n := uint64(0)
	for _, count := range [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, s.tokens} {
		n = (n + uint64(count)) * 0x9e3779b97f4a7c15 //nolint:gosec // a digest
	}
	return int(max(1, n>>(64-countsBits)))
}

// copies finds duplicate records. Goroutines add their blocks in reading order, so that
// every run keeps the same records.
type copies struct {
	mu    sync.Mutex
	added sync.Cond
	turn  int // blocks added so far
	seen  once.Seen
	off   bool // yield copies, too
	join  func(file string, r *Record)
	held  []held
	// of lines
	heldBytes int
	found     map[int]*foundCopies // by file number
	total     int64                // tokens and tool uses that count
}

type foundCopies struct {
	Copies
	of int // -1 for several
}

// held is a record that is added last, because another record of the same call may be
// kept instead. It's a line in the block's data, or record in [Once].
type held struct {
	sighting
	block
	record *Record
}

// Limits for held records. Beyond them, records are added at once.
const (
	maxHeld      = 100_000
	maxHeldBytes = 16 << 20 // of lines
)

func (c *copies) isFull() bool { return len(c.held) >= maxHeld || c.heldBytes >= maxHeldBytes }

// add waits until all earlier blocks were added, and sets skip.
func (c *copies) add(b *block, l *lines) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.await(b.turn)
	for i := range l.sightings {
		c.seen.Load(l.sightings[i].key)
	}
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

// addLast adds a block after all others. rest has already removed copies among held
// lines, so only decoded records are looked up.
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

// count adds a record's tokens to the total, or gives the record an error if the total
// would overflow. No sum exceeds the total, so none overflows.
func (c *copies) count(b *block, l *lines, i int) {
	s := &l.sightings[i]
	if s.skip || l.errs[i] != nil {
		return
	}
	if s.tokens > math.MaxInt64-c.total {
		l.errs[i] = &LineError{b.file, s.number, errSum}
		return
	}
	c.total += s.tokens
}

func (c *copies) joinRecord(b *block, l *lines, i int) {
	if s := &l.sightings[i]; c.join != nil && b.records == nil && !s.skip && l.errs[i] == nil {
		s.joined = true
		c.join(b.file, &l.records[i])
	}
}

func (c *copies) await(turn int) {
	c.added.L = &c.mu
	for c.turn < turn {
		c.added.Wait()
	}
}

// first reports whether this is a call's first record. If not, it notes a copy.
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

// rest waits for all blocks and returns the held records that aren't copies, to its first
// caller only.
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

func (c *copies) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
}

// report passes the copies to onCopies, or logs them if that's nil.
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

// Once yields each call once. Use it for records from your own store, which may have a
// call twice, before you add them to [Totals] or pass them to meter.Meter.Restore. It
// drops duplicate records as [Read] does, and logs them to [slog.Default] (see
// [Copies]). Records that may be duplicates come last.
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

// addRecord reports whether to yield a record now. Otherwise it's a copy or held.
func (c *copies) addRecord(r *Record) bool {
	s := r.sighting(nil, 0)
	if s.waits && !c.isFull() {
		record := *r // a copy keeps r off the heap
		c.held = append(c.held, held{sighting: s, record: &record, block: block{number: 1}})
		return false
	}
	return c.first(&s, 1)
}
