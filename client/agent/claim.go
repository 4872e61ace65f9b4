package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

// errKeysIgnored reports a gateway at which servers cannot share messages.
var errKeysIgnored = errors.New("the gateway ignores idempotency keys, so that ServeOptions.Lease has no effect; it must be 0")

// claimGivenUp is the last claim's content, in place of an identity.
const claimGivenUp = "given up"

// claim waits until this server may handle the message of a job, which one server at a
// time may. A claim is a message under an idempotency key that all servers use: the
// gateway accepts the content of the first one, which has its identity. It begins with
// the slot of the job. If it returns false, the job is over and has no slot: another
// server has finished the message, or ctx has ended.
func (s *server) claim(ctx context.Context, j *job) bool {
	last, mine := lastClaim{since: j.message.CreatedAt}, false
	for {
		if !s.repeat(ctx, j, func() (err error) {
			mine, err = s.postClaim(ctx, claimKey(j.message)+strconv.Itoa(last.number), s.identity)
			return err
		}) {
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
	// Another server may have finished the message just before the claim. The content is not
	// in memory any more.
	var m *message
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

// repeat calls do until it succeeds, and pauses without the slot of the job. It returns
// false if ctx ends.
func (s *server) repeat(ctx context.Context, j *job, do func() error) bool {
	for failures := 1; ; failures++ {
		err := do()
		switch {
		case err == nil:
			return true
		case classify(err) == away:
			s.reach.suspect(err)
		default:
			s.report(message{}, err)
		}
		if !s.pause(ctx, j, RetryPause(err, failures)) {
			s.finish(j.message)
			return false
		}
	}
}

// claimKey is the prefix for a message's claims. A gateway with a new database reuses
// ids.
func claimKey(m message) string {
	return fmt.Sprintf("claim-%d-%s-", m.ID, digest(m.CreatedAt)[:16])
}

func (s *server) postClaim(ctx context.Context, key, by string) (mine bool, err error) {
	_, err = s.client.Post(ctx, seam.ClaimNode, claimRequest(key, by), true)
	switch {
	case err == nil, failedRequest(err).Delivered:
		return true, nil
	case statusOf(err) == http.StatusConflict:
		return false, nil
	}
	return false, err
}

func claimRequest(key, by string) request {
	return request{Kind: client.KindStatus, Content: key + " " + by, IdempotencyKey: key}
}

// checkKeys returns an error unless the gateway refuses a second message under one key.
// The first message's id tells which claims are later than this server's start.
func (s *server) checkKeys(ctx context.Context) error {
	key := "claim-" + s.identity
	first, err := s.client.Post(ctx, seam.ClaimNode, claimRequest(key, "first"), true)
	if err != nil {
		return err
	}
	s.started = first.ID
	if mine, err := s.postClaim(ctx, key, "second"); err != nil || !mine {
		return err
	}
	return incorrect("POST", errKeysIgnored)
}

// looksPerLease is how often a server renews its claim in a lease, and how often others
// look at the message. After a failure both try again in half of that time.
const looksPerLease = 3

// renewWhileActive renews the nth claim on a message until this server has finished with
// it.
func (s *server) renewWhileActive(m message, n int) {
	ended, tried := make(chan bool, 1), make(chan struct{})
	s.active.Store(keyOf(m), func(givenUp bool) {
		if ended <- givenUp; givenUp {
			<-tried // as a mark, which is sent in the slot
		}
	})
	s.renewals.Go(func() { s.renew(m, n, ended, sync.OnceFunc(func() { close(tried) })) })
}

// renew renews the nth claim until ended reports whether the message is given up. It then
// is claimed a last time, which tells the other servers. tried is called after the first
// attempt.
func (s *server) renew(m message, n int, ended <-chan bool, tried func()) {
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

// lastClaim is the last known claim on a message.
type lastClaim struct {
	number  int
	since   string // when it was made, by the gateway's clock
	id      int64
	givenUp bool
}

// awaitLease waits, without the job's slot, until the last claim, made by another server,
// has not been renewed for a lease. No clocks are compared: the lease starts when this
// server finds the claim. While the gateway is away no server can renew a claim, so two
// looks must follow a failure, between which the other one tries again.
func (s *server) awaitLease(ctx context.Context, j *job, last *lastClaim) (open bool) {
	<-j.slots
	j.message.Content, j.message.AdditionalProperties = nil, nil // many messages may be waiting
	pause := s.opts.Lease / looksPerLease
	for quiet := 0; quiet < looksPerLease; {
		if s.client.Sleep(ctx, pause) != nil {
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

// look reports whether another server has renewed its claim on a message, and whether the
// message is open: unread, and not given up since this server was started.
func (s *server) look(ctx context.Context, j *job, last *lastClaim) (renewed, open bool, err error) {
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

// update finds the last claim on a message. Everybody with a token can forge claims with
// any number, but real ones have no gaps, except for those that a full list hides.
func (s *server) update(ctx context.Context, m message, last *lastClaim) error {
	opts := query{ToNode: seam.ClaimNode, FromNode: s.client.Name, Kind: client.KindStatus, Limit: maxLimit}
	rows, limit, err := s.check.fetchSince(ctx, seam.List{}, message{CreatedAt: last.since}, opts)
	if err != nil {
		return err
	}
	later, next := make(map[int]message), last.number+1
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

// claimNumber returns -1 for another claim.
func (s *server) claimNumber(m, claim message) int {
	text, ok := strings.CutPrefix(claim.GetContent(), claimKey(m))
	number, _, _ := strings.Cut(text, " ")
	n, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil || claim.FromNode != s.client.Name || claim.ToNode != seam.ClaimNode {
		return -1
	}
	return int(n)
}

// find returns a message from the unread ones, or nil if it is not among them any more.
// It looks twice, since a response may be a mistake of the gateway.
func (s *server) find(ctx context.Context, m message, filter func(io.Reader) io.Reader) (*message, error) {
	how := seam.List{Filter: filter, NeedsBody: true}
	opts := s.check.similar(m)
	opts.UnreadOnly = true
	for range 2 {
		row, hidden, err := s.check.find(ctx, how, m, opts)
		if err == nil && hidden {
			err = pollError("newer messages hide message %d", m.ID)
		}
		if err != nil || row != nil {
			return row, err
		}
	}
	return nil, nil //nolint:nilnil // see above
}
