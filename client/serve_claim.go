package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// claimNode is the recipient of claims. No node has this name, so that claims are in no inbox.
const claimNode = "claims"

// errKeysIgnored reports a gateway at which servers cannot share messages.
var errKeysIgnored = errors.New("the gateway ignores idempotency keys, so that ServeOptions.Lease has no effect; it must be 0")

// claim waits until this server may handle the message of a job, which one server at a time may. A claim is a message under an
// idempotency key that all servers use: the gateway accepts the content of the first one, which has its identity. It begins with the slot
// of the job. If it returns false, the job is over and has no slot: another server has finished the message, or ctx has ended.
func (s *server) claim(ctx context.Context, j *job) bool {
	n, mine := 0, false
	for {
		if !s.repeat(ctx, j, func() (err error) { mine, err = s.take(ctx, j.message, n); return err }) {
			return false
		}
		if mine {
			break
		}
		var open bool
		if n, open = s.awaitLease(ctx, j, n); !open {
			return false
		}
	}
	s.renewWhileActive(j.message, n) //nolint:contextcheck // a claim is renewed until the handler returns, also after ctx has ended
	if n == 0 {
		return true
	}
	// Another server may have finished the message just before the claim. The content is not in memory any more.
	var m *MeshMessage
	if !s.repeat(ctx, j, func() (err error) { m, err = s.find(ctx, j.message, nil); return err }) {
		return false
	}
	if m == nil {
		s.finish(j.message)
		<-j.slots
		return false
	}
	j.message = *m
	return true
}

// repeat calls do until it succeeds, and pauses without the slot of the job. It returns false if ctx ends.
func (s *server) repeat(ctx context.Context, j *job, do func() error) bool {
	for failures := 1; ; failures++ {
		err := do()
		switch {
		case err == nil:
			return true
		case isAway(err):
			s.reach.suspect(err)
		default:
			s.report(MeshMessage{}, err)
		}
		if !s.pause(ctx, j, RetryPause(err, failures)) {
			s.finish(j.message)
			return false
		}
	}
}

// claimKey returns the beginning of the idempotency keys of the claims on a message. A gateway with a new database reuses ids.
func claimKey(m MeshMessage) string {
	return fmt.Sprintf("claim-%d-%s-", m.ID, digest(m.CreatedAt)[:16])
}

// take claims a message for the nth time, and reports whether the claim is this server's.
func (s *server) take(ctx context.Context, m MeshMessage, n int) (bool, error) {
	return s.postClaim(ctx, claimKey(m)+strconv.Itoa(n), s.identity)
}

func (s *server) postClaim(ctx context.Context, key, identity string) (bool, error) {
	_, err := s.client.post(ctx, claimNode, SendRequest{Kind: KindStatus, Content: key + " " + identity, IdempotencyKey: key}, true)
	switch {
	case err == nil, isDelivered(err):
		return true, nil
	case statusOf(err) == http.StatusConflict:
		return false, nil
	}
	return false, err
}

// checkKeys returns an error unless the gateway refuses another message under the key of an earlier one.
func (s *server) checkKeys(ctx context.Context) error {
	key := "claim-" + s.identity
	if _, err := s.postClaim(ctx, key, "first"); err != nil {
		return err
	}
	if mine, err := s.postClaim(ctx, key, "second"); err != nil || !mine {
		return err
	}
	return opSend(true, true).fails(errKeysIgnored)
}

// looksPerLease is how often a server looks at a message that another one has claimed, and how often that one renews its claim, in a
// lease.
const looksPerLease = 3

// awaitLease waits without the slot of the job until the nth claim, which is that of another server, or a later one has not been renewed for a
// lease. It returns the number of the next claim. No clocks are compared: the lease begins when this server finds the claim. While the
// gateway is away no server can renew a claim, so the lease begins again.
func (s *server) awaitLease(ctx context.Context, j *job, n int) (next int, open bool) {
	<-j.slots
	j.message.Content, j.message.AdditionalProperties = nil, nil // many messages may be waiting
	for looks := 1; looks <= looksPerLease; looks++ {
		if s.client.sleep(ctx, s.opts.Lease/looksPerLease) != nil {
			return 0, false
		}
		m, err := s.find(ctx, j.message, withoutContents)
		if err == nil && m == nil {
			s.finish(j.message)
			return 0, false
		}
		last := n
		if err == nil && looks == looksPerLease {
			last, err = s.lastClaim(ctx, j.message, n)
		}
		if err != nil || last > n {
			n, looks = last, 0
		}
	}
	return n + 1, s.acquire(ctx, j.slots)
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

// lastClaim returns the number of the last claim on a message, at least n.
func (s *server) lastClaim(ctx context.Context, m MeshMessage, n int) (int, error) {
	opts := FetchOptions{ToNode: claimNode, FromNode: s.client.node, Kind: KindStatus, Limit: maxLimit}
	claims, _, err := s.check.fetchSince(ctx, opListMessages, m, opts)
	for _, claim := range claims {
		number, _, _ := strings.Cut(strings.TrimPrefix(claim.GetContent(), claimKey(m)), " ")
		if last, err := strconv.Atoi(number); err == nil {
			n = max(n, last)
		}
	}
	return n, err
}

// renewWhileActive renews the nth claim on a message until this server has finished with it.
func (s *server) renewWhileActive(m MeshMessage, n int) {
	ctx, cancel := context.WithCancel(s.handling)
	s.active.Store(keyOf(m), (func())(cancel))
	s.renewals.Go(func() {
		for pause := s.opts.Lease / looksPerLease; s.client.sleep(ctx, pause) == nil; {
			mine, err := s.take(ctx, m, n+1)
			switch {
			case err != nil:
				pause = s.opts.Lease / looksPerLease / 2
			case !mine:
				return // another server has taken the message over
			default:
				pause, n = s.opts.Lease/looksPerLease, n+1
			}
		}
	})
}
