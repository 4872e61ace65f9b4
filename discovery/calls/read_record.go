package calls

import (
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// recordReader reads the lines of a file. It keeps what many lines repeat, so that it is allocated once.
type recordReader struct {
	d      jsonread.Decoder
	e      entry
	texts  interned
	labels shared[map[string]string] // by their JSON
	// names are the names and values of labels, which many sets of labels have.
	names interned
}

func newRecordReader() *recordReader {
	return &recordReader{texts: interned{}, labels: shared[map[string]string]{}, names: interned{}}
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

// call is Record.Call of the record that was read last.
func (in *recordReader) call(r *Record) (prices.Call, error) {
	if in.e.usage != nil && in.e.usageErr == nil {
		if used, err := in.e.counts.Usage(in.e.form(r.Provider)); err == nil {
			return r.call(r.Provider, prices.Usage(used), nil), nil
		}
	}
	return r.Call() // whose error is that of prices.ParseUsage
}

// The bounds of what a reader keeps, for files in which no text occurs twice.
const (
	maxShared     = 1024
	longestShared = 1024
)

// shared has the values of the first texts that were read; nil keeps nothing.
type shared[V any] map[string]V

// of returns the value of a text, which parse returns.
func (s shared[V]) of(text []byte, parse func([]byte) V) V {
	value, known := s[string(text)]
	if !known {
		value = parse(text)
		if s != nil && len(s) < maxShared && len(text) <= longestShared {
			s[string(text)] = value
		}
	}
	return value
}

// interned has texts that were read before, so that each is allocated once. nil keeps nothing.
type interned map[string]string

func (i interned) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	text, known := i[string(b)]
	if known {
		return text
	}
	text = jsonread.Text(b)
	if i != nil && len(b) <= longestShared {
		if len(i) == maxShared {
			clear(i)
		}
		i[text] = text
	}
	return text
}
