package meter

// seen has the newest ids of the background responses that were counted: they can be fetched as often as one likes.
type seen struct {
	ids   map[string]bool
	order []string
	next  int
}

// maxSeen bounds the memory for ids to about 1 MB.
const maxSeen = 10_000

// add adds an id, and reports whether it is new. The empty id is always new.
func (s *seen) add(id string) bool {
	if id == "" || s.ids[id] {
		return id == ""
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
	if len(s.order) < maxSeen {
		s.order = append(s.order, id)
		return true
	}
	delete(s.ids, s.order[s.next])
	s.order[s.next] = id
	s.next = (s.next + 1) % maxSeen
	return true
}
