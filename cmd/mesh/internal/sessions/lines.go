package sessions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

const longestLine = 16 << 20

var (
	errLine = errors.New("the line is not a JSON object")
	errCut  = errors.New("the end of the line is missing")
	errLong = fmt.Errorf("a line must not have more than %d bytes", longestLine)
)

// line is a line that is not blank.
type line struct {
	number int
	text   []byte
	whole  bool  // it ends with a line break
	err    error // of the line or the file
}

// linesOf yields the lines of a file, each valid until the next one. A file that is one object is one line.
func linesOf(in io.Reader) iter.Seq[line] {
	return func(yield func(line) bool) {
		r := lineReader{in: bufio.NewReaderSize(in, 256<<10)}
		for number := 1; ; number++ {
			text, err := r.next()
			if number == 1 && string(bytes.TrimSpace(text)) == "{" {
				text, err = r.all(text)
			}
			l := line{number: number, text: text, whole: bytes.HasSuffix(text, []byte{'\n'})}
			if !errors.Is(err, io.EOF) {
				l.err = err
			}
			if (l.err != nil || len(bytes.TrimSpace(text)) > 0) && !yield(l) {
				return
			}
			if err != nil && !errors.Is(err, errLong) {
				return
			}
		}
	}
}

// lineReader reads a file in linear time.
type lineReader struct {
	in   *bufio.Reader
	long []byte // a line that the buffer does not have at once
}

func (r *lineReader) next() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return text, err
	}
	if cap(r.long) > longestLine/4 {
		r.long = nil
	}
	r.long = append(r.long[:0], text...)
	for errors.Is(err, bufio.ErrBufferFull) {
		text, err = r.in.ReadSlice('\n')
		if len(r.long) <= longestLine {
			r.long = append(r.long, text...)
		}
	}
	if len(r.long) > longestLine {
		if err == nil {
			err = errLong
		}
		return nil, errors.Join(errLong, err)
	}
	return r.long, err
}

// all reads the rest of a file whose first line was read.
func (r *lineReader) all(first []byte) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r.in, longestLine+1))
	if text = append(bytes.Clone(first), text...); err == nil {
		err = io.EOF
	}
	if len(text) > longestLine {
		return nil, errors.Join(errLong, io.EOF)
	}
	return bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '}), err
}

// objectOf begins to read a line.
func (f *file) readLine(l line) error {
	if l.err != nil {
		return l.err
	}
	if f.take == nil {
		return f.text(l)
	}
	f.Reset(l.text)
	f.number, f.wrong = int32(l.number), nil //nolint:gosec // fewer lines
	if f.Next() == jsonread.Object {
		f.read()
	}
	if !f.AtEnd() {
		f.fail(errLine)
	}
	return f.cut(l, f.wrong)
}

// cut returns the error of a line, of which the end may be missing.
func (f *file) cut(l line, err error) error {
	if errors.Is(err, errLine) && !l.whole {
		return errCut
	}
	return err
}
