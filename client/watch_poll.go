package client

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

const (
	// maxWatchPause is the longest pause after errors, unless the interval itself is longer.
	maxWatchPause = time.Minute
	// activeTime is how long the pauses stay short after a new message.
	activeTime = time.Minute
)

// watcher is the state of one range over Watch.
type watcher struct {
	client     *MeshClient
	opts       WatchOptions
	windows    []*window
	events     pollEvents
	yield      func(MeshMessage, error) bool
	ended      bool          // yield must not be called again
	errors     int           // the number of polls in a row with an error
	idle       int           // the number of polls in a row without a new message, from activeTime after the last one
	found      time.Time     // when the last new message was yielded
	more       bool          // the last poll had a full window with a new message: the next one follows without a pause
	hurried    bool          // this poll followed without a pause
	retryAfter time.Duration // of the last poll
}

// pollEvents are functions of Serve that a watcher calls. They may be nil.
type pollEvents struct {
	// own receives the messages that the node sent to itself. They are never yielded.
	own func([]MeshMessage)
	// rows receives the messages of a window before they are yielded, and the limit of the request.
	rows func(rows []MeshMessage, limit int)
	// polled reports for a window that the gateway can be reached, and for a poll that it cannot.
	polled func(reached bool)
}

// watch is Watch for the given kinds, or for all. It polls each kind by itself, so that the messages of one cannot fill the polls
// of another.
func (c *MeshClient) watch(ctx context.Context, opts WatchOptions, kinds []Kind, events pollEvents) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		complete, err := opts.withDefaults()
		if err = cmp.Or(c.ready(ctx), err); err != nil {
			yield(MeshMessage{}, err)
			return
		}
		if complete.Interval < shortWatchInterval {
			c.log.WarnContext(ctx, "the interval of Watch is very short", "interval", complete.Interval)
		}
		w := &watcher{client: c, opts: complete, events: events, yield: yield}
		if len(kinds) == 0 {
			kinds = []Kind{complete.Kind}
		}
		for _, kind := range slices.Compact(slices.Sorted(slices.Values(kinds))) {
			selected := complete.selection()
			selected.Kind = kind
			w.windows = append(w.windows, &window{selected: selected, limit: complete.Limit, seen: newSeenMessages()})
		}
		for ctx.Err() == nil && w.poll(ctx) {
			if !w.more {
				_ = c.sleep(ctx, w.pause()) // the next poll finds out what ended it
			}
		}
	}
}

// poll fetches every window once and yields the new messages. It returns false when the sequence has to end.
func (w *watcher) poll(ctx context.Context) bool {
	found, failures, unreached := 0, 0, 0
	w.retryAfter, w.hurried, w.more = 0, w.more, false
	for _, window := range w.windows {
		n, err := w.pollWindow(ctx, window)
		found += n
		if err != nil {
			failures++
			if isUnreachable(err) {
				unreached++
			}
			w.retryAfter = max(w.retryAfter, retryAfter(err))
			w.emit(ctx, MeshMessage{}, err)
		}
		if w.ended || errors.Is(err, errClosed) {
			return false
		}
	}
	if unreached == len(w.windows) && ctx.Err() == nil && w.events.polled != nil {
		w.events.polled(false)
	}
	if w.errors++; failures == 0 {
		w.errors = 0
	}
	if found > 0 {
		w.found, w.idle = time.Now(), 0
	} else if w.found.IsZero() || time.Since(w.found) >= activeTime {
		w.idle++
	}
	w.more = w.more && failures == 0
	return true
}

// pollWindow fetches a window and yields its new messages. It returns their number.
func (w *watcher) pollWindow(ctx context.Context, window *window) (int, error) {
	rows, err := w.fetch(ctx, window)
	if w.events.polled != nil && ctx.Err() == nil && !isUnreachable(err) {
		w.events.polled(true)
	}
	if withoutRowErrors(err) != nil || ctx.Err() != nil {
		return 0, err
	}
	invalid := rowErrors(err)
	n := len(rows) + len(invalid)
	rows, err = window.sift(w.client, rows)
	window.seen.observe(slices.Concat(rows, placeholders(invalid)), n < window.limit)
	for _, row := range window.unreported(invalid) {
		w.emit(ctx, MeshMessage{}, row)
	}
	if w.events.rows != nil {
		w.events.rows(rows, window.limit)
	}
	own, rows := w.takeOwn(rows)
	unseen := window.unseen(rows)
	if blocked := window.checkFull(n, own, len(unseen), w.hurried); blocked != nil {
		w.emit(ctx, MeshMessage{}, blocked)
	}
	if window.full == 1 {
		w.client.log.WarnContext(ctx, "the inbox window is full; older unread messages may be hidden until newer ones are marked read",
			"node", w.client.shownNode, "limit", window.limit)
	}
	for _, m := range unseen {
		w.emit(ctx, m, nil)
		window.seen.add(m)
	}
	w.more = w.more || n >= window.limit && len(unseen) > 0
	window.grow(w.opts.Limit)
	return len(unseen), err
}

// emit yields a message or an error, unless the sequence has ended.
func (w *watcher) emit(ctx context.Context, m MeshMessage, err error) {
	w.ended = w.ended || ctx.Err() != nil || !w.yield(m, err)
}

// fetch returns the rows of a window. Close cancels its requests.
func (w *watcher) fetch(ctx context.Context, window *window) (rows []MeshMessage, err error) {
	ctx, cancel := w.client.whileOpen(ctx)
	defer cancel()
	opts := window.selected
	opts.Limit = window.limit
	rows, window.limit, err = w.client.fetchNewest(ctx, opListMessages, opts)
	if err != nil && w.client.isClosed() {
		return nil, w.client.gatewayError(opListMessages, &call.Error{Err: errClosed}, nil)
	}
	return rows, err
}

// whileOpen returns a context that ends with ctx or when the client is closed.
func (c *MeshClient) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.lifetime, cancel)
	return ctx, func() { stop(); cancel() }
}

// takeOwn removes the messages that the node sent to itself, and returns how many of them are left to the caller to mark.
func (w *watcher) takeOwn(rows []MeshMessage) (own int, others []MeshMessage) {
	var taken []MeshMessage
	others = slices.DeleteFunc(rows, func(m MeshMessage) bool {
		if w.client.isOwn(m) {
			taken = append(taken, m)
		}
		return w.client.isOwn(m)
	})
	if w.events.own == nil {
		return len(taken), others
	}
	w.events.own(taken)
	return 0, others
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
