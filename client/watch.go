package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// DefaultWatchInterval is the default of WatchOptions.Interval.
const DefaultWatchInterval = 5 * time.Second

// Watch rejects a shorter interval than minWatchInterval, which is a number without a unit, and warns of one that is shorter
// than shortWatchInterval.
const (
	minWatchInterval   = time.Millisecond
	shortWatchInterval = 100 * time.Millisecond
)

// maxWatchPause is the longest pause after errors, unless the interval itself is longer.
const maxWatchPause = time.Minute

// WatchOptions configures Watch. The zero value is valid.
type WatchOptions struct {
	// Interval is the time between two polls, varied at random by up to a quarter. 0 means [DefaultWatchInterval]. It must be
	// at least one millisecond; below 100 ms a warning is logged.
	Interval time.Duration
	// IdleInterval is the longest time between two polls. While no message arrives, the time doubles with each poll, from
	// Interval to IdleInterval. The next message resets it to Interval. 0 means Interval; otherwise it must not be shorter than
	// Interval.
	IdleInterval time.Duration
	// Limit is the maximum number of messages in a poll, 1 to 1000; 0 means 1000, the gateway's maximum.
	Limit int
}

// Watch polls the inbox of the client's node for unread messages and yields each of them once, the oldest first. It marks
// nothing read: call [MeshClient.MarkRead] when a message has been processed, or the next Watch yields it again.
//
//	for m, err := range c.Watch(ctx, client.WatchOptions{}) {
//		if err != nil {
//			log.Print(err) // polling continues, with growing pauses until it succeeds
//			continue
//		}
//		...
//	}
//
// A Retry-After is honored up to one minute. The sequence ends when ctx ends or the loop breaks. After [MeshClient.Close] it
// yields an error that matches net.ErrClosed and ends. Invalid options yield one [*ValueError] and end it.
//
// If a response exceeds [WithMaxResponseBytes], Watch fetches fewer messages at a time, down to one, and more again later.
//
// A poll returns the newest unread messages. If there are more than fit into it, a warning is logged, and the older ones are
// yielded after newer ones have been marked read. Messages that the node sent to itself are not yielded, but unread ones count
// towards the limit of a poll. If such messages fill a poll, or if three polls in a row are full and the last has no new
// message, an error is yielded once.
//
// A message is identified by its id and its CreatedAt, because a gateway with a new database reuses ids. Each range over the
// sequence remembers its own last 20,000 messages. An older message that is still unread is yielded again.
func (c *MeshClient) Watch(ctx context.Context, opts WatchOptions) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		complete, err := opts.withDefaults()
		if err = cmp.Or(c.ready(ctx), err); err != nil {
			yield(MeshMessage{}, err)
			return
		}
		if complete.Interval < shortWatchInterval {
			c.log.WarnContext(ctx, "the interval of Watch is very short", "interval", complete.Interval)
		}
		w := &watcher{client: c, opts: complete, limit: complete.Limit, seen: newSeenMessages()}
		for ctx.Err() == nil && w.poll(ctx, yield) {
			_ = c.sleep(ctx, w.pause()) // the next poll finds out what ended it
		}
	}
}

func (o WatchOptions) withDefaults() (WatchOptions, error) {
	if o.Interval < 0 {
		return o, &ValueError{Field: "interval", Value: o.Interval.String(), Reason: "must not be negative"}
	}
	if o.Interval > 0 && o.Interval < minWatchInterval {
		return o, &ValueError{Field: "interval", Value: o.Interval.String(), Reason: "must be at least 1ms; use a unit, such as 5 * time.Second"}
	}
	o.Interval = cmp.Or(o.Interval, DefaultWatchInterval)
	o.IdleInterval = cmp.Or(o.IdleInterval, o.Interval)
	if o.IdleInterval < o.Interval {
		return o, &ValueError{Field: "idle interval", Value: o.IdleInterval.String(), Reason: "must not be shorter than the interval"}
	}
	if err := checkLimit(o.Limit); err != nil {
		return o, err
	}
	o.Limit = cmp.Or(o.Limit, maxLimit)
	return o, nil
}

// watcher is the state of one range over Watch.
type watcher struct {
	client     *MeshClient
	opts       WatchOptions
	limit      int // of the next poll; lower than opts.Limit after a response that was too large
	seen       *seenMessages
	full       int           // the number of full windows in a row
	reported   bool          // the window has been reported as blocked
	errors     int           // in a row
	idle       int           // the number of polls in a row without a new message
	retryAfter time.Duration // of the last poll
}

// poll fetches once and yields the new messages. It returns false when the sequence has to end.
func (w *watcher) poll(ctx context.Context, yield func(MeshMessage, error) bool) bool {
	rows, err := w.fetch(ctx)
	if ctx.Err() != nil {
		return false
	}
	if w.retryAfter = retryAfter(err); err != nil {
		w.errors++
		return yield(MeshMessage{}, err) && !errors.Is(err, errClosed)
	}
	w.errors = 0
	complete := len(rows) < w.limit
	w.seen.observe(rows, complete)
	unseen := w.unseen(rows)
	if err := w.checkWindow(ctx, rows, len(unseen)); err != nil && !yield(MeshMessage{}, err) {
		return false
	}
	if w.idle++; len(unseen) > 0 {
		w.idle = 0
	}
	for _, m := range unseen {
		if ctx.Err() != nil || !yield(m, nil) {
			return false
		}
		w.seen.add(m)
	}
	if complete || w.full%growAfter == 0 {
		w.limit = min(2*w.limit, w.opts.Limit)
	}
	return true
}

// growAfter is the number of full windows after which a poll requests more messages again.
const growAfter = 8

// fetch returns the unread messages. While a response is too large, it requests fewer messages. Close cancels its requests.
func (w *watcher) fetch(ctx context.Context) ([]MeshMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.client.lifetime, cancel)() //nolint:contextcheck // the lifetime of the client, not of the caller
	for {
		rows, err := w.client.fetch(ctx, opListMessages, FetchOptions{UnreadOnly: true, Limit: w.limit})
		if err != nil && w.client.isClosed() {
			return nil, w.client.gatewayError(opListMessages, &call.Error{Err: errClosed}, nil)
		}
		if !errors.Is(err, ErrTooLarge) || w.limit == 1 {
			return rows, err
		}
		w.limit = max(1, w.limit/4)
		w.client.log.DebugContext(ctx, "the inbox is too large for one response; fetching fewer messages", "limit", w.limit)
	}
}

// blockedAfter is the number of full windows in a row, the last one without a new message, that is reported as an error.
const blockedAfter = 3

// checkWindow logs a warning when the window becomes full. It returns an error, once, when the window is blocked.
func (w *watcher) checkWindow(ctx context.Context, rows []MeshMessage, unseen int) error {
	if len(rows) < w.limit {
		w.full, w.reported = 0, false
		return nil
	}
	if w.full++; w.full == 1 {
		w.client.log.WarnContext(ctx, "the inbox window is full; older unread messages may be hidden until newer ones are marked read",
			"node", w.client.shownNode, "limit", w.limit)
	}
	own := 0
	for _, row := range rows {
		if w.client.isOwn(row) {
			own++
		}
	}
	if w.reported || own < len(rows) && (w.full < blockedAfter || unseen > 0) {
		return nil
	}
	w.reported = true
	return &MeshGatewayError{
		Method: opListMessages.method, Path: opListMessages.path, StatusCode: http.StatusOK,
		Err: fmt.Errorf("the poll is full: it has %d unread messages, which hide older ones (%d were sent by this node); mark messages read", len(rows), own),
	}
}

// unseen returns the messages that have not been yielded, the oldest first.
func (w *watcher) unseen(rows []MeshMessage) []MeshMessage {
	rows = slices.DeleteFunc(slices.Clone(rows), func(m MeshMessage) bool { return w.seen.has(m) || w.client.isOwn(m) })
	slices.SortFunc(rows, func(a, b MeshMessage) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.CreatedAt, b.CreatedAt))
	})
	return slices.CompactFunc(rows, func(a, b MeshMessage) bool { return keyOf(a) == keyOf(b) })
}

// pause returns the time until the next poll: the interval, doubled for every idle poll up to the idle interval and for every
// error in a row, varied by up to a quarter; or the requested Retry-After plus up to a quarter, if that is longer.
func (w *watcher) pause() time.Duration {
	d := backoff(w.opts.Interval, w.opts.IdleInterval, w.idle+1)
	d = backoff(d, max(d, maxWatchPause), w.errors+1)
	d = min(d, math.MaxInt64/2) // no overflow below
	d = d - d/4 + rand.N(d/2+1) //nolint:gosec // spreading load needs no secure random numbers
	return max(d, withJitter(min(w.retryAfter, maxRetryAfter)))
}

// retryAfter returns the RetryAfter of err, or 0.
func retryAfter(err error) time.Duration {
	var failed *MeshGatewayError
	if errors.As(err, &failed) {
		return failed.RetryAfter
	}
	return 0
}
