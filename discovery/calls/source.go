package calls

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"
)

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
				return s.turn(block{data: buffer}, err)
			}
		}
		b, err := s.current.next(buffer)
		if err == nil || !errors.Is(err, io.EOF) {
			return s.turn(b, err)
		}
		buffer = b.data
		s.close()
	}
}

// turn returns a block with its numbers, and its error.
func (s *sharedBlocks) turn(b block, err error) (block, error) {
	b.number, b.turn = len(s.names), s.blocks
	if !errors.Is(err, errNoMore) {
		s.blocks++
	}
	return b, err
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

func (s *sharedBlocks) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.files, s.onCopies = true, nil, func(Copies) {} // of a part of the files
	s.close()
	s.copies.drop()
}

// rest returns the lines that count and were held until all others were read to its first caller, and reports the copies.
func (s *sharedBlocks) rest() []held {
	s.mu.Lock()
	turns, names, packed, onCopies := s.blocks, s.names, s.packed, s.onCopies
	s.packed = nil
	s.mu.Unlock()
	lines := s.copies.rest(turns)
	for i := range lines {
		lines[i].turn = turns + i
	}
	if !s.all {
		s.copies.report(onCopies, names, packed)
	}
	return lines
}
