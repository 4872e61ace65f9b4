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

type sharedBlocks struct {
	mu    sync.Mutex
	paths []string
	from  string // first day in file names, or ""
	// onRead, unless nil, is called after each read.
	onRead func(bytes int)
	// begun is set once the paths were listed. Files are opened later, one at a time.
	begun bool
	files []foundFile
	// names[n-1] is file n. packed lists compressed copies, which are skipped.
	names, packed []string
	// all is set to yield copies, too. blocks is the number of blocks read.
	all      bool
	blocks   int
	copies   copies
	onCopies func(Copies)
	// nil between files
	current blockReader
	done    func()
	decode  func(path string, head []byte) Decoder
}

type blockReader interface {
	next(buffer []byte) (block, error)
}

type foundFile struct {
	place
	err    error
	decode Decoder // nil for a calls file
}

var errNoMore = errors.New("there are no more blocks")

// next returns the next block. After an error in a file or line, the following call
// continues with what comes next. errNoMore ends the source.
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

func (s *sharedBlocks) turn(b block, err error) (block, error) {
	b.number, b.turn = len(s.names), s.blocks
	if !errors.Is(err, errNoMore) {
		s.blocks++
	}
	return b, err
}

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

// rank puts other programs' files first, because Options.Join needs their labels for
// calls files.
func (f *foundFile) rank() int {
	if f.decode != nil {
		return 0
	}
	return 1
}

// decoderOf closes the file again: too many could be open at once.
func (s *sharedBlocks) decoderOf(at place) (Decoder, error) {
	in, done, err := at.open(0, nil)
	if err != nil {
		return nil, &LineError{at.name, 1, err}
	}
	defer done()
	return s.decode(at.name, headOf(in)), nil
}

// headOf returns the bytes from the first read, without waiting for more.
func headOf(in *bufio.Reader) []byte {
	_, _ = in.Peek(1)
	head, _ := in.Peek(in.Buffered())
	return head
}

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
	s.begun, s.files, s.onCopies = true, nil, func(Copies) {} // reading ended early, so don't report
	s.close()
	s.copies.drop()
}

// rest yields held lines, then Decode's records for an empty path, and reports copies.
// Only the first caller gets any.
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

// in bytes
const (
	blockSize = 256 << 10
	maxLine   = 1 << 20
)

func longLine(most int) error { return fmt.Errorf("a line must not have more than %d bytes", most) }

var errLongLine = longLine(maxLine)

// block has whole lines.
type block struct {
	file string
	line int // first line number
	data []byte
	// records from Options.Decode; data is then empty
	records []Record
	errs    []error // errors for records, or nil
	// file number from 1, and block number
	number, turn int
}

type blocks struct {
	file string
	in   io.Reader
	line int // next line number
	// in bytes
	longest int
	rest    []byte // a line's beginning
	err     error
}

func newBlocks(file string, in io.Reader) *blocks {
	return &blocks{file: file, in: in, line: 1, longest: maxLine}
}

// next returns the lines that are there, without waiting for more. Its error is io.EOF at
// the end, a *LineError for a long line, after which the next block follows, or a read
// error.
func (b *blocks) next(buffer []byte) (block, error) {
	data := buffer[:0]
	data = append(data, b.rest...)
	b.rest = b.rest[:0]
	if b.err != nil { // perhaps from discard, which left data
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

// A last line without a line break counts: a killed program left it, whole or not, and
// only decoding shows which.
func (b *blocks) last(data []byte, err error) (block, error) {
	if b.err = err; !errors.Is(err, io.EOF) {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(data) == 0 {
		return b.fail(data)
	}
	return b.block(data), nil
}

// fail returns b.err once, then io.EOF.
func (b *blocks) fail(data []byte) (block, error) {
	err := b.err
	b.err = io.EOF
	if !errors.Is(err, io.EOF) {
		err = &LineError{b.file, b.line, err}
	}
	return block{data: data[:0]}, err
}

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
