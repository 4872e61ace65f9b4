package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

// errNotInInbox reports a message that left the inbox: its id may belong to another one
// now.
var errNotInInbox = errors.New("the message is no longer visible in the inbox; the gateway may have a new database")

// unreadCheck looks for messages in the inbox before they are marked. Ids and times alone
// don't reveal a new database, because the gateway's clock may step back.
type unreadCheck struct {
	client *node
	last   atomic.Pointer[snapshot]
}

// snapshot has one response's unread messages.
type snapshot struct {
	senders map[messageKey]string
	limit   int // in the request
}

func (s *snapshot) has(m message) bool {
	if s == nil {
		return false
	}
	sender, ok := s.senders[keyOf(m)]
	return ok && sender == m.FromNode
}

// isUnread reports whether m is unread. If m is not in the inbox, the error is
// errNotInInbox. A true result may be out of date: marking a read message does no harm.
func (c *unreadCheck) isUnread(ctx context.Context, m message, repeat bool) (bool, error) {
	how := seam.List{Once: !repeat, NoContents: true}
	if listed, err := c.isListed(ctx, how, m); err != nil || listed {
		return listed, err
	}
	// It is read, or hidden by many newer messages. An empty body wouldn't prove that it is
	// gone.
	how.NeedsBody = true
	row, _, err := c.find(ctx, how, m, c.similar(m))
	if err == nil && row == nil {
		err = errNotInInbox
	}
	return row != nil && row.ReadAt == nil, err
}

// find looks for m in the selected messages. If row is nil, hidden reports that newer
// messages may hide it.
func (c *unreadCheck) find(ctx context.Context, how seam.List, m message, opts query) (row *message, hidden bool, err error) {
	rows, limit, err := c.fetchSince(ctx, how, m, opts)
	i := slices.IndexFunc(rows, func(row message) bool { return keyOf(row) == keyOf(m) && row.FromNode == m.FromNode })
	if i < 0 {
		return nil, len(rows) >= limit, err
	}
	return &rows[i], false, err
}

// isGone reports whether the gateway no longer has m, neither unread nor read. It looks
// twice, in case the gateway made a mistake.
func (c *unreadCheck) isGone(ctx context.Context, m message) bool {
	for range 2 {
		row, hidden, err := c.find(ctx, seam.List{NoContents: true, NeedsBody: true}, m, query{FromNode: m.FromNode, Limit: maxLimit})
		if err != nil || row != nil || hidden {
			return false
		}
	}
	return true
}

func (c *unreadCheck) similar(m message) query {
	return query{FromNode: m.FromNode, Kind: m.Kind, ThreadID: m.GetThreadID(), Limit: maxLimit}
}

// isListed reports whether the unread messages show that the id still belongs to m.
//
// Usually the newest one is enough: if it's in the same snapshot as m and not older, the
// database hasn't changed. That saves a list of all unread messages, which is long while
// many wait. If they exceed a response, as on a slow link, we keep the last snapshot,
// because it has m.
func (c *unreadCheck) isListed(ctx context.Context, how seam.List, m message) (bool, error) {
	last, limit := c.last.Load(), maxLimit
	if last != nil {
		limit = min(2*last.limit, maxLimit)
	}
	if last.has(m) {
		newest, err := c.list(ctx, how, m, 1)
		if err != nil || len(newest.senders) == 0 {
			return false, err
		}
		if newest.follows(last, m) {
			return true, nil
		}
	}
	unread, err := c.list(ctx, how, m, limit)
	if err != nil || unread.follows(last, m) {
		return err == nil, err
	}
	c.last.Store(unread)
	return unread.has(m), nil
}

func (c *unreadCheck) list(ctx context.Context, how seam.List, m message, limit int) (*snapshot, error) {
	rows, limit, err := c.fetchSince(ctx, how, m, query{UnreadOnly: true, Limit: limit})
	return newSnapshot(rows, limit), err
}

// follows reports whether s, although too short to reach m, shows that the database is
// still the same: it repeats a message that the last snapshot had together with m, and
// that is not older than m.
func (s *snapshot) follows(last *snapshot, m message) bool {
	if !last.has(m) || len(s.senders) < s.limit {
		return false
	}
	for key, sender := range s.senders {
		if key.id >= m.ID && last.senders[key] == sender {
			return true
		}
	}
	return false
}

func newSnapshot(rows []message, limit int) *snapshot {
	s := &snapshot{senders: make(map[messageKey]string, len(rows)), limit: limit}
	for _, row := range rows {
		s.senders[keyOf(row)] = row.FromNode
	}
	return s
}

// fetchSince fetches m and later messages. It ignores invalid rows.
func (c *unreadCheck) fetchSince(ctx context.Context, how seam.List, m message, opts query) ([]message, int, error) {
	opts.Since, how.Slow = justBefore(m.CreatedAt), true
	opts.ToNode = cmp.Or(opts.ToNode, c.client.Name)
	rows, limit, err := c.client.List(ctx, opts, how)
	return rows[:min(len(rows), limit)], limit, withoutRows(err)
}

// justBefore makes a since argument that includes messages created at createdAt. It drops
// the last character, because the gateway compares strings.
func justBefore(createdAt string) string {
	_, size := utf8.DecodeLastRuneInString(createdAt)
	return createdAt[:len(createdAt)-size]
}
