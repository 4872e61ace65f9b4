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

// errNotInInbox reports a message that cannot be marked by its id, which may belong to
// another message now.
var errNotInInbox = errors.New("the message is not visible in the inbox any more; the gateway may have a new database")

// unreadCheck looks for messages in the inbox before they are marked. Ids and times alone
// do not show that the gateway has a new database, since its clock may step back.
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

// isUnread reports whether m is unread. The error is errNotInInbox if m is not visible. A
// mark of a message that was read in the meantime does no harm.
func (c *unreadCheck) isUnread(ctx context.Context, m message, repeat bool) (bool, error) {
	how := seam.List{Once: !repeat, NoContents: true}
	if listed, err := c.isListed(ctx, how, m); err != nil || listed {
		return listed, err
	}
	// It is read, or many newer messages hide it. An empty body does not show that it is
	// gone.
	how.NeedsBody = true
	row, _, err := c.find(ctx, how, m, c.similar(m))
	if err == nil && row == nil {
		err = errNotInInbox
	}
	return row != nil && row.ReadAt == nil, err
}

// find returns m from the selected messages, or nil, and whether newer ones may hide it.
func (c *unreadCheck) find(ctx context.Context, how seam.List, m message, opts query) (row *message, hidden bool, err error) {
	rows, limit, err := c.fetchSince(ctx, how, m, opts)
	i := slices.IndexFunc(rows, func(row message) bool { return keyOf(row) == keyOf(m) && row.FromNode == m.FromNode })
	if i < 0 {
		return nil, len(rows) >= limit, err
	}
	return &rows[i], false, err
}

func (c *unreadCheck) similar(m message) query {
	return query{FromNode: m.FromNode, Kind: m.Kind, ThreadID: m.GetThreadID(), Limit: maxLimit}
}

// isListed reports whether a list of the unread messages shows that the id still belongs
// to m. The newest one usually does, if it was in the snapshot with m and is not older:
// this spares the list of all messages, which is long while many wait. If they are more
// than a response can hold, as on a slow link, the last snapshot is kept, which has m.
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

// follows reports whether s, which has no room for m, has a message of an earlier
// snapshot with m, and one that is not older: the database is the same then.
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

// newSnapshot has messages that need a look before the first mark.
func newSnapshot(rows []message, limit int) *snapshot {
	s := &snapshot{senders: make(map[messageKey]string, len(rows)), limit: limit}
	for _, row := range rows {
		s.senders[keyOf(row)] = row.FromNode
	}
	return s
}

// fetchSince fetches messages from m on, except for invalid ones.
func (c *unreadCheck) fetchSince(ctx context.Context, how seam.List, m message, opts query) ([]message, int, error) {
	opts.Since, how.Slow = justBefore(m.CreatedAt), true
	opts.ToNode = cmp.Or(opts.ToNode, c.client.Name)
	rows, limit, err := c.client.List(ctx, opts, how)
	return rows[:min(len(rows), limit)], limit, withoutRows(err)
}

// justBefore returns an argument for since that includes a time: the gateway compares
// text.
func justBefore(createdAt string) string {
	_, size := utf8.DecodeLastRuneInString(createdAt)
	return createdAt[:len(createdAt)-size]
}
