package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

var errKeysIgnored = errors.New("ServeOptions.Lease must be 0: the gateway ignores idempotency keys")

// claimGivenUp is the last claim's content, in place of an identity.
const claimGivenUp = "given up"

// claims shares messages among servers with a lease. To claim a message, each server
// sends its identity under the same idempotency key. The gateway accepts only the first.
type claims struct {
	client   *node
	check    *unreadCheck
	lease    time.Duration
	identity string
	started  int64 // id; claims by this server are later
	renewals sync.WaitGroup
}

// claimKey starts the key of every claim on m. It includes the time, because a gateway
// with a new database reuses ids.
func claimKey(m message) string {
	return fmt.Sprintf("claim-%d-%s-", m.ID, digest(m.CreatedAt)[:16])
}

// take tries to make the nth claim on a message. mine is false if another server was
// first.
func (c *claims) take(ctx context.Context, m message, n int, by string) (mine bool, err error) {
	_, err = c.post(ctx, claimKey(m)+strconv.Itoa(n), by)
	switch {
	case err == nil, failedRequest(err).Delivered:
		return true, nil
	case statusOf(err) == http.StatusConflict:
		return false, nil
	}
	return false, err
}

func (c *claims) post(ctx context.Context, key, by string) (*message, error) {
	return c.client.Post(ctx, seam.ClaimNode, request{Kind: client.KindStatus, Content: key + " " + by, IdempotencyKey: key}, true)
}

// checkKeys returns an error unless the gateway refuses a second message under one key.
// The first message's id tells which claims are later than this server's start.
func (c *claims) checkKeys(ctx context.Context) error {
	key := "claim-" + c.identity
	first, err := c.post(ctx, key, "first")
	if err != nil {
		return err
	}
	c.started = first.ID
	if _, err = c.post(ctx, key, "second"); statusOf(err) == http.StatusConflict {
		return nil
	}
	return cmp.Or(err, incorrect("POST", errKeysIgnored))
}

// looksPerLease is how often per lease a server renews its claim, and others look at the
// message. After a failure both wait half as long.
const looksPerLease = 3

// hold renews the nth claim on a message until end is called. If the message is given up,
// end waits until we have tried once to tell the other servers.
func (c *claims) hold(ctx context.Context, m message, n int) (end func(givenUp bool)) {
	ended := make(chan bool, 1)
	waiting, tried := context.WithCancel(context.WithoutCancel(ctx))
	c.renewals.Go(func() {
		defer tried()
		c.renew(ctx, m, n, ended, tried)
	})
	return func(givenUp bool) {
		if ended <- givenUp; givenUp {
			<-waiting.Done()
		}
	}
}

// renew renews the nth claim until ended delivers a value. If that is true, the message
// is given up, and one last claim tells the other servers so. tried is called after the
// first attempt to send it.
func (c *claims) renew(ctx context.Context, m message, n int, ended <-chan bool, tried func()) {
	interval := c.lease / looksPerLease
	pause, by, givenUp, uncertain := interval, c.identity, false, false
	for {
		select {
		case givenUp = <-ended:
			if !givenUp {
				return
			}
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		if givenUp && !uncertain { // else the same claim is repeated first
			by = claimGivenUp
		}
		mine, err := c.take(ctx, m, n+1, by)
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

// await waits until another server has failed to renew its claim for a whole lease. It
// returns false if ctx ends or a server has finished with the message.
//
// Our lease starts when we find the claim, so no clocks are compared. While the gateway
// is away no server can renew, so after a failure we look at least twice, which leaves
// the other server time to try again.
func (c *claims) await(ctx context.Context, m message, last *lastClaim) (open bool) {
	pause := c.lease / looksPerLease
	for quiet := 0; quiet < looksPerLease; {
		if c.client.Sleep(ctx, pause) != nil {
			return false
		}
		pause = c.lease / looksPerLease
		renewed, open, err := c.look(ctx, m, last)
		switch {
		case err != nil:
			pause, quiet = pause/2, min(quiet, looksPerLease-2)
		case !open:
			return false
		case last.givenUp: // before this server was started
			return true
		case renewed:
			quiet = 0
		default:
			quiet++
		}
	}
	return true
}

// look reports whether another server has renewed its claim on a message, and whether the
// message is open: unread, and not given up since this server was started.
func (c *claims) look(ctx context.Context, m message, last *lastClaim) (renewed, open bool, err error) {
	before := last.number
	if err := c.update(ctx, m, last); err != nil {
		return false, false, err
	}
	if last.number > before {
		return true, !last.givenUp || last.id < c.started, nil
	}
	row, err := c.find(ctx, m, false)
	return false, row != nil, err
}

// update finds the last claim on a message. Anyone with a token can forge claims with any
// number, so claims after a gap don't count, unless a full list may hide the missing
// ones.
func (c *claims) update(ctx context.Context, m message, last *lastClaim) error {
	opts := query{ToNode: seam.ClaimNode, FromNode: c.client.Name, Kind: client.KindStatus, Limit: maxLimit}
	rows, limit, err := c.check.fetchSince(ctx, seam.List{}, message{CreatedAt: last.since}, opts)
	if err != nil {
		return err
	}
	later, next := make(map[int]message), last.number+1
	for _, row := range rows {
		if n := c.claimNumber(m, row); n > last.number {
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

// claimNumber returns -1 if claim is not on m.
func (c *claims) claimNumber(m, claim message) int {
	text, ok := strings.CutPrefix(claim.GetContent(), claimKey(m))
	number, _, _ := strings.Cut(text, " ")
	n, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil || !c.client.isOwn(claim) || claim.ToNode != seam.ClaimNode {
		return -1
	}
	return int(n)
}

// find returns m if it is still unread, or nil. It looks twice before it returns nil, in
// case the gateway made a mistake.
func (c *claims) find(ctx context.Context, m message, contents bool) (*message, error) {
	how := seam.List{NoContents: !contents, NeedsBody: true}
	opts := c.check.similar(m)
	opts.UnreadOnly = true
	for range 2 {
		row, hidden, err := c.check.find(ctx, how, m, opts)
		if err == nil && hidden {
			err = pollError("newer messages hide message %d", m.ID)
		}
		if err != nil || row != nil {
			return row, err
		}
	}
	return nil, nil //nolint:nilnil // see above
}
