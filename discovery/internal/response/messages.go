package response

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

func (r *Reader) messageStart(d *Document) {
	r.name(d)
	r.usage, r.merged, r.started = d.used(), nil, true
}

// messageDelta merges the counts so far. The final ones come with a stop reason.
func (r *Reader) messageDelta(d *Document) {
	used := d.used()
	if used == nil {
		return
	}
	r.merge(used)
	r.setCharged(used)
	r.final = r.final || d.stopped && r.started
}

// merge adds a usage object to the earlier ones. If one of them isn't a JSON object, it
// keeps only the new one, and parsing that reports any error.
func (r *Reader) merge(used []byte) {
	m, ok := r.merged, true
	if m == nil {
		m, ok = newMerged(r.usage)
	}
	if ok && m.add(used) {
		r.usage, r.merged = nil, m
		return
	}
	r.usage, r.merged = used, nil
}

// merged is the usage object in an Anthropic stream: later counts replace earlier ones,
// unless they are null. Cache writes by lifetime come first, and server tools may change
// their sum later. Members stay separate until the object is needed, since encoding it
// for each event takes quadratic time.
type merged struct {
	members map[string][]byte // as in the object: "name":value
	size    int
	// newer is set if the last usage object lacks the lifetimes, so they may no longer add
	// up.
	newer bool
}

const creation = "cache_creation"

// memory per member in addition to its text
const memberSize = 100

// newMerged starts with the first usage object, or nil. It reports whether it is an
// object.
func newMerged(object []byte) (m *merged, ok bool) {
	m = &merged{members: map[string][]byte{}}
	return m, object == nil || m.add(object)
}

// add merges a later usage. It reports false if that isn't a JSON object.
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

// breakDown splits the cache writes by lifetime again if they no longer add up to the
// sum. All go to the only lifetime seen so far, or to five minutes. If both were seen,
// the later writes may be either, so an unknown count is added.
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
