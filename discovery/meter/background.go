package meter

import (
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

// held is kept for a background response until it's fetched complete.
type held struct {
	reserved []reservation
	// broken is set if the response's stream broke off. If the response is fetched later,
	// that's the same call.
	broken *calls.Record
}

// maxHeldIDs limits the memory for ids to a few MB.
const maxHeldIDs = 10_000

// take removes id's call and returns it, or the zero held if it isn't kept.
func (m *Meter) take(id string) held {
	h := m.held[id]
	delete(m.held, id)
	return h
}

// hold keeps the reservations for an unfinished response.
//
//   - Without an id the response can't be recognized later, so its cost stays unknown.
//   - A known id means that the request was repeated under an idempotency key.
//   - If there are too many, the oldest costs Budget.PerCall.
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

// addBroken counts a broken stream whose response isn't fetched.
func (m *Meter) addBroken(h held) {
	if h.broken != nil {
		_ = m.totals.Add(*h.broken) // what a Meter counts is valid
	}
}

// maxSeen limits the responses in each half of Meter.seen, which take up to 4 MB
// together.
const maxSeen = 1 << 16

// isCopy notes a record. It reports whether an earlier one is the same call (see package
// once) and either of them fetched the response. Two programs that share a directory
// count other duplicates twice, until the records are restored.
func (m *Meter) isCopy(r *calls.Record) bool {
	fetched := 0
	if once.Fetches(r.Path, r.ID) {
		fetched = 1
	}
	of, added := m.seen.Add(once.Key(r.Provider, r.ID, r.Time), r.Time, fetched)
	return !added && of+fetched > 0
}

// inBackground reports whether to record a background or stored response now.
//
//   - An unfinished response keeps its reservations. It's recorded only if it's a stream
//     that broke off.
//   - A finished response is recorded once, unless it failed or was canceled without
//     counts, which costs nothing.
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
