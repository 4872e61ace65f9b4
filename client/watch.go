package client

import (
	"cmp"
	"context"
	"iter"
	"time"
)

// DefaultWatchInterval is the default of WatchOptions.Interval.
const DefaultWatchInterval = 5 * time.Second

// Watch rejects a shorter interval than minWatchInterval, which is a number without a unit, and warns of one that is shorter
// than shortWatchInterval.
const (
	minWatchInterval   = time.Millisecond
	shortWatchInterval = 100 * time.Millisecond
)

// WatchOptions configures Watch. The zero value is valid.
type WatchOptions struct {
	// Interval is the time between two polls, varied at random by up to a quarter. 0 means [DefaultWatchInterval]. It must be
	// at least one millisecond; below 100 ms a warning is logged, which a test silences with [WithLogger].
	Interval time.Duration
	// IdleInterval is the longest time between two polls. While no message arrives, the time doubles with each poll, from
	// Interval to IdleInterval. A new message resets it to Interval for at least a minute, so that a conversation does not wait.
	// 0 means Interval; otherwise it must not be shorter than Interval.
	IdleInterval time.Duration
	// Limit is the maximum number of messages in a poll, 1 to 1000; 0 means 1000, the gateway's maximum.
	Limit int
	// FromNode and ThreadID select messages as in [FetchOptions]. Messages that an older gateway does not filter are dropped by the
	// client.
	FromNode string
	ThreadID string
	// Kinds selects the kinds of messages; an empty slice means all. Each kind is polled by itself, so that other messages cannot fill
	// the polls.
	Kinds []Kind
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
// If a response exceeds [WithMaxResponseBytes], or its body takes longer than the timeout, Watch fetches fewer messages at a time,
// down to one, and more again later. A timeout before the header is an error.
//
// After a full poll with a new message the next poll follows without a pause. A poll returns the newest unread messages. If there are
// more than fit into it, a warning is logged, and the older ones are yielded after newer ones have been marked read. Messages that the
// node sent to itself are not yielded, but unread ones count towards the limit of a poll: mark them read. If such messages fill a poll,
// or if three polls in a row are full and the last has no new message, an error is yielded once.
//
// A message that cannot be decoded is yielded once as a [*RowError], while polling continues as usual. Its mark is up to the
// operator of the gateway, and it counts towards the limit of a poll.
//
// A gateway that ignores the limit or the recipient of a poll does not fill the memory: messages beyond the limit and messages of
// other nodes are dropped, and an error follows the others.
//
// A message is identified by its id and its CreatedAt, because a gateway with a new database reuses ids. Each range over the
// sequence remembers up to 20,000 messages, and then those of its last poll. A message that it has forgotten and that is still unread is
// yielded again.
func (c *MeshClient) Watch(ctx context.Context, opts WatchOptions) iter.Seq2[MeshMessage, error] {
	return c.watch(ctx, opts, nil)
}

func (o WatchOptions) withDefaults(r *redactor) (WatchOptions, error) {
	for _, kind := range o.Kinds {
		if err := r.checkKind("Kinds", kind); err != nil {
			return o, err
		}
	}
	if o.Interval < 0 {
		return o, invalidValue("Interval", o.Interval, "must not be negative")
	}
	if o.Interval > 0 && o.Interval < minWatchInterval {
		return o, invalidValue("Interval", o.Interval, "must be at least 1ms; use a unit, such as 5 * time.Second")
	}
	o.Interval = cmp.Or(o.Interval, DefaultWatchInterval)
	o.IdleInterval = cmp.Or(o.IdleInterval, o.Interval)
	if o.IdleInterval < o.Interval {
		return o, invalidValue("IdleInterval", o.IdleInterval, "must not be shorter than Interval")
	}
	if err := cmp.Or(checkLimit(o.Limit, maxLimit), o.selection().checkTexts()); err != nil {
		return o, err
	}
	o.Limit = cmp.Or(o.Limit, maxLimit)
	return o, nil
}

// selection returns the selected messages of all kinds, without a limit.
func (o WatchOptions) selection() FetchOptions {
	return FetchOptions{UnreadOnly: true, FromNode: o.FromNode, ThreadID: o.ThreadID}
}
