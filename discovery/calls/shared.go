package calls

import (
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// own copies a string. Many share one allocation.
func (in *decoder) own(text []byte) string {
	const chunk = 4 << 10 // kept as long as any string in it
	if in.texts == nil || len(text) > chunk/4 || !utf8.Valid(text) {
		return jsonread.Text(text)
	}
	begin := in.owned.Len()
	if begin+len(text) > in.owned.Cap() {
		in.owned.Reset()
		in.owned.Grow(chunk)
		begin = 0
	}
	in.owned.Write(text)
	return in.owned.String()[begin:]
}

// Limits, in case nothing repeats.
const (
	maxShared     = 1024
	longestShared = 1024
)

// shared caches the first values by their text. A nil map caches nothing.
type shared[V any] map[string]V

// of returns the cached value for text, or else parses it.
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

// interned allocates a repeated string once. A nil map always allocates.
type interned map[string]string

func (i interned) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	text, known := i[string(b)]
	if known {
		return text
	}
	if text = jsonread.Text(b); len(b) > longestShared {
		return argument.Cut(text, argument.MaxText) // as a Log does
	}
	if i != nil {
		if len(i) == maxShared {
			clear(i)
		}
		i[text] = text
	}
	return text
}
