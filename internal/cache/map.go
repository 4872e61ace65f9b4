package cache

import "sync"

// Map has a [Value] for each key. The zero Map is empty and ready to use, may be used
// concurrently, and must not be copied.
type Map[K comparable, T any] struct {
	mu     sync.Mutex
	values map[K]*Value[T]
}

// maxValues bounds a Map. Few programs have more than two keys. A full Map is emptied.
const maxValues = 32

// Value returns the Value for a key.
func (m *Map[K, T]) Value(key K) *Value[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := m.values[key]; v != nil {
		return v
	}
	if m.values == nil || len(m.values) >= maxValues {
		m.values = make(map[K]*Value[T])
	}
	v := new(Value[T])
	m.values[key] = v
	return v
}

// Clear removes all Values. A load in progress continues, but its result isn't cached for
// later callers.
func (m *Map[K, T]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.values)
}
