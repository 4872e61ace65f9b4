package client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// askWindow is how many answers in a thread a poll returns. If there are more, later polls select each recipient by itself and
// return up to maxLimit.
const askWindow = 100

// answers returns the newest answers in a thread.
func (w *waiter) answers(ctx context.Context, thread string) ([]MeshMessage, error) {
	query := gateway.ListMessagesParams{To: &w.client.node, Kind: optional(KindAnswer), ThreadID: optional(thread)}
	if !w.crowded[thread] {
		rows, full, err := w.newest(ctx, query, askWindow)
		w.crowded[thread] = full && rows[len(rows)-1].ID > w.oldest(thread)
		return rows, err
	}
	var all []MeshMessage
	for _, q := range slices.Clone(w.pending) {
		if q.GetThreadID() != thread || query.From != nil && *query.From == q.ToNode {
			continue
		}
		query.From = &q.ToNode
		rows, _, err := w.newest(ctx, query, maxLimit)
		all = append(all, rows...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// oldest returns the lowest id of a pending question in a thread.
func (w *waiter) oldest(thread string) int64 {
	oldest := int64(0)
	for _, q := range w.pending {
		if q.GetThreadID() == thread && (oldest == 0 || q.ID < oldest) {
			oldest = q.ID
		}
	}
	return oldest
}

// newest returns the newest messages of a list, fewer than limit if they are too large for one response. It is full if it can have older
// ones.
func (w *waiter) newest(ctx context.Context, query gateway.ListMessagesParams, limit int) (rows []MeshMessage, full bool, err error) {
	for ; ; limit = max(1, limit/4) {
		query.Limit = optional(int64(limit))
		rows, err = w.client.list(ctx, opListMessages, &query)
		if withoutRowErrors(err) == nil {
			w.invalid, err = err, nil
		}
		if !errors.Is(err, ErrTooLarge) || limit == 1 {
			return rows, len(rows) > 0 && len(rows)+len(rowErrors(w.invalid)) >= limit, err
		}
	}
}

// checkLost ends the waiting for questions that the gateway does not have any more. It checks after an error and every minute: a
// gateway may restart with a new database between two polls.
func (w *waiter) checkLost(ctx context.Context) {
	if w.failures == 0 && time.Since(w.checked) < registrationInterval {
		return
	}
	w.checked = time.Now()
	for _, thread := range w.threads() {
		rows, err := w.questions(ctx, thread)
		if err != nil || len(rows) >= maxLimit {
			continue // not known
		}
		for _, q := range slices.Clone(w.pending) {
			if q.GetThreadID() == thread && !slices.ContainsFunc(rows, func(m MeshMessage) bool { return isQuestion(q, m) }) {
				w.lose(q)
			}
		}
	}
}

// questions returns the questions of the node in a thread, without their contents.
func (w *waiter) questions(ctx context.Context, thread string) ([]MeshMessage, error) {
	op := opListMessages
	op.filter, op.needsBody = withoutContents, true // an empty body does not show that a question is gone
	return w.client.list(ctx, op, &gateway.ListMessagesParams{
		From: &w.client.node, Kind: optional(KindQuestion), ThreadID: optional(thread), Limit: optional(int64(maxLimit)),
	})
}

// learnNumbers sets the numbers of the questions of Await, once. A caller may have kept less than the receipts.
func (w *waiter) learnNumbers(ctx context.Context) error {
	if !w.unknown {
		return nil
	}
	for _, thread := range w.threads() {
		rows, err := w.questions(ctx, thread)
		if withoutRowErrors(err) != nil {
			return err
		}
		for i, q := range w.pending {
			if at := slices.IndexFunc(rows, func(m MeshMessage) bool { return isQuestion(q, m) }); at >= 0 && q.RelatedTaskID == nil {
				w.pending[i].RelatedTaskID = rows[at].RelatedTaskID
			}
		}
	}
	w.unknown = false
	return nil
}

// isQuestion reports whether m is the question q. A gateway with a new database reuses ids.
func isQuestion(q, m MeshMessage) bool {
	return m.ID == q.ID && m.ToNode == q.ToNode && (q.CreatedAt == "" || m.CreatedAt == q.CreatedAt)
}

func (w *waiter) lose(q MeshMessage) {
	w.pending = slices.DeleteFunc(w.pending, func(p MeshMessage) bool { return p.ID == q.ID })
	w.release(conversationWith(q.ToNode, q))
	w.emit(MeshMessage{}, &NoAnswerError{Question: q, Err: errQuestionLost})
}

// turns has the conversations in which a question waits for its answer.
type turns struct {
	mu    sync.Mutex
	taken map[conversation]bool
}

// take reports whether no other question waits in a conversation, and takes it.
func (t *turns) take(c conversation) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[c] {
		return false
	}
	if t.taken == nil {
		t.taken = make(map[conversation]bool)
	}
	t.taken[c] = true
	return true
}

func (t *turns) release(conversations ...conversation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range conversations {
		delete(t.taken, c)
	}
}
