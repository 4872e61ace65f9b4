package calls

import (
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// recordReader reads the lines of a file. It keeps what many lines repeat, so that it is allocated once.
type recordReader struct {
	d      jsonread.Decoder
	e      entry
	texts  shared[string]
	labels shared[map[string]string] // by their JSON
}

func newRecordReader() *recordReader {
	return &recordReader{texts: shared[string]{}, labels: shared[map[string]string]{}}
}

func (in *recordReader) read(line []byte) (Record, error) {
	if err := in.e.decode(&in.d, line); err != nil {
		return Record{}, err
	}
	if in.e.time.IsZero() {
		return Record{}, errNoTime
	}
	p, err := in.e.resolve()
	if err != nil {
		return Record{}, err
	}
	r, err := in.e.record(in)
	r.Provider = p
	return r, err
}

// shared has the values of texts that were read before. It is bounded, for files in which no text occurs twice; nil keeps nothing.
type shared[V any] map[string]V

// of returns the value of a text, which parse returns.
func (s shared[V]) of(text []byte, parse func([]byte) V) V {
	const most, longest = 1024, 1024
	value, known := s[string(text)]
	if known {
		return value
	}
	value = parse(text)
	if s == nil || len(text) > longest {
		return value
	}
	if len(s) == most {
		clear(s)
	}
	s[string(text)] = value
	return value
}
