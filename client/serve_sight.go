package client

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// errNotInInbox reports a message that cannot be marked by its id, which may belong to another message now.
var errNotInInbox = errors.New("the message is not visible in the inbox any more; the gateway may have a new database")

// sight looks at messages before they are marked. Ids and times alone do not show that the gateway has a new database, since its
// clock may step back.
type sight struct {
	client *MeshClient
	last   atomic.Pointer[snapshot]
}

// snapshot is the unread messages of one response.
type snapshot struct {
	senders map[messageKey]string
	// until is as long after the response as the request took, but at most maxSight. Many marks then need few requests.
	until time.Time
}

// maxSight is much less than a gateway needs to restart.
const maxSight = 100 * time.Millisecond

func (s *snapshot) has(m MeshMessage) bool {
	if s == nil {
		return false
	}
	sender, ok := s.senders[keyOf(m)]
	return ok && sender == m.FromNode
}

// isUnread reports whether m is unread. The error is errNotInInbox if m is not visible. A mark of a message that was read in the
// meantime does no harm.
func (s *sight) isUnread(ctx context.Context, m MeshMessage, repeat bool) (bool, error) {
	op := opListMessages
	op.repeatable, op.filter = repeat, withoutContents
	if last := s.last.Load(); last.has(m) {
		if time.Now().Before(last.until) {
			return true, nil
		}
		if same, err := s.isSame(ctx, op, last, m); err != nil || same {
			return same, err
		}
	}
	unread, err := s.refresh(ctx, op, m)
	if err != nil || unread.has(m) {
		return err == nil, err
	}
	// It is read, or many newer messages hide it. An empty body does not show that it is gone.
	op.needsBody = true
	opts := FetchOptions{Kind: m.Kind, ThreadID: m.GetThreadID(), Limit: maxLimit}
	if resolveAlias(s.client.aliases, m.FromNode) == m.FromNode {
		opts.FromNode = m.FromNode
	}
	rows, err := s.fetchSince(ctx, op, m, opts)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(rows, func(row MeshMessage) bool { return keyOf(row) == keyOf(m) && row.FromNode == m.FromNode })
	if i < 0 {
		return false, errNotInInbox
	}
	return rows[i].ReadAt == nil, nil
}

// isSame reports whether the newest unread message was in the snapshot with m and is not older: the database is the same then, and
// the id still belongs to m. It spares the list of all messages, which is long while many wait.
func (s *sight) isSame(ctx context.Context, op operation, last *snapshot, m MeshMessage) (bool, error) {
	began := time.Now()
	rows, err := s.fetchSince(ctx, op, m, FetchOptions{UnreadOnly: true, Limit: 1})
	if err != nil || len(rows) == 0 || rows[0].ID < m.ID || !last.has(rows[0]) {
		return false, err
	}
	s.last.Store(&snapshot{senders: last.senders, until: sightEnd(began)})
	return true, nil
}

// refresh requests the unread messages from m on.
func (s *sight) refresh(ctx context.Context, op operation, m MeshMessage) (*snapshot, error) {
	began := time.Now()
	rows, err := s.fetchSince(ctx, op, m, FetchOptions{UnreadOnly: true, Limit: maxLimit})
	if err != nil {
		return nil, err
	}
	unread := &snapshot{senders: make(map[messageKey]string, len(rows)), until: sightEnd(began)}
	for _, row := range rows {
		unread.senders[keyOf(row)] = row.FromNode
	}
	s.last.Store(unread)
	return unread, nil
}

func sightEnd(began time.Time) time.Time { return time.Now().Add(min(time.Since(began), maxSight)) }

// fetchSince fetches messages from m on.
func (s *sight) fetchSince(ctx context.Context, op operation, m MeshMessage, opts FetchOptions) ([]MeshMessage, error) {
	_, size := utf8.DecodeLastRuneInString(m.CreatedAt)
	opts.Since = m.CreatedAt[:len(m.CreatedAt)-size] // the gateway compares texts: only this one and longer ones are later
	limit := opts.Limit
	rows, _, err := s.client.fetchNewest(ctx, op, opts)
	return rows[:min(len(rows), limit)], err
}

// withoutContents filters a list of messages: the contents of many large messages would exceed the limit of a response, and hide
// the older ones.
func withoutContents(body io.Reader) io.Reader {
	return (&fieldFilter{field: "content", limit: -1}).reader(body)
}
