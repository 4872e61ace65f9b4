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

type line struct {
	number int
	text   []byte
	whole  bool  // ends with a line break
	err    error // can't be read
}

// linesOf yields non-blank lines. A line's text is only valid until the next one. If the
// first line is just "{", the whole file is yielded as one line.
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

type lineReader struct {
	in   *bufio.Reader
	long []byte // a line longer than the buffer
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

// all returns first and the rest of the file as one line.
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

func (f *file) readLine(l line) error {
	if l.err != nil {
		return l.err
	}
	f.Reset(l.text)
	f.number, f.wrong = int32(l.number), nil //nolint:gosec // fewer lines
	if f.Next() == jsonread.Object {
		f.read()
	}
	if !f.AtEnd() {
		f.fail(errLine)
	}
	if errors.Is(f.wrong, errLine) && !l.whole {
		return errCut
	}
	return f.wrong
}
