package calls

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
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
	place
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
	for at, err := range files(s.paths, s.from) {
		if errors.Is(err, errPacked) {
			s.packed = append(s.packed, at.name)
			continue
		}
		file := foundFile{place: at, err: err}
		if err == nil && s.decode != nil {
			file.decode, file.err = s.decoderOf(at)
		}
		s.files = append(s.files, file)
	}
	slices.SortStableFunc(s.files, func(a, b foundFile) int { return cmp.Compare(a.rank(), b.rank()) })
}

// rank puts foreign files first: their labels go to records in calls files.
func (f *foundFile) rank() int {
	if f.decode != nil {
		return 0
	}
	return 1
}

// decoderOf returns a foreign file's decoder. The file is opened again later, since many can't be
// open at once.
func (s *sharedBlocks) decoderOf(at place) (Decoder, error) {
	in, done, err := at.open(0, nil)
	if err != nil {
		return nil, &LineError{at.name, 1, err}
	}
	defer done()
	return s.decode(at.name, headOf(in)), nil
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
	in, done, err := file.open(0, s.onRead)
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

// The bounds of what is read of a calls file at a time, in bytes.
const (
	blockSize = 256 << 10
	maxLine   = 1 << 20
)

func longLine(most int) error { return fmt.Errorf("a line must not have more than %d bytes", most) }

var errLongLine = longLine(maxLine)

// block is a file section with whole lines.
type block struct {
	file string
	line int // number of the first line
	data []byte
	// records are those of a file of another program, which has no data.
	records []Record
	errs    []error // of records, nil for each that has none
	// number is the number of the file among all that are read, from 1 on, and turn the number of blocks before this one.
	number, turn int
}

// blocks reads a file in blocks.
type blocks struct {
	file string
	in   io.Reader
	line int // number of the next line
	// longest is the largest number of bytes of a line.
	longest int
	rest    []byte // start of a line whose end was not read
	err     error
}

func newBlocks(file string, in io.Reader) *blocks {
	return &blocks{file: file, in: in, line: 1, longest: maxLine}
}

// next reads a block into buffer. It returns the lines that are there, without waiting for more. The error is io.EOF at the end of
// the file, a *LineError for a line that is too long, after which the next block follows, or the error of the file.
func (b *blocks) next(buffer []byte) (block, error) {
	data := buffer[:0]
	data = append(data, b.rest...)
	b.rest = b.rest[:0]
	if b.err != nil { // perhaps of the read that discard ended with, whose other bytes are in data
		return b.last(data, b.err)
	}
	for {
		grown := grow(data)
		n, err := b.in.Read(grown[len(data):cap(grown)])
		data = grown[:len(data)+n]
		end := bytes.LastIndexByte(data, '\n') + 1
		switch {
		case err != nil:
			return b.last(data, err)
		case end > 0:
			b.rest = append(b.rest, data[end:]...)
			return b.block(data[:end]), nil
		case len(data) > b.longest:
			return block{data: data[:0]}, b.discard()
		}
	}
}

// grow returns data with room for more.
func grow(data []byte) []byte {
	const room = blockSize / 4
	if cap(data)-len(data) >= room {
		return data
	}
	return append(make([]byte, 0, max(blockSize, 2*cap(data))), data...)
}

func (b *blocks) block(data []byte) block {
	read := block{file: b.file, line: b.line, data: data}
	b.line += bytes.Count(data, []byte{'\n'})
	return read
}

// last returns what was read before the end of the file, or before an error. A last line without a line break counts: a program
// that was killed has left it, whole or not, and only decoding it shows which.
func (b *blocks) last(data []byte, err error) (block, error) {
	if b.err = err; !errors.Is(err, io.EOF) {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(data) == 0 {
		return b.fail(data)
	}
	return b.block(data), nil
}

// fail returns the error that ends the file, and io.EOF after that.
func (b *blocks) fail(data []byte) (block, error) {
	err := b.err
	b.err = io.EOF
	if !errors.Is(err, io.EOF) {
		err = &LineError{b.file, b.line, err}
	}
	return block{data: data[:0]}, err
}

// discard skips the rest of a line that is too long.
func (b *blocks) discard() error {
	tooLong := &LineError{b.file, b.line, longLine(b.longest)}
	buffer := make([]byte, 32<<10)
	for {
		n, err := b.in.Read(buffer)
		if end := bytes.IndexByte(buffer[:n], '\n'); end >= 0 {
			b.rest = append(b.rest[:0], buffer[end+1:n]...)
			b.line++
			b.err = err
			return tooLong
		}
		if err != nil {
			b.err = err
			return tooLong
		}
	}
}
