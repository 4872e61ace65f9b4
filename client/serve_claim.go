package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// claimNode is the recipient of claims. No node has this name, so that claims are in no inbox.
const claimNode = "claims"

// errKeysIgnored reports a gateway at which servers cannot share messages.
var errKeysIgnored = errors.New("the gateway ignores idempotency keys, so that ServeOptions.Lease has no effect; it must be 0")

// claimGivenUp is the content of the last claim on a message, in place of an identity.
const claimGivenUp = "given up"

// claim waits until this server may handle the message of a job, which one server at a time may. A claim is a message under an
// idempotency key that all servers use: the gateway accepts the content of the first one, which has its identity. It begins with the slot
// of the job. If it returns false, the job is over and has no slot: another server has finished the message, or ctx has ended.
func (s *server) claim(ctx context.Context, j *job) bool {
	last, mine := lastClaim{since: j.message.CreatedAt}, false
	for {
		if !s.repeat(ctx, j, func() (err error) { mine, err = s.take(ctx, j.message, last.number); return err }) {
			return false
		}
		if mine {
			break
		}
		if !s.awaitLease(ctx, j, &last) {
			return false
		}
		last.number, last.givenUp = last.number+1, false
	}
	s.renewWhileActive(j.message, last.number) // until the handler returns, also after ctx has ended
	if last.number == 0 {
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

func (s *server) postClaim(ctx context.Context, key, by string) (mine bool, err error) {
	_, err = s.client.post(ctx, claimNode, claimRequest(key, by), true)
	switch {
	case err == nil, isDelivered(err):
		return true, nil
	case statusOf(err) == http.StatusConflict:
		return false, nil
	}
	return false, err
}

func claimRequest(key, by string) SendRequest {
	return SendRequest{Kind: KindStatus, Content: key + " " + by, IdempotencyKey: key}
}

// checkKeys returns an error unless the gateway refuses another message under the key of an earlier one. The id of that one
// tells which claims are later than the start of this server.
func (s *server) checkKeys(ctx context.Context) error {
	key := "claim-" + s.identity
	first, err := s.client.post(ctx, claimNode, claimRequest(key, "first"), true)
	if err != nil {
		return err
	}
	s.started = first.ID
	if mine, err := s.postClaim(ctx, key, "second"); err != nil || !mine {
		return err
	}
	return opSend(true, true).fails(errKeysIgnored)
}

// looksPerLease is how often a server renews its claim in a lease, and how often others look
// at the message. After a failure both try again in half of that time.
const looksPerLease = 3

// renewWhileActive renews the nth claim on a message until this server has finished with it.
func (s *server) renewWhileActive(m MeshMessage, n int) {
	ended, tried := make(chan bool, 1), make(chan struct{})
	s.active.Store(keyOf(m), func(givenUp bool) {
		if ended <- givenUp; givenUp {
			<-tried // as a mark, which is sent in the slot
		}
	})
	s.renewals.Go(func() { s.renew(m, n, ended, sync.OnceFunc(func() { close(tried) })) })
}

// renew renews the nth claim until ended reports whether the message is given up. It then is
// claimed a last time, which tells the other servers. tried is called after the first attempt.
func (s *server) renew(m MeshMessage, n int, ended <-chan bool, tried func()) {
	defer tried()
	interval := s.opts.Lease / looksPerLease
	pause, by, givenUp, uncertain := interval, s.identity, false, false
	for {
		select {
		case givenUp = <-ended:
			if !givenUp {
				return
			}
		case <-time.After(pause):
		case <-s.handling.Done():
			return
		}
		if givenUp && !uncertain { // else the same claim is repeated first
			by = claimGivenUp
		}
		mine, err := s.postClaim(s.handling, claimKey(m)+strconv.Itoa(n+1), by)
		uncertain = err != nil
		switch {
		case err != nil:
			pause = interval / 2
			if givenUp {
				tried()
			}
		case !mine || by == claimGivenUp: // another server has taken the message over, or it is given up
			return
		case givenUp:
			pause, n = 0, n+1
		default:
			pause, n = interval, n+1
		}
	}
}
