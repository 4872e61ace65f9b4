package response

import (
	"encoding/json"
	"maps"
)

// writes are the cache writes of Anthropic's usage object.
type writes struct {
	FiveMinutes int64 `json:"ephemeral_5m_input_tokens"`
	Hour        int64 `json:"ephemeral_1h_input_tokens"`
}

// merged is the usage object of a stream of Anthropic: later counts replace earlier ones, unless they are null. The cache writes by
// lifetime come first, and their sum may change later, with server tools. The members stay apart until the object is needed: to
// encode it and decode it again for each event takes quadratic time.
type merged struct {
	members map[string]json.RawMessage
	size    int
	// newer reports that the sum of the cache writes is newer than their lifetimes.
	newer bool
}

// memberSize is what a member takes in memory besides its text.
const memberSize = 100

// newMerged returns the usage object of the first event, which may be nil. It reports whether it is an object.
func newMerged(object []byte) (m *merged, ok bool) {
	m = &merged{members: make(map[string]json.RawMessage)}
	if object != nil && json.Unmarshal(object, &m.members) != nil {
		return nil, false
	}
	for name, value := range m.members {
		m.size += memberSize + len(name) + len(value)
	}
	return m, true
}

// add merges the usage object of a later event. It reports whether it is an object.
func (m *merged) add(object []byte) bool {
	var later map[string]json.RawMessage
	if json.Unmarshal(object, &later) != nil {
		return false
	}
	for name, value := range later {
		if string(value) != "null" {
			m.set(name, value)
		}
	}
	kinds := later["cache_creation"]
	m.newer = kinds == nil || string(kinds) == "null"
	return true
}

func (m *merged) set(name string, value json.RawMessage) {
	if old, known := m.members[name]; known {
		m.size -= memberSize + len(name) + len(old)
	}
	m.members[name] = value
	m.size += memberSize + len(name) + len(value)
}

// object returns the usage object so far, or nil if its members are not JSON.
func (m *merged) object() []byte {
	members := m.members
	if m.newer {
		members = maps.Clone(members)
		breakDown(members)
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return text
}

// breakDown divides the cache writes by lifetime again, if they are not their sum any more. All are of the only lifetime that
// there was, or for five minutes. If there were both, those that came later may be of either: they are a count that is not known.
func breakDown(object map[string]json.RawMessage) {
	const unknown = "unknown_cache_creation_input_tokens"
	var (
		kinds writes
		sum   int64
	)
	if json.Unmarshal(object["cache_creation"], &kinds) != nil || json.Unmarshal(object["cache_creation_input_tokens"], &sum) != nil ||
		string(object["cache_creation"]) == "null" || kinds.FiveMinutes < 0 || kinds.Hour < 0 || sum < 0 {
		return
	}
	switch rest := sum - kinds.FiveMinutes - kinds.Hour; {
	case rest == 0:
		return
	case kinds.Hour == 0 || sum == 0:
		kinds = writes{FiveMinutes: sum}
	case kinds.FiveMinutes == 0:
		kinds = writes{Hour: sum}
	default:
		kinds.Hour = min(kinds.Hour, sum)
		kinds.FiveMinutes = sum - kinds.Hour
		object[unknown] = json.RawMessage("1")
	}
	object["cache_creation"], _ = json.Marshal(kinds)
}
