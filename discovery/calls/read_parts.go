package calls

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// ReadParts returns n sequences that together yield what [Read] yields: each record, and each error, is in one of them. They read the
// same files in turn, a block at a time, so that n goroutines with a sequence each decode them in parallel:
//
//	var group sync.WaitGroup
//	for _, records := range calls.ReadParts(runtime.GOMAXPROCS(0), nil, "calls") {
//		group.Go(func() {
//			for r, err := range records {
//				…
//			}
//		})
//	}
//	group.Wait()
//
// Which records are in which sequence is not defined. A sequence can be used once, and by one goroutine. Each must be read to its end:
// after a break in one, the others end, too. n must be positive. onRead, if it is not nil, is called as SumOptions.OnRead.
func ReadParts(n int, onRead func(bytes int), paths ...string) []iter.Seq2[Record, error] {
	return partsOf(n, &sharedBlocks{paths: paths, onRead: onRead, all: true})
}

// ReadCalls is [ReadParts] for the records that count, each call once, as [Copies] describes. Records that may be copies are yielded last.
// onCopies is called as SumOptions.OnCopies.
func ReadCalls(n int, onRead func(bytes int), onCopies func(Copies), paths ...string) []iter.Seq2[Record, error] {
	return partsOf(n, &sharedBlocks{paths: paths, onRead: onRead, onCopies: onCopies})
}

func partsOf(n int, source *sharedBlocks) []iter.Seq2[Record, error] {
	parts := make([]iter.Seq2[Record, error], n)
	for i := range parts {
		parts[i] = recordsOf(source)
	}
	return parts
}

// recordsOf yields the records of the blocks that one goroutine gets.
func recordsOf(source *sharedBlocks) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		newLines(nil, false).read(source, func(_ int, r *Record, err error) bool { return yield(*r, err) })
	}
}

// CountParts is [ReadCalls] with [Record.Count] of each record, which takes less time: the usage of a line is read together with the line.
// Beside an error of Count there is the record as it is.
func CountParts(n int, list *prices.List, reprice bool, onRead func(bytes int), onCopies func(Copies), paths ...string) []iter.Seq2[Record, error] {
	if list == nil {
		list = prices.BuiltIn()
	}
	source := &sharedBlocks{paths: paths, onRead: onRead, onCopies: onCopies}
	parts := make([]iter.Seq2[Record, error], n)
	for i := range parts {
		parts[i] = func(yield func(Record, error) bool) {
			newLines(list, reprice).read(source, func(_ int, r *Record, err error) bool { return yield(*r, err) })
		}
	}
	return parts
}

// sharedBlocks reads files for several goroutines.
type sharedBlocks struct {
	mu    sync.Mutex
	paths []string
	from  string // the first day in names of files, "" for all
	// onRead is called after each read, unless it is nil.
	onRead func(bytes int)
	// begun reports whether paths were searched for files, which have not been opened yet.
	begun bool
	files []foundFile
	// names are those of the files that were begun, by their numbers, and packed those of compressed copies, which are left out.
	names, packed []string
	// all reports whether copies are yielded, too. blocks is the number of blocks that were read.
	all      bool
	blocks   int
	copies   copies
	onCopies func(Copies)
	// current is the file that is read, which done closes; both are nil between files.
	current  blockReader
	done     func()
	sessions sessions
}

// blockReader reads a file in blocks.
type blockReader interface {
	next(buffer []byte) (block, error)
}

type foundFile struct {
	name string
	err  error
}

var errNoMore = errors.New("there are no more blocks")

// next reads the next block into buffer. The error is of a file or a line, after which the next block follows, or errNoMore.
func (s *sharedBlocks) next(buffer []byte) (block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	for {
		if s.current == nil {
			if err := s.open(); err != nil {
				return block{data: buffer, number: len(s.names)}, err
			}
		}
		b, err := s.current.next(buffer)
		b.number, b.turn = len(s.names), s.blocks
		if err == nil {
			s.blocks++
		}
		if err == nil || !errors.Is(err, io.EOF) {
			return b, err
		}
		buffer = b.data
		s.close()
	}
}

// begin lists the files.
func (s *sharedBlocks) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.sessions = sessions{codex: map[string][]sessionCounts{}}
	for name, err := range files(s.paths, s.from) {
		if errors.Is(err, errPacked) {
			s.packed = append(s.packed, name)
			continue
		}
		s.files = append(s.files, foundFile{name, err})
	}
	slices.SortStableFunc(s.files, func(a, b foundFile) int { return cmp.Compare(sessionRank(a.name), sessionRank(b.name)) })
}

// open opens the next file.
func (s *sharedBlocks) open() error {
	if len(s.files) == 0 {
		return errNoMore
	}
	file := s.files[0]
	s.files, s.names = s.files[1:], append(s.names, file.name)
	if file.err != nil {
		return file.err
	}
	in, done, err := open(file.name, 0, s.onRead)
	if err != nil {
		return &LineError{file.name, 1, err}
	}
	if s.current, err = s.sessions.open(newBlocks(file.name, in), in); err != nil {
		done()
		return &LineError{file.name, 1, err}
	}
	s.done = done
	return nil
}

func (s *sharedBlocks) close() {
	if s.current != nil {
		s.done()
		s.current, s.done = nil, nil
	}
}

// stop ends all sequences.
func (s *sharedBlocks) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.files = true, nil
	s.close()
	s.copies.drop()
}

// rest returns the lines that count and were held until all others were read to its first caller, and reports the copies.
func (s *sharedBlocks) rest() []held {
	s.mu.Lock()
	turns, names, packed := s.blocks, s.names, s.packed
	s.packed = nil
	s.mu.Unlock()
	lines := s.copies.rest(turns)
	s.copies.report(s.onCopies, names, packed)
	return lines
}
