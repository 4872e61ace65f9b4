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

// DefaultWatchInterval is the default of WatchOptions.Interval.
const DefaultWatchInterval = 5 * time.Second

// maxWatchPause is the longest pause after errors, unless the interval itself is longer.
const maxWatchPause = time.Minute

// WatchOptions configures Watch. The zero value is valid.
type WatchOptions struct {
	// Interval is the time between two polls, varied at random by a quarter. 0 means [DefaultWatchInterval].
	Interval time.Duration
	// Limit is the maximum number of messages in a poll, 1 to 1000; 0 means 1000, the gateway's maximum.
	Limit int
}

// Watch polls the own inbox for unread messages and yields each of them once, the oldest first. It marks nothing read: call
// [MeshClient.MarkRead] when a message has been processed, or the next Watch yields it again.
//
//	for m, err := range c.Watch(ctx, client.WatchOptions{}) {
//		if err != nil {
//			log.Print(err) // polling continues, with growing pauses until it succeeds
//			continue
//		}
//		...
//	}
//
// A Retry-After is honored up to one minute. The sequence ends when ctx ends, the loop breaks or the client is closed. Invalid
// options yield one [*ValueError] and end it.
//
// If more messages are unread than fit into a poll, a warning is logged, and the older ones are yielded after newer ones have
// been marked read. Unread messages that the own node sent are not yielded but take up space in a poll. Every range over the
// sequence starts anew.
func (c *MeshClient) Watch(ctx context.Context, opts WatchOptions) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		complete, err := opts.withDefaults()
		if err = cmp.Or(c.ready(ctx), err); err != nil {
			yield(MeshMessage{}, err)
			return
		}
		w := &watcher{client: c, opts: complete, seen: newSeenMessages()}
		for ctx.Err() == nil && w.poll(ctx, yield) {
			_ = c.sleep(ctx, w.pause()) // the next poll finds out what ended it
		}
	}
}

func (o WatchOptions) withDefaults() (WatchOptions, error) {
	if o.Interval < 0 {
		return o, &ValueError{Field: "interval", Value: o.Interval.String(), Reason: "must not be negative"}
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
	client     *MeshClient
	opts       WatchOptions
	seen       *seenMessages
	full       bool          // the last poll returned as many rows as it can
	errors     int           // in a row
	retryAfter time.Duration // of the last poll
}

// poll fetches once and yields the new messages. It returns false when the sequence has to end.
func (w *watcher) poll(ctx context.Context, yield func(MeshMessage, error) bool) bool {
	rows, err := w.client.fetch(ctx, FetchOptions{UnreadOnly: true, Limit: w.opts.Limit})
	if ctx.Err() != nil {
		return false
	}
	if w.retryAfter = retryAfter(err); err != nil {
		w.errors++
		return yield(MeshMessage{}, err) && !errors.Is(err, errClosed)
	}
	w.errors = 0
	w.warn(ctx, len(rows) >= w.opts.Limit)
	for _, m := range w.unseen(rows) {
		if ctx.Err() != nil || !yield(m, nil) {
			return false
		}
		w.seen.add(m.ID)
	}
	return true
}

// warn logs a warning when the window becomes full.
func (w *watcher) warn(ctx context.Context, full bool) {
	if full && !w.full {
		w.client.log.WarnContext(ctx, "the inbox window is full; older unread messages may be hidden until newer ones are marked read",
			"node", w.client.node, "limit", w.opts.Limit)
	}
	w.full = full
}

// unseen returns the messages that have not been yielded, the oldest first.
func (w *watcher) unseen(rows []MeshMessage) []MeshMessage {
	w.seen.observe(rows)
	rows = slices.DeleteFunc(rows, func(m MeshMessage) bool { return w.seen.has(m.ID) || w.client.isOwn(m) })
	slices.SortFunc(rows, func(a, b MeshMessage) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(rows, func(a, b MeshMessage) bool { return a.ID == b.ID })
}

// pause returns the time until the next poll: the interval, doubled for every error in a row, varied by a quarter; or the
// requested Retry-After plus up to a quarter, if that is longer.
func (w *watcher) pause() time.Duration {
	d := backoff(w.opts.Interval, max(w.opts.Interval, maxWatchPause), w.errors+1)
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

// seenMessages tracks the messages already yielded until they leave the inbox.
type seenMessages struct {
	// absent counts, for every id yielded, the complete windows in a row that did not contain it.
	absent map[int64]int
	// largest is the largest number of rows of a window so far.
	largest int
}

// forgetAfter is the number of complete windows in a row without an id after which it is forgotten. A message that was marked
// read never becomes unread again, so 1 would do if gateways made no mistakes.
const forgetAfter = 3

func newSeenMessages() *seenMessages { return &seenMessages{absent: make(map[int64]int)} }

func (s *seenMessages) has(id int64) bool {
	_, ok := s.absent[id]
	return ok
}

func (s *seenMessages) add(id int64) { s.absent[id] = 0 }

// observe forgets the messages that have left the inbox. A message is missing from a complete window only if it has left. A
// window with as many rows as any before may be incomplete, cut by Limit or by a limit of the gateway.
func (s *seenMessages) observe(rows []MeshMessage) {
	s.largest = max(s.largest, len(rows))
	shown := make(map[int64]bool, len(rows))
	for _, row := range rows {
		shown[row.ID] = true
	}
	for id := range s.absent {
		switch {
		case shown[id]:
			s.absent[id] = 0
		case len(rows) < s.largest:
			s.absent[id]++
		}
		if s.absent[id] >= forgetAfter {
			delete(s.absent, id)
		}
	}
}
