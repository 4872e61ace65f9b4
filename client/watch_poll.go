package client

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

// fullListInterval is the longest time without a list of all messages while some wait for a
// worker of Serve.
const fullListInterval = time.Minute

// activeTime is how long the pauses stay short after a new message.
const activeTime = time.Minute

// watcher is the state of one range over Watch.
type watcher struct {
	client   *MeshClient
	opts     WatchOptions
	windows  []*window
	server   *server // of Serve, which takes the messages; nil for Watch
	yield    func(MeshMessage, error) bool
	ended    bool      // yield must not be called again
	failures int       // the number of polls in a row with an error
	failed   error     // of the last poll
	idle     int       // the number of polls in a row without a new message, from activeTime after the last one
	found    time.Time // when the last new message was yielded
	more     bool      // the last poll had a full window with a new message: the next one follows without a pause
	hurried  bool      // this poll followed without a pause
}

func (c *MeshClient) watch(ctx context.Context, opts WatchOptions, s *server) iter.Seq2[MeshMessage, error] {
	return func(yield func(MeshMessage, error) bool) {
		opts, err := opts, c.ready(ctx)
		if err == nil {
			opts, err = opts.withDefaults(c.redactor)
		}
		if err != nil {
			yield(MeshMessage{}, err)
			return
		}
		if opts.Interval < shortWatchInterval {
			c.log.WarnContext(ctx, "the interval of Watch is very short", "interval", opts.Interval)
		}
		w := &watcher{client: c, opts: opts, server: s, yield: yield}
		kinds := slices.Compact(slices.Sorted(slices.Values(opts.Kinds)))
		if len(kinds) == 0 {
			kinds = []Kind{""}
		}
		for _, kind := range kinds {
			selected := opts.selection()
			selected.Kind = kind
			w.windows = append(w.windows, &window{selected: selected, limit: opts.Limit, seen: &seenMessages{shown: make(map[messageKey]shown)}})
		}
		for ctx.Err() == nil && w.poll(ctx) {
			if !w.more {
				w.rest(ctx) // the next poll finds out what ended it
			}
		}
	}
}

// poll fetches every window once and yields the new messages. It returns false when the sequence has to end.
func (w *watcher) poll(ctx context.Context) bool {
	found, unreached := 0, 0
	w.failed, w.hurried, w.more = nil, w.more, false
	for _, window := range w.windows {
		n, err := w.pollWindow(ctx, window)
		found += n
		if err != nil {
			if isUnreachable(err) {
				unreached++
			}
			if w.failed == nil || retryAfter(err) > retryAfter(w.failed) {
				w.failed = err
			}
			w.emit(ctx, MeshMessage{}, err)
		}
		if w.ended || errors.Is(err, errClosed) {
			return false
		}
	}
	if unreached == len(w.windows) && ctx.Err() == nil && w.server != nil {
		w.server.reach.polled(w.failed)
	}
	switch {
	case found > 0:
		w.found, w.idle = time.Now(), 0
	case w.failed == nil && (w.found.IsZero() || time.Since(w.found) >= activeTime):
		w.idle++ // a poll that failed does not show that there are no messages
	}
	if w.failures++; w.failed == nil {
		w.failures = 0
	}
	w.more = w.more && w.failed == nil
	return true
}

// pollWindow fetches a window and yields its new messages. It returns their number.
func (w *watcher) pollWindow(ctx context.Context, window *window) (int, error) {
	if w.server != nil && !w.server.backlog.await(ctx, w.server.backlog.hasRoom) {
		return 0, nil
	}
	// While messages wait, a list of all would be as long each time. It is needed now and then
	// nevertheless, since the gateway's clock may step back.
	newer := w.isBusy() && time.Since(window.listed) < fullListInterval
	rows, err := w.fetch(ctx, window, newer)
	if w.server != nil && ctx.Err() == nil && !isUnreachable(err) {
		w.server.reach.polled(nil)
	}
	if withoutRowErrors(err) != nil || ctx.Err() != nil {
		return 0, err
	}
	invalid := rowErrors(err)
	n := len(rows) + len(invalid)
	rows, err = window.sift(w.client, rows)
	window.seen.observe(slices.Concat(rows, placeholders(invalid)), n < window.limit && !newer)
	for _, row := range window.unreported(invalid) {
		w.emit(ctx, MeshMessage{}, row)
	}
	if w.server != nil && !newer {
		w.server.check.keep(rows, window.limit)
	}
	own, rows := w.takeOwn(ctx, rows)
	unseen := window.unseen(rows)
	if !newer {
		window.listed = time.Now()
		w.checkFull(ctx, window, n, own, len(unseen))
	}
	if w.server != nil {
		w.server.accept(unseen)
	}
	for _, m := range unseen {
		if m.ID > window.newest.id {
			window.newest = keyOf(m)
		}
		if w.server == nil {
			w.emit(ctx, m, nil)
		}
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
func (w *watcher) fetch(ctx context.Context, window *window, newer bool) (rows []MeshMessage, err error) {
	ctx, cancel := w.client.whileOpen(ctx)
	defer cancel()
	opts := window.selected
	opts.Limit = window.limit
	if newer {
		opts.Since = justBefore(window.newest.createdAt)
	}
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
func (w *watcher) takeOwn(ctx context.Context, rows []MeshMessage) (own int, others []MeshMessage) {
	var taken []MeshMessage
	others = slices.DeleteFunc(rows, func(m MeshMessage) bool {
		isOwn := w.client.isOwn(m)
		if isOwn {
			taken = append(taken, m)
		}
		return isOwn
	})
	if w.server == nil {
		return len(taken), others
	}
	w.server.markOwn(ctx, taken)
	return 0, others
}

// checkFull reports a list that is full.
func (w *watcher) checkFull(ctx context.Context, window *window, n, own, unseen int) {
	if blocked := window.checkFull(n, own, unseen, w.hurried || w.isBusy()); blocked != nil {
		w.emit(ctx, MeshMessage{}, blocked)
	}
	if window.full == 1 {
		w.client.log.WarnContext(ctx, "the inbox window is full; older unread messages may be hidden until newer ones are marked read",
			"node", w.client.shownNode, "limit", window.limit)
	}
}

// isBusy reports whether messages wait for a worker of Serve.
func (w *watcher) isBusy() bool {
	return w.server != nil && w.server.backlog.awaited(w.server.backlog.isEmpty) != nil
}

// rest waits until the next poll. A full list may hide messages behind those that wait for a
// worker: Serve polls again as soon as they have one.
func (w *watcher) rest(ctx context.Context) {
	full := slices.ContainsFunc(w.windows, func(window *window) bool { return window.full > 0 })
	if w.failed != nil || !full || !w.isBusy() {
		_ = w.client.sleep(ctx, w.pause())
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.pause())
	defer cancel()
	w.server.backlog.await(ctx, w.server.backlog.isEmpty)
}

// pause returns the time until the next poll: the interval, doubled for every idle poll up to the idle interval, and for every failed poll
// in a row.
func (w *watcher) pause() time.Duration {
	return pauseAfter(backoff(w.opts.Interval, w.opts.IdleInterval, w.idle+1), w.failures+1, w.failed, vary)
}
