package meter

import (
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

// held is what was set aside for a response that is made in the background, which can be fetched as often as one likes.
type held struct {
	reserved []reservation
	// broken is the record of the stream of the response, if it broke off: the response that is fetched later is the same call.
	broken *calls.Record
}

// maxHeldIDs bounds the memory for ids to a few MB.
const maxHeldIDs = 10_000

// take returns what is held for a response that ended; nothing if it was taken before.
func (m *Meter) take(id string) held {
	h := m.held[id]
	delete(m.held, id)
	return h
}

// hold keeps what was set aside for a response that is not ready. One without an id cannot be recognized later, so that its cost stays
// unknown. If the id is there already, the request was repeated under an idempotency key. The oldest of too many costs Budget.PerCall.
func (m *Meter) hold(id string, reserved []reservation) {
	if id == "" {
		settle(reserved, &unknown)
		return
	}
	if _, repeated := m.held[id]; repeated {
		settle(reserved, nil)
		return
	}
	m.held[id] = held{reserved: reserved}
	m.heldIDs = append(m.heldIDs, id)
	if len(m.heldIDs) > maxHeldIDs {
		oldest := m.take(m.heldIDs[0])
		m.heldIDs = m.heldIDs[1:]
		settle(oldest.reserved, &unknown)
		m.addBroken(oldest)
	}
}

// addBroken adds the stream of a response that is not fetched to the sums.
func (m *Meter) addBroken(h held) {
	if h.broken != nil {
		_ = m.totals.Add(*h.broken) // what a Meter counts is valid
	}
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

// inBackground reports whether a response that was made in the background, or that was stored, is a call that is recorded now. One that
// is not ready keeps what was set aside for it, and has a record only if it is a stream that broke off. One that ended is recorded once,
// and not if it failed or was canceled without counts, which costs nothing.
func (c *call) inBackground(r *calls.Record, result *response.Result) bool {
	m := c.meter
	m.mu.Lock()
	defer m.unlock()
	switch {
	case !result.Background: // a stored response, whose POST was counted
		return false
	case result.Pending && c.target.Stored:
		return false
	case result.Pending:
		m.hold(result.ID, c.reserved)
		c.reserved = []reservation{}
		return r.Stream
	case result.Object == nil && !c.target.Stored:
		return true
	}
	h := m.take(result.ID)
	if c.target.Stored {
		c.reserved = h.reserved
	} else {
		settle(h.reserved, nil)
	}
	if result.Object != nil && !m.isCopy(r) {
		return true
	}
	settle(c.reserved, nil)
	m.addBroken(h)
	return false
}
