package client

import (
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// lastClaim is the last known claim on a message.
type lastClaim struct {
	number  int
	since   string // when it was made, by the gateway's clock
	id      int64
	givenUp bool
}

// longClaim is for how many leases another server has a message before that is logged.
const longClaim = 5

// awaitLease waits without the slot of the job until the last claim, which is that of another server, has not been renewed for a
// lease. No clocks are compared: the lease begins when this server finds the claim. While the gateway is away no server can
// renew a claim, so two looks must follow a failure, between which the other one tries again.
func (s *server) awaitLease(ctx context.Context, j *job, last *lastClaim) (open bool) {
	<-j.slots
	j.message.Content, j.message.AdditionalProperties = nil, nil // many messages may be waiting
	pause := s.opts.Lease / looksPerLease
	for quiet := 0; quiet < looksPerLease; {
		if s.client.sleep(ctx, pause) != nil {
			return false
		}
		pause = s.opts.Lease / looksPerLease
		renewed, open, err := s.look(ctx, j, last)
		switch {
		case err != nil:
			pause, quiet = pause/2, min(quiet, looksPerLease-2)
		case !open:
			s.finish(j.message)
			return false
		case last.givenUp: // before this server was started
			return s.acquire(ctx, j.slots)
		case renewed:
			quiet = 0
		default:
			quiet++
		}
	}
	return s.acquire(ctx, j.slots)
}

// look reports whether another server has renewed its claim on a message, and whether the message is open: unread, and not given up since
// this server was started.
func (s *server) look(ctx context.Context, j *job, last *lastClaim) (renewed, open bool, err error) {
	if j.looks++; j.looks == longClaim*looksPerLease {
		s.client.log.WarnContext(ctx, "another server has had a message for several leases", "node", s.client.shownNode, "message", j.message.ID, "claims", last.number+1)
	}
	before := last.number
	if err := s.update(ctx, j.message, last); err != nil {
		return false, false, err
	}
	if last.number > before {
		return true, !last.givenUp || last.id < s.started, nil
	}
	m, err := s.find(ctx, j.message, withoutContents)
	return false, m != nil, err
}

// update finds the last claim on a message. Everybody with a token can forge claims with any number, but real ones have
// no gaps, apart from those that a full list hides.
func (s *server) update(ctx context.Context, m MeshMessage, last *lastClaim) error {
	opts := FetchOptions{ToNode: claimNode, FromNode: s.client.node, Kind: KindStatus, Limit: maxLimit}
	rows, limit, err := s.check.fetchSince(ctx, opListMessages, MeshMessage{CreatedAt: last.since}, opts)
	if err != nil {
		return err
	}
	later, next := make(map[int]MeshMessage), last.number+1
	for _, row := range rows {
		if n := s.claimNumber(m, row); n > last.number {
			later[n] = row // the oldest one
		}
	}
	if len(rows) >= limit && len(later) > 0 {
		next = slices.Min(slices.Collect(maps.Keys(later)))
	}
	for claim, ok := later[next]; ok; claim, ok = later[next] {
		*last = lastClaim{next, claim.CreatedAt, claim.ID, strings.HasSuffix(claim.GetContent(), " "+claimGivenUp)}
		next++
	}
	return nil
}

// claimNumber returns the number of a claim on a message, or -1 if it is another one.
func (s *server) claimNumber(m, claim MeshMessage) int {
	text, ok := strings.CutPrefix(claim.GetContent(), claimKey(m))
	number, _, _ := strings.Cut(text, " ")
	n, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil || claim.FromNode != s.client.node || claim.ToNode != claimNode {
		return -1
	}
	return int(n)
}

// find returns a message from the unread ones, or nil if it is not among them any more. It looks twice, since a response may be a mistake of
// the gateway.
func (s *server) find(ctx context.Context, m MeshMessage, filter func(io.Reader) io.Reader) (*MeshMessage, error) {
	op := opListMessages
	op.filter, op.needsBody = filter, true
	opts := s.check.similar(m)
	opts.UnreadOnly = true
	for range 2 {
		row, hidden, err := s.check.find(ctx, op, m, opts)
		if err == nil && hidden {
			err = pollError("newer messages hide message %d", m.ID)
		}
		if err != nil || row != nil {
			return row, err
		}
	}
	return nil, nil //nolint:nilnil // see above
}
