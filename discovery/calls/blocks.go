package calls

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The bounds of what is read of a calls file at a time, in bytes.
const (
	blockSize = 256 << 10
	maxLine   = 1 << 20
)

func longLine(most int) error { return fmt.Errorf("a line must not have more than %d bytes", most) }

var errLongLine = longLine(maxLine)

// block is a part of a file with whole lines.
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
