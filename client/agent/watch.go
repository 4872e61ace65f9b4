package agent

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent/internal/backlog"
	"github.com/mesh-gateway/mesh-go/client/internal/pause"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

// Defaults for WatchOptions.
const (
	DefaultWatchInterval = time.Second
	DefaultIdleInterval  = 5 * time.Second
)

// Watch rejects intervals below minWatchInterval, because someone probably forgot the
// unit, and warns about intervals below shortWatchInterval.
const (
	minWatchInterval   = time.Millisecond
	shortWatchInterval = 100 * time.Millisecond
)

// WatchOptions configures Watch. The zero value is valid.
type WatchOptions struct {
	// Interval is the time between polls in the two minutes after a message, varied at
	// random by up to a quarter; 0 means [DefaultWatchInterval]. It must be at least 1 ms.
	// Below 100 ms, Watch logs a warning; tests can silence it with [client.WithLogger].
	Interval time.Duration
	// IdleInterval is the longest time between polls, at least Interval; 0 means Interval if
	// that is set, or else [DefaultIdleInterval]. After two minutes without a message, the
	// time between polls doubles from Interval to IdleInterval. If a poll takes a second or
	// returns 429, the gateway has too much to do: Watch then polls every IdleInterval until
	// the next message.
	IdleInterval time.Duration
	// Limit is the maximum number of messages per poll, 1 to 1000; 0 means 1000.
	Limit int
	// FromNode and ThreadID select messages as in [client.FetchOptions]. Older gateways
	// ignore them; Watch then drops the other messages itself.
	FromNode string
	ThreadID string
	// Kinds selects messages by kind; an empty slice means all. Each kind is a separate
	// request, so other kinds can't fill the polls.
	Kinds []client.Kind
}

// Watch polls the client's inbox and yields each unread message once, the oldest first.
// It marks nothing read: call [client.MeshClient.MarkRead] when a message has been
// processed, or the next Watch yields it again.
//
//	for m, err := range agent.Watch(ctx, c, agent.WatchOptions{}) {
//		if err != nil {
//			log.Print(err) // polling continues, with growing pauses until it succeeds
//			continue
//		}
//		...
//	}
//
// The sequence ends, without an error, when ctx ends or the loop breaks. After
// [client.MeshClient.Close] it yields an error that matches net.ErrClosed and ends.
// Invalid options yield one [*client.ValueError] and end it. A Retry-After up to a minute
// is honored.
//
// # Full inboxes
//
// A poll returns only the newest unread messages. If there are more, mark the newer ones
// read, or Watch can't see the older ones. After a full poll with a new message, Watch
// polls again at once.
//
// Messages that the node sent to itself aren't yielded, but count towards the limit until
// they are marked read. Watch yields an error once if they fill a poll, or if three polls
// in a row are full and the last one has no new message.
//
// # Faulty responses
//
// If a response exceeds [client.WithMaxResponseBytes], or its body takes longer than the
// timeout, Watch fetches fewer messages at a time, and more again later. A timeout before
// the header is an error.
//
// An invalid message is yielded once as a [*client.RowError]. Only the gateway's operator
// can mark it read. Messages beyond the limit and messages to other nodes are dropped,
// and an error follows.
//
// # Identity
//
// A message is identified by its ID and CreatedAt, because a gateway with a new database
// reuses ids. Each range over the sequence remembers up to 20,000 messages, and beyond
// that only those in its last poll: a forgotten message is yielded again while it's
// unread.
func Watch(ctx context.Context, c *client.MeshClient, opts WatchOptions) iter.Seq2[client.MeshMessage, error] {
	return func(yield func(message, error) bool) {
		n, err := newNode(ctx, c)
		checked := opts
		if err == nil {
			checked, err = opts.withDefaults(n)
		}
		if err != nil {
			yield(message{}, err)
			return
		}
		n.watch(ctx, checked, nil, yield)
	}
}

func (o WatchOptions) withDefaults(n *node) (WatchOptions, error) {
	for _, kind := range o.Kinds {
		if err := n.CheckKind("Kinds", kind); err != nil {
			return o, err
		}
	}
	if o.Interval != 0 && o.Interval < minWatchInterval {
		return o, invalidValue("Interval", o.Interval, "must be 0 or at least 1ms")
	}
	o.IdleInterval = cmp.Or(o.IdleInterval, o.Interval, DefaultIdleInterval)
	o.Interval = cmp.Or(o.Interval, DefaultWatchInterval)
	if o.IdleInterval < o.Interval {
		return o, invalidValue("IdleInterval", o.IdleInterval, "must not be shorter than Interval")
	}
	if err := n.CheckQuery(o.selection(n)); err != nil {
		return o, err
	}
	o.Limit = cmp.Or(o.Limit, maxLimit)
	return o, nil
}

func (o WatchOptions) selection(n *node) query {
	return query{ToNode: n.Name, UnreadOnly: true, FromNode: n.Resolve(o.FromNode), ThreadID: o.ThreadID, Limit: o.Limit}
}

// fullListInterval is how often Serve lists all unread messages while some wait for a
// worker. Other polls list only newer ones.
const fullListInterval = time.Minute

const (
	// activeTime is how long pauses stay short after a message.
	activeTime = 2 * time.Minute
	// A poll that takes slowPoll or longer shows that the gateway has too much to do.
	slowPoll = time.Second
)

// isStrained reports whether a gateway should be polled less often.
func isStrained(took time.Duration, err error) bool {
	return took >= slowPoll || statusOf(err) == http.StatusTooManyRequests
}

type watcher struct {
	client   *node
	opts     WatchOptions
	windows  []*window
	server   *server // takes the messages; nil for Watch
	yield    func(message, error) bool
	ended    bool      // yield must not be called again
	failures int       // polls in a row with an error
	failed   error     // in the last poll
	idle     int       // polls in a row without a new message, from activeTime after the last one
	strained bool      // the gateway, in this poll
	found    time.Time // when the last new message was yielded
	more     bool      // the last poll had a full window with a new message: the next one follows without a pause
	ready    bool      // a poll has succeeded
	hurried  bool      // this poll followed without a pause
}

// watch expects options from withDefaults.
func (c *node) watch(ctx context.Context, opts WatchOptions, s *server, yield func(message, error) bool) {
	if opts.Interval < shortWatchInterval {
		c.Log.WarnContext(ctx, "the Watch interval is very short", "interval", opts.Interval)
	}
	w := &watcher{client: c, opts: opts, server: s, yield: yield}
	kinds := slices.Compact(slices.Sorted(slices.Values(opts.Kinds)))
	if len(kinds) == 0 {
		kinds = []client.Kind{""}
	}
	for _, kind := range kinds {
		selected := opts.selection(c)
		selected.Kind = kind
		w.windows = append(w.windows, &window{selected: selected, selects: c.Selects, limit: opts.Limit, seen: seenMessages{shown: make(map[messageKey]shown)}})
	}
	for ctx.Err() == nil && w.poll(ctx) {
		if !w.more {
			w.rest(ctx) // the next poll finds out what ended it
		}
	}
}

// poll fetches every window once and yields the new messages. It returns false when the
// sequence has to end.
func (w *watcher) poll(ctx context.Context) bool {
	found, unreached := 0, 0
	w.failed, w.hurried, w.more, w.strained = nil, w.more, false, false
	for _, window := range w.windows {
		n, err := w.pollWindow(ctx, window)
		found += n
		if err != nil {
			if classify(err).unreached() {
				unreached++
			}
			if failedRequest(err).RetryAfter >= failedRequest(w.failed).RetryAfter {
				w.failed = err
			}
			w.emit(ctx, message{}, err)
		}
		if w.ended || errors.Is(err, seam.ErrClosed) {
			return false
		}
	}
	switch {
	case w.strained:
		w.found, w.idle = time.Time{}, 32 // the longest pause
	case found > 0:
		w.found, w.idle = time.Now(), 0
	case w.failed == nil && (w.found.IsZero() || time.Since(w.found) >= activeTime):
		w.idle++ // a poll that failed does not show that there are no messages
	}
	if w.failures++; w.failed == nil {
		w.failures = 0
	}
	w.more = w.more && w.failed == nil
	if w.server == nil || ctx.Err() != nil {
		return true
	}
	if unreached == len(w.windows) {
		w.server.reach.polled(w.failed)
	}
	if !w.ready && w.failed == nil {
		w.ready = true
		w.server.ready(ctx)
	}
	return true
}

// pollWindow fetches a window and yields its new messages. It returns their number.
func (w *watcher) pollWindow(ctx context.Context, window *window) (int, error) {
	if w.server != nil && !w.server.backlog.Await(ctx, backlog.HasRoom) {
		return 0, nil
	}
	// While messages wait, request only newer ones, which is cheaper. List all of them now
	// and then anyway, because the gateway's clock may step back.
	newer := w.isBusy() && time.Since(window.listed) < fullListInterval
	rows, err := w.fetch(ctx, window, newer)
	if w.server != nil && ctx.Err() == nil && !classify(err).unreached() {
		w.server.reach.polled(nil)
	}
	if withoutRows(err) != nil || ctx.Err() != nil {
		return 0, err
	}
	invalid := rowErrors(err)
	n := len(rows) + len(invalid)
	rows, err = window.sift(rows)
	shown := slices.Clone(rows)
	for _, row := range invalid {
		m := placeholder(row)
		if shown = append(shown, m); !window.seen.has(m) {
			window.seen.add(m)
			w.emit(ctx, message{}, row)
		}
	}
	window.seen.observe(shown, n < window.limit && !newer)
	if w.server != nil && !newer {
		w.server.check.last.Store(newSnapshot(rows, window.limit))
	}
	others := slices.DeleteFunc(slices.Clone(rows), w.client.isOwn)
	own := len(rows) - len(others) // are left to the caller to mark
	if w.server != nil {
		own = 0
		w.server.markOwn(ctx, rows)
	}
	unseen := window.unseen(others)
	if !newer {
		window.listed = time.Now()
		if err := window.checkFull(n, own, len(unseen), w.hurried || w.server.isWorking()); err != nil {
			w.emit(ctx, message{}, err)
		}
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
func (w *watcher) emit(ctx context.Context, m message, err error) {
	w.ended = w.ended || ctx.Err() != nil || !w.yield(m, err)
}

// fetch stops when the client is closed.
func (w *watcher) fetch(ctx context.Context, window *window, newer bool) (rows []message, err error) {
	ctx, cancel := w.client.WhileOpen(ctx)
	defer cancel()
	opts := window.selected
	opts.Limit = window.limit
	if newer {
		opts.Since = justBefore(window.newest.createdAt)
	}
	began := time.Now()
	rows, window.limit, err = w.client.List(ctx, opts, seam.List{Slow: true})
	w.strained = w.strained || isStrained(time.Since(began), err)
	if err != nil && w.client.IsClosed() {
		return nil, w.client.ListFailed(seam.ErrClosed)
	}
	return rows, err
}

func (w *watcher) isBusy() bool {
	return w.server != nil && !w.server.backlog.Is(backlog.Empty)
}

// rest waits until the next poll. If the last list was full, waiting messages may hide
// others, so Serve polls again as soon as none waits for a worker.
func (w *watcher) rest(ctx context.Context) {
	full := slices.ContainsFunc(w.windows, func(window *window) bool { return window.full > 0 })
	if w.failed != nil || !full || !w.isBusy() {
		_ = w.client.Sleep(ctx, w.pause())
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.pause())
	defer cancel()
	w.server.backlog.Await(ctx, backlog.Empty)
}

// pause returns the time until the next poll: the interval, doubled for every idle poll
// up to the idle interval, and for every failed poll in a row.
func (w *watcher) pause() time.Duration {
	return pauseAfter(pause.Backoff(w.opts.Interval, w.opts.IdleInterval, w.idle+1), w.failures+1, w.failed, pause.Vary)
}
