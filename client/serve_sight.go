package client

import (
	"context"
	"errors"
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
	sender, ok := s.senders[keyOf(m)]
	return ok && sender == m.FromNode
}

// isUnread reports whether m is unread. The error is errNotInInbox if m is not visible.
func (s *sight) isUnread(ctx context.Context, m MeshMessage, repeat bool) (bool, error) {
	if last := s.last.Load(); last != nil && last.has(m) && time.Now().Before(last.until) {
		return true, nil
	}
	op := opListMessages
	op.repeatable = repeat
	unread, err := s.refresh(ctx, op, m)
	if err != nil || unread.has(m) {
		return err == nil, err
	}
	// It is read, or many newer messages hide it. An empty body does not show that it is gone.
	op.needsBody = true
	opts := FetchOptions{Kind: m.Kind, ThreadID: m.GetThreadID()}
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

// refresh requests the unread messages from m on.
func (s *sight) refresh(ctx context.Context, op operation, m MeshMessage) (*snapshot, error) {
	began := time.Now()
	rows, err := s.fetchSince(ctx, op, m, FetchOptions{UnreadOnly: true})
	if err != nil {
		return nil, err
	}
	unread := &snapshot{senders: make(map[messageKey]string, len(rows)), until: time.Now().Add(min(time.Since(began), maxSight))}
	for _, row := range rows {
		unread.senders[keyOf(row)] = row.FromNode
	}
	s.last.Store(unread)
	return unread, nil
}

// fetchSince fetches messages from m on.
func (s *sight) fetchSince(ctx context.Context, op operation, m MeshMessage, opts FetchOptions) ([]MeshMessage, error) {
	_, size := utf8.DecodeLastRuneInString(m.CreatedAt)
	opts.Since = m.CreatedAt[:len(m.CreatedAt)-size] // the gateway compares texts: only this one and longer ones are later
	opts.Limit = maxLimit
	rows, _, err := s.client.fetchNewest(ctx, op, opts)
	return rows[:min(len(rows), maxLimit)], err
}
