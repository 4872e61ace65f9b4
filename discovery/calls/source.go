package calls

import (
	"bufio"
	"bytes"
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
	current blockReader
	done    func()
	decode  func(path string, head []byte) Decoder
}

// blockReader reads a file in blocks.
type blockReader interface {
	next(buffer []byte) (block, error)
}

type foundFile struct {
	name   string
	err    error
	decode Decoder // nil for a calls file
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
	for name, err := range files(s.paths, s.from) {
		if errors.Is(err, errPacked) {
			s.packed = append(s.packed, name)
			continue
		}
		file := foundFile{name: name, err: err}
		if err == nil && s.decode != nil {
			file.decode, file.err = s.decoderOf(name)
		}
		s.files = append(s.files, file)
	}
	slices.SortStableFunc(s.files, func(a, b foundFile) int { return cmp.Compare(a.rank(), b.rank()) })
}

// rank puts files of other programs first: their labels go to the records of calls files.
func (f *foundFile) rank() int {
	if f.decode != nil {
		return 0
	}
	return 1
}

// decoderOf returns what reads a file of another program. The file is opened again later: many could not be open at once.
func (s *sharedBlocks) decoderOf(name string) (Decoder, error) {
	in, done, err := open(name, 0, nil)
	if err != nil {
		return nil, &LineError{name, 1, err}
	}
	defer done()
	return s.decode(name, headOf(in)), nil
}

// headOf returns the beginning of a file, as far as one read has it.
func headOf(in *bufio.Reader) []byte {
	_, _ = in.Peek(1)
	head, _ := in.Peek(in.Buffered())
	return head
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
	switch {
	case file.decode != nil:
		records := decodeBlocks(file.name, file.decode(in))
		s.current, s.done = records, func() { records.stop(); done() }
		return nil
	case isForeign(headOf(in)):
		done()
		return &LineError{file.name, 1, errForeign}
	}
	s.current, s.done = newBlocks(file.name, in), done
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

// rest yields what counts and was held until all files were read, to its first caller: lines, then what Decode returns for no file. It
// reports the copies.
func (s *sharedBlocks) rest(yield func(*block) bool) {
	s.mu.Lock()
	turns, names, packed, onCopies, decode := s.blocks, s.names, s.packed, s.onCopies, s.decode
	s.packed, s.decode = nil, nil
	s.mu.Unlock()
	lines := s.copies.rest(turns)
	for i := range lines {
		if lines[i].turn = turns + i; !yield(&lines[i].block) {
			return
		}
	}
	if decode != nil && !restOf(decode, turns+len(lines), yield) {
		return
	}
	if !s.all {
		s.copies.report(onCopies, names, packed)
	}
}

// restOf yields the records that Decode returns for no file.
func restOf(decode func(string, []byte) Decoder, turn int, yield func(*block) bool) bool {
	last := decode("", nil)
	if last == nil {
		return true
	}
	records := decodeBlocks("", last(bytes.NewReader(nil)))
	defer records.stop()
	for ; ; turn++ {
		b, err := records.next(nil)
		if err != nil {
			return true
		}
		if b.turn = turn; !yield(&b) {
			return false
		}
	}
}
