package client

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// DefaultWatchInterval is how often Watch looks when WatchOptions does not say.
const DefaultWatchInterval = 5 * time.Second

// longestWatchPause bounds the pause after errors, unless the interval itself is longer.
const longestWatchPause = time.Minute

// WatchOptions says how Watch polls. The zero value is fine.
type WatchOptions struct {
	// Interval is the time between two polls; a quarter of it, up or down, is chance. 0 means [DefaultWatchInterval].
	Interval time.Duration
	// Limit is the largest number of rows of a poll, 1 to 1000; 0 means 1000, the most the gateway gives (WIRE.md G12).
	Limit int
}

// Watch polls the own inbox for unread messages and yields each id once, oldest first. It marks nothing read: call
// [MeshClient.MarkRead] when a message has been dealt with, or the next Watch yields it again.
//
//	for m, err := range c.Watch(ctx, client.WatchOptions{}) {
//		if err != nil {
//			log.Print(err) // polling goes on, less and less often until it works again
//			continue
//		}
//		...
//	}
//
// A Retry-After of the gateway is honoured up to a minute. The sequence ends when ctx ends, the loop breaks or the client is
// closed; a [*ValueError] for bad options is yielded once and ends it too.
//
// When more messages are unread than a poll can hold, the log gets a warning and the older ones come once newer ones are
// read. Unread messages of the own node take up room in a poll although they are never yielded. Every range over the
// sequence starts anew.
func (c *MeshClient) Watch(ctx context.Context, opts WatchOptions) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		complete, err := opts.withDefaults()
		if err != nil {
			yield(MeshMessage{}, err)
			return
		}
		w := &watcher{client: c, opts: complete, memory: newMemory()}
		for ctx.Err() == nil && w.poll(ctx, yield) {
			_ = sleep(ctx, w.pause()) // that ctx has ended is looked at above
		}
	}
}

func (o WatchOptions) withDefaults() (WatchOptions, error) {
	if o.Interval < 0 {
		return o, &ValueError{Field: "interval", Value: o.Interval.String(), Reason: "is negative"}
	}
	o.Interval = cmp.Or(o.Interval, DefaultWatchInterval)
	if err := checkLimit(o.Limit); err != nil {
		return o, err
	}
	o.Limit = cmp.Or(o.Limit, maxLimit)
	return o, nil
}

// watcher is the state of one range over Watch.
type watcher struct {
	client *MeshClient
	opts   WatchOptions
	memory *memory
	full   bool          // the last window was
	errors int           // in a row
	asked  time.Duration // by the gateway, to wait
}

// poll looks once and yields what is new; false means that the loop was left, or that there is nothing more to come.
func (w *watcher) poll(ctx context.Context, yield func(MeshMessage, error) bool) bool {
	rows, err := w.client.fetch(ctx, FetchOptions{UnreadOnly: true, Limit: w.opts.Limit})
	if ctx.Err() != nil {
		return false
	}
	if w.asked = retryAfter(err); err != nil {
		w.errors++
		return yield(MeshMessage{}, err) && !errors.Is(err, errClosed)
	}
	w.errors = 0
	w.warn(ctx, len(rows) >= w.opts.Limit)
	for _, m := range w.fresh(rows) {
		if ctx.Err() != nil || !yield(m, nil) {
			return false
		}
		w.memory.add(m.ID)
	}
	return true
}

// warn says once that the window has become full.
func (w *watcher) warn(ctx context.Context, full bool) {
	if full && !w.full {
		w.client.log.WarnContext(ctx, "inbox window is full, older unread messages may be hidden until newer ones are read",
			"node", w.client.node, "limit", w.opts.Limit)
	}
	w.full = full
}

// fresh returns the rows not yielded yet, oldest first.
func (w *watcher) fresh(rows []MeshMessage) []MeshMessage {
	w.memory.observe(rows)
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool { return w.memory.has(m.ID) || w.client.isOwn(m) })
	slices.SortFunc(rows, func(a, b MeshMessage) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(rows, func(a, b MeshMessage) bool { return a.ID == b.ID })
}

// pause is the time until the next poll: the interval, doubled for every error in a row, and up to a quarter more or less;
// or what the gateway asks for and up to a quarter more, when that is longer.
func (w *watcher) pause() time.Duration {
	d := backoff(w.opts.Interval, max(w.opts.Interval, longestWatchPause), w.errors+1)
	d = d - d/4 + rand.N(d/2+1) //nolint:gosec // spreading load is no secret
	return max(d, scattered(min(w.asked, longestRetryAfter)))
}

// retryAfter is what the gateway asked for with an error, 0 without.
func retryAfter(err error) time.Duration {
	var failed *MeshGatewayError
	if errors.As(err, &failed) {
		return failed.RetryAfter
	}
	return 0
}
