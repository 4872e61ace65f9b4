package response

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// merged is the usage object of a stream of Anthropic: later counts replace earlier ones, unless they are null. The cache writes by
// lifetime come first, and their sum may change later, with server tools. The members stay apart until the object is needed: to
// encode it and decode it again for each event takes quadratic time.
type merged struct {
	members map[string][]byte // as in the object: "name":value
	size    int
	// newer reports that the sum of the cache writes is newer than their lifetimes.
	newer bool
}

const creation = "cache_creation"

// memberSize is what a member takes in memory besides its texts.
const memberSize = 100

// newMerged returns the usage object of the first event, which may be nil. It reports whether it is an object.
func newMerged(object []byte) (m *merged, ok bool) {
	m = &merged{members: map[string][]byte{}}
	return m, object == nil || m.add(object)
}

// add merges the usage object of a later event. It reports whether it is an object.
func (m *merged) add(object []byte) bool {
	var d jsonread.Decoder
	d.Reset(object)
	m.newer = true
	members, begin := d.Object(), d.Mark()
	for ; members.Next(); begin = d.Mark() {
		name := string(members.Key())
		value, err := d.Raw()
		if err != nil {
			return false
		}
		if string(value) != "null" {
			m.newer = m.newer && name != creation
			m.set(name, bytes.Clone(bytes.TrimLeft(d.Since(begin), ", \t\r\n")))
		}
	}
	return members.Err() == nil
}

func (m *merged) set(name string, text []byte) {
	if old, known := m.members[name]; known {
		m.size -= memberSize + len(name) + len(old)
	}
	m.members[name] = text
	m.size += memberSize + len(name) + len(text)
}

// object returns the usage object so far.
func (m *merged) object() []byte {
	object := join(m.members)
	if w, ok := usage.CacheWrites(object); m.newer && ok {
		members := maps.Clone(m.members)
		breakDown(members, w)
		return join(members)
	}
	return object
}

func join(members map[string][]byte) []byte {
	texts := slices.SortedFunc(maps.Values(members), bytes.Compare)
	return slices.Concat([]byte("{"), bytes.Join(texts, []byte(",")), []byte("}"))
}

// breakDown divides the cache writes by lifetime again, if they are not their sum any more. All are of the only lifetime that
// there was, or for five minutes. If there were both, those that came later may be of either: they are a count that is not known.
func breakDown(members map[string][]byte, w usage.Writes) {
	switch {
	case w.Sum == w.FiveMinutes+w.Hour:
		return
	case w.Hour == 0 || w.Sum == 0:
		w.FiveMinutes, w.Hour = w.Sum, 0
	case w.FiveMinutes == 0:
		w.Hour = w.Sum
	default:
		w.Hour = min(w.Hour, w.Sum)
		w.FiveMinutes = w.Sum - w.Hour
		members["unknown"] = []byte(`"unknown_cache_creation_input_tokens":1`)
	}
	members[creation] = fmt.Appendf(nil, `"%s":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}`, creation, w.FiveMinutes, w.Hour)
}
