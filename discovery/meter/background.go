package meter

import (
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

// background has the newest ids of responses that are made in the background, which can be fetched as often as one likes.
type background struct {
	ids   map[string]*held
	order []string
	next  int
}

// held is what was set aside for a response in the background; nothing once it was fetched.
type held struct{ reserved []reservation }

// maxHeldIDs bounds the memory for ids to about 2 MB.
const maxHeldIDs = 10_000

// take returns what was set aside for a response that ended, and reports whether it is fetched for the first time. The empty id is
// always new.
func (b *background) take(id string) (reserved []reservation, first bool) {
	h := b.ids[id]
	if h == nil {
		b.add(id, nil)
		return nil, true
	}
	if h.reserved == nil {
		return nil, false
	}
	reserved, h.reserved = h.reserved, nil
	return reserved, true
}

// hold keeps what was set aside for a response that is not ready. One without an id cannot be recognized later, so that its cost stays
// unknown. If the id is there already, the request was repeated under an idempotency key.
func (b *background) hold(id string, reserved []reservation) {
	switch {
	case reserved == nil:
	case id == "":
		settle(reserved, &unknown)
	case b.ids[id] != nil:
		settle(reserved, nil)
	default:
		b.add(id, reserved)
	}
}

// add adds an id in place of the oldest one. A response that was not fetched until then costs Budget.PerCall.
func (b *background) add(id string, reserved []reservation) {
	if id == "" {
		return
	}
	if b.ids == nil {
		b.ids = map[string]*held{}
	}
	b.ids[id] = &held{reserved}
	if len(b.order) < maxHeldIDs {
		b.order = append(b.order, id)
		return
	}
	settle(b.ids[b.order[b.next]].reserved, &unknown)
	delete(b.ids, b.order[b.next])
	b.order[b.next] = id
	b.next = (b.next + 1) % maxHeldIDs
}

// maxSeen bounds the responses in each half of Meter.seen, which together take up to 4 MB.
const maxSeen = 1 << 16

// isCopy notes a record, and reports whether another record is of the same call, as package once defines it, and one of them fetched the
// response. Two programs that share a folder count other records of one call twice until they are restored.
func (m *Meter) isCopy(r *calls.Record) bool {
	fetched := 0
	if once.Fetches(r.Path, r.ID) {
		fetched = 1
	}
	of, added := m.seen.Add(once.Key(r.Provider, r.ID, r.Time), r.Time, fetched)
	return !added && of+fetched > 0
}

// taken reports whether the record of an earlier call, or of another program, is a new call, and returns what was set aside for it. Without
// final counts it is one: budgets are spent at least.
func (m *Meter) taken(r *calls.Record) (reserved []reservation, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !r.Complete && r.USD == "":
	case m.isCopy(r):
		return nil, false
	case once.Fetches(r.Path, r.ID):
		reserved, _ = m.background.take(r.ID)
	}
	return reserved, true
}

// inBackground reports whether a response that was made in the background, or that was stored, is a call that is recorded now. One that
// is not ready keeps what was set aside for it, and has a record only if it is a stream that broke off.
func (c *call) inBackground(r *calls.Record, result *response.Result) bool {
	c.meter.mu.Lock()
	defer c.meter.unlock()
	switch {
	case !result.Background: // a stored response, whose POST was counted
		return false
	case result.Pending && c.target.Stored:
		return false
	case result.Pending:
		c.meter.background.hold(result.ID, c.reserved)
		c.reserved = []reservation{}
		return r.Stream
	case result.Object == nil && !c.target.Stored:
		return true
	}
	return c.ended(r, result)
}

// ended takes over what was set aside for a response that ended, and reports whether it is recorded: once, and not if it failed or was
// canceled without counts, which costs nothing.
func (c *call) ended(r *calls.Record, result *response.Result) bool {
	reserved, first := c.meter.background.take(result.ID)
	if c.target.Stored {
		c.reserved = reserved
	} else {
		settle(reserved, nil)
	}
	if first && result.Object != nil && !c.meter.isCopy(r) {
		return true
	}
	settle(c.reserved, nil)
	return false
}
