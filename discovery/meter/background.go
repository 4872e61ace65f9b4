package meter

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

// background has the newest ids of responses that are made in the background, which can be fetched as often as one likes.
type background struct {
	ids   map[string]*held
	order []string
	next  int
}

// held is what was set aside for a response in the background; nothing once it was fetched, at a time.
type held struct {
	reserved []reservation
	at       time.Time
}

// maxHeldIDs bounds the memory for ids to about 2 MB.
const maxHeldIDs = 10_000

// take returns what was set aside for a response that ended, and reports whether it is fetched for the first time. The empty id is
// always new.
func (b *background) take(id string, at time.Time) (reserved []reservation, first bool) {
	h := b.ids[id]
	if h == nil {
		b.add(id, nil, at)
		return nil, true
	}
	if h.reserved == nil {
		return nil, false
	}
	reserved, h.reserved, h.at = h.reserved, nil, at
	return reserved, true
}

// taken is take for a record, and reports whether the record is a call. A record that fetched a response which was fetched before, perhaps
// by another program, is not a call.
func (b *background) taken(r *calls.Record) (reserved []reservation, first bool) {
	if !r.Complete || !endpoints.Fetches(r.Path, r.ID) {
		return nil, true
	}
	if h := b.ids[r.ID]; h != nil && h.reserved == nil && r.Time.Sub(h.at).Abs() >= endpoints.FetchedOnce {
		h.at = r.Time
		return nil, true
	}
	return b.take(r.ID, r.Time)
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
		b.add(id, reserved, time.Time{})
	}
}

// add adds an id in place of the oldest one. A response that was not fetched until then costs Budget.PerCall.
func (b *background) add(id string, reserved []reservation, at time.Time) {
	if id == "" {
		return
	}
	if b.ids == nil {
		b.ids = map[string]*held{}
	}
	b.ids[id] = &held{reserved, at}
	if len(b.order) < maxHeldIDs {
		b.order = append(b.order, id)
		return
	}
	settle(b.ids[b.order[b.next]].reserved, &unknown)
	delete(b.ids, b.order[b.next])
	b.order[b.next] = id
	b.next = (b.next + 1) % maxHeldIDs
}

// inBackground reports whether a response that was made in the background, or that was stored, is a call that is recorded now. One that
// is not ready keeps what was set aside for it, and has a record only if it is a stream that broke off.
func (c *call) inBackground(result *response.Result, stream bool) bool {
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
		return stream
	case result.Object == nil && !c.target.Stored:
		return true
	}
	return c.ended(result)
}

// ended takes over what was set aside for a response that ended, and reports whether it is recorded: once, and not if it failed or was
// canceled without counts, which costs nothing.
func (c *call) ended(result *response.Result) bool {
	reserved, first := c.meter.background.take(result.ID, c.sent)
	if c.target.Stored {
		c.reserved = reserved
	} else {
		settle(reserved, nil)
	}
	if first && result.Object != nil {
		return true
	}
	settle(c.reserved, nil)
	return false
}
