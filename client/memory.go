package client

// memory is which messages a Watch has yielded, as long as they may still come back.
type memory struct {
	// absent counts, for every id yielded, the whole windows in a row that were without it.
	absent map[int64]int
	// largest is the most rows that a window has had.
	largest int
}

// forgetAfter is how many whole windows in a row have to be without an id before it is forgotten. A message that was read
// never becomes unread again, so one would do if gateways never erred.
const forgetAfter = 3

func newMemory() *memory { return &memory{absent: make(map[int64]int)} }

func (m *memory) has(id int64) bool {
	_, ok := m.absent[id]
	return ok
}

func (m *memory) add(id int64) { m.absent[id] = 0 }

// observe takes in a window, and forgets what has been read. Only a window that shows every unread message says anything
// about those it does not show; one with as many rows as any before may have been cut, by a limit of the gateway's own too.
func (m *memory) observe(rows []MeshMessage) {
	m.largest = max(m.largest, len(rows))
	shown := make(map[int64]bool, len(rows))
	for _, row := range rows {
		shown[row.ID] = true
	}
	for id := range m.absent {
		switch {
		case shown[id]:
			m.absent[id] = 0
		case len(rows) < m.largest:
			m.absent[id]++
		}
		if m.absent[id] >= forgetAfter {
			delete(m.absent, id)
		}
	}
}
