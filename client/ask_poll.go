package client

import (
	"cmp"
	"context"
	"slices"
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
		w.crowded[thread] = full && slices.ContainsFunc(w.pending, func(q MeshMessage) bool {
			return q.GetThreadID() == thread && q.ID < rows[len(rows)-1].ID
		})
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

// newest returns the newest messages of a list. It is full if it can have older ones.
func (w *waiter) newest(ctx context.Context, query gateway.ListMessagesParams, limit int) (rows []MeshMessage, full bool, err error) {
	query.Limit = optional(int64(limit))
	rows, limit, err = w.client.newest(ctx, opListMessages, &query)
	if withoutRowErrors(err) == nil {
		w.invalid, err = err, nil
	}
	return rows, len(rows) > 0 && len(rows)+len(rowErrors(w.invalid)) >= limit, err
}

// checkLost looks at the questions after an error and every minute: a gateway may restart with a new database between two polls.
func (w *waiter) checkLost(ctx context.Context) {
	if w.failures > 0 || time.Since(w.checked) >= registrationInterval {
		w.checked = time.Now()
		_ = w.lookAtQuestions(ctx) // not known
	}
}

// lookAtQuestions ends the waiting for questions that the gateway does not have any more, and sets the numbers of those of Await, whose caller
// may have kept less than the receipts.
func (w *waiter) lookAtQuestions(ctx context.Context) (failed error) {
	op := opListMessages
	op.filter, op.needsBody = withoutContents, true // an empty body does not show that a question is gone
	for _, thread := range w.threads() {
		rows, err := w.client.list(ctx, op, &gateway.ListMessagesParams{
			From: &w.client.node, Kind: optional(KindQuestion), ThreadID: optional(thread), Limit: optional(int64(maxLimit)),
		})
		failed = cmp.Or(failed, withoutRowErrors(err))
		for i, q := range slices.Backward(slices.Clone(w.pending)) {
			at := slices.IndexFunc(rows, func(m MeshMessage) bool { return isQuestion(q, m) })
			switch {
			case q.GetThreadID() != thread:
			case at >= 0 && q.RelatedTaskID == nil:
				w.pending[i].RelatedTaskID = rows[at].RelatedTaskID
			case at < 0 && err == nil && len(rows) < maxLimit:
				w.lose(q)
			}
		}
	}
	return failed
}

// isQuestion reports whether m is the question q. A gateway with a new database reuses ids.
func isQuestion(q, m MeshMessage) bool {
	return m.ID == q.ID && m.ToNode == q.ToNode && (q.CreatedAt == "" || m.CreatedAt == q.CreatedAt)
}

func (w *waiter) lose(q MeshMessage) {
	w.settle(q)
	w.emit(MeshMessage{}, w.client.noAnswer(q, errQuestionLost))
}
