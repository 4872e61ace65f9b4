package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/internal/pause"
	"github.com/mesh-gateway/mesh-go/client/internal/seam"
)

const (
	// askInterval is the first pause between polls. It doubles up to Watch's default
	// interval.
	askInterval = 100 * time.Millisecond
	// maxRefusals is the number of refused polls in a row after which we give up. A single
	// 401 may be temporary for a peer's token.
	maxRefusals = 3
)

var errQuestionLost = errors.New("the gateway has lost the question; it may have a new database")

type waiter struct {
	client  *node
	yield   func(message, error) bool
	stopped bool // yield must not be called again

	refused []*NoAnswerError // questions that were not sent
	unsent  []*outgoing
	pending []message

	crowded  map[string]bool // threads with more answers than a poll for all recipients returns
	idle     int             // polls in a row without an answer
	failed   error           // in the last poll
	invalid  error           // rows in the last list
	failures int             // polls in a row that failed
	refusals int             // polls in a row that the gateway refused
	took     time.Duration   // by the last poll
	active   time.Time       // when the last question was sent or answered
	checked  time.Time       // when the gateway was last known to have the questions
}

// run sends the questions and polls until each has a result.
func (w *waiter) run(ctx context.Context) {
	ctx, cancel := w.client.WhileOpen(ctx)
	defer cancel()
	defer func() {
		for len(w.pending) > 0 {
			w.settle(w.pending[0])
		}
	}()
	w.crowded, w.active = make(map[string]bool), time.Now()
	for {
		w.send(ctx)
		for _, err := range w.refused {
			w.emit(message{}, err)
		}
		w.refused = nil
		if w.client.Ended(ctx) == nil && len(w.pending) > 0 {
			w.poll(ctx)
		}
		if w.stopped || len(w.pending)+len(w.unsent) == 0 {
			return
		}
		if err := w.client.Ended(ctx); err != nil {
			w.expire(err)
			return
		}
		_ = w.client.Sleep(ctx, w.pause(ctx))
	}
}

// send sends each question, unless another one with the same correlation is waiting.
func (w *waiter) send(ctx context.Context) {
	w.unsent = slices.DeleteFunc(w.unsent, func(q *outgoing) bool {
		req := q.req
		if q.numbered && q.refusals >= maxNumberRefusals && !q.stored {
			req.RelatedTaskID = ""
		}
		if w.client.Ended(ctx) != nil {
			return false
		}
		turn := correlation{q.to, req.ThreadID, questionNumber(req.RelatedTaskID)}
		if _, taken := w.client.State.LoadOrStore(turn, w); taken { // another question waits
			return false
		}
		receipt, err := w.client.Post(ctx, q.to, req, q.ownKey)
		if err != nil {
			w.client.State.Delete(turn)
			if w.sendsAgain(ctx, q, req, err) {
				return false // in the next round
			}
			w.refused = append(w.refused, w.client.unsent(q.to, err))
			return true
		}
		// Older gateways may not return these fields.
		receipt.ToNode, receipt.ThreadID, receipt.RelatedTaskID = q.to, optional(req.ThreadID), optional(req.RelatedTaskID)
		w.pending = append(w.pending, *receipt)
		return true
	})
}

// numberRefusals are statuses that may refuse a question's number, because the gateway
// has no such task.
var numberRefusals = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}

const (
	// maxNumberRefusals is the number of refusals after which we send the question without a
	// number. One 404 may come from a proxy.
	maxNumberRefusals = 2
	// sendAttempts is the number of 500s after which Ask gives up.
	sendAttempts = 5
)

// sendsAgain reports whether to send a question again after a failure. With and without
// its number, it has the same key. So a 409 without the number means that the gateway
// stored the numbered question, and will return its receipt.
func (w *waiter) sendsAgain(ctx context.Context, q *outgoing, sent request, err error) bool {
	status := statusOf(err)
	q.failed = err
	switch {
	case status == http.StatusInternalServerError && sent.IdempotencyKey != "":
		q.failures++
		return q.failures < sendAttempts
	case !q.numbered || q.stored:
		return false
	case sent.RelatedTaskID == "":
		q.stored = status == http.StatusConflict
		return q.stored
	case !slices.Contains(numberRefusals, status):
		return false
	}
	if q.refusals++; q.refusals == maxNumberRefusals {
		w.client.Log.WarnContext(ctx, "the gateway may refuse question numbers; a late answer can be taken for another", "error", err)
	}
	return true
}

// expire ends the waiting because the context ended or the client was closed.
func (w *waiter) expire(err error) {
	if failed := cmp.Or(w.failed, w.invalid); failed != nil {
		w.end(fmt.Errorf("%w; the last poll failed: %w", err, failed))
		return
	}
	w.end(endedError{w.client.ListFailed(err), err})
}

// endedError has the type of a failed request, but does not name one.
type endedError struct{ failed, cause error }

func (e endedError) Error() string { return e.cause.Error() }

func (e endedError) Unwrap() error { return e.failed }

func (w *waiter) end(err error) {
	for _, q := range slices.Clone(w.pending) {
		w.settle(q)
		w.emit(message{}, w.client.noAnswer(q, err))
	}
	for _, q := range w.unsent {
		failed := err
		if failedRequest(q.failed).Uncertain {
			failed = fmt.Errorf("%w; then: %w", q.failed, err)
		}
		w.emit(message{}, w.client.unsent(q.to, failed))
	}
	w.unsent = nil
}

func (w *waiter) emit(m message, err error) { w.stopped = w.stopped || !w.yield(m, err) }

// poll lists the answers in each thread once.
func (w *waiter) poll(ctx context.Context) {
	w.idle++
	defer func(began time.Time) { w.took = time.Since(began) }(time.Now())
	var failed error
	if w.failures > 0 || time.Since(w.checked) >= registrationInterval { // a gateway may restart with a new database between two polls
		failed = w.lookAtQuestions(ctx)
	}
	unknown := failed != nil // without its number, a question might take the wrong answer
	for _, thread := range w.threads() {
		if !unknown {
			failed = cmp.Or(failed, w.pollThread(ctx, thread))
		}
		if w.stopped || w.client.Ended(ctx) != nil {
			return
		}
	}
	if failed == nil {
		w.failed, w.failures, w.refusals = nil, 0, 0
		return
	}
	w.failed = failed
	w.failures++
	if w.refusals++; classify(failed) != refused {
		w.refusals = 0
	}
	if w.refusals >= maxRefusals {
		w.end(failed)
	}
}

func (w *waiter) threads() []string {
	var threads []string
	for _, q := range w.pending {
		threads = append(threads, q.GetThreadID())
	}
	slices.Sort(threads)
	return slices.Compact(threads)
}

// lastPoll is the minimum time between the last poll and the deadline. The poll and a
// mark must fit into it.
const lastPoll = 200 * time.Millisecond

// pause returns the time until the next poll. It leaves time for one last poll before
// ctx's deadline.
func (w *waiter) pause(ctx context.Context) time.Duration {
	attempt := w.idle
	for _, q := range w.unsent {
		attempt = max(attempt, q.failures)
	}
	if isStrained(w.took, w.failed) {
		w.active = time.Time{}
	}
	longest := DefaultWatchInterval
	if time.Since(w.active) >= activeTime {
		longest = DefaultIdleInterval
	}
	pause := pauseAfter(pause.Backoff(askInterval, longest, attempt), w.failures+1, w.failed, pause.Vary)
	deadline, ok := ctx.Deadline()
	if last := time.Until(deadline) - min(max(3*w.took, lastPoll), longest); ok && last > 0 {
		return min(pause, last)
	}
	return pause
}

// pollThread lists the answers in a thread and delivers those to pending questions.
func (w *waiter) pollThread(ctx context.Context, thread string) error {
	answers, err := w.answers(ctx, thread)
	slices.SortFunc(answers, func(a, b message) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(w.pending, func(a, b message) int { return cmp.Compare(a.ID, b.ID) })
	for _, q := range slices.Clone(w.pending) {
		i := slices.IndexFunc(answers, func(m message) bool { return w.client.isAnswer(q, m) && q.GetThreadID() == thread })
		if i < 0 {
			continue
		}
		if w.stopped || w.client.Ended(ctx) != nil {
			break // the answer stays unread
		}
		answer := answers[i]
		answers = slices.Delete(answers, i, i+1)
		w.deliver(ctx, q, answer)
	}
	return err
}

func (c *node) isAnswer(q, m message) bool {
	return m.Kind == client.KindAnswer && m.ToNode == c.Name && correlationWith(m.FromNode, m) == correlationWith(q.ToNode, q) && m.ID > q.ID
}

// deliver marks an answer read and yields it, even if marking fails.
func (w *waiter) deliver(ctx context.Context, q, answer message) {
	w.idle, w.active = 1, time.Now()
	w.settle(q)
	if answer.ReadAt == nil {
		if err := w.client.MarkRead(ctx, answer.ID); err != nil && classify(err) != absent {
			w.client.Log.WarnContext(ctx, "an answer could not be marked read", "message", answer.ID, "error", err)
		}
	}
	w.emit(answer, nil)
}

// settle ends the waiting for a question.
func (w *waiter) settle(q message) {
	w.pending = slices.DeleteFunc(w.pending, func(p message) bool { return p.ID == q.ID })
	w.client.State.CompareAndDelete(correlationWith(q.ToNode, q), w)
}

// askWindow is the limit for a poll of a whole thread. If a thread has more answers,
// later polls ask for each recipient separately, up to maxLimit.
const askWindow = 100

// answers returns the newest answers in a thread.
func (w *waiter) answers(ctx context.Context, thread string) ([]message, error) {
	query := query{ToNode: w.client.Name, Kind: client.KindAnswer, ThreadID: thread}
	if !w.crowded[thread] {
		rows, full, err := w.newest(ctx, query, askWindow)
		w.crowded[thread] = full && slices.ContainsFunc(w.pending, func(q message) bool {
			return q.GetThreadID() == thread && q.ID < rows[len(rows)-1].ID
		})
		return rows, err
	}
	var all []message
	for _, q := range w.pending {
		if q.GetThreadID() != thread || query.FromNode == q.ToNode {
			continue
		}
		query.FromNode = q.ToNode
		rows, _, err := w.newest(ctx, query, maxLimit)
		all = append(all, rows...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// newest returns the newest selected messages. full reports that there may be older ones.
func (w *waiter) newest(ctx context.Context, query query, limit int) (rows []message, full bool, err error) {
	query.Limit = limit
	rows, limit, err = w.client.List(ctx, query, seam.List{Fewer: true})
	if withoutRows(err) == nil {
		w.invalid, err = err, nil
	}
	return rows, len(rows) > 0 && len(rows)+len(rowErrors(w.invalid)) >= limit, err
}

// lookAtQuestions stops waiting for questions that the gateway no longer has. It also
// sets missing question numbers: an Await caller may have kept less than the receipts.
func (w *waiter) lookAtQuestions(ctx context.Context) (failed error) {
	how := seam.List{NoContents: true, NeedsBody: true} // an empty body does not show that a question is gone
	for _, thread := range w.threads() {
		rows, _, err := w.client.List(ctx, query{
			FromNode: w.client.Name, Kind: client.KindQuestion, ThreadID: thread, Limit: maxLimit,
		}, how)
		failed = cmp.Or(failed, withoutRows(err))
		for i, q := range slices.Backward(slices.Clone(w.pending)) {
			at := slices.IndexFunc(rows, func(m message) bool { // a gateway with a new database reuses ids
				return m.ID == q.ID && m.ToNode == q.ToNode && (q.CreatedAt == "" || m.CreatedAt == q.CreatedAt)
			})
			switch {
			case q.GetThreadID() != thread:
			case at >= 0 && q.RelatedTaskID == nil:
				w.pending[i].RelatedTaskID = rows[at].RelatedTaskID
			case at < 0 && err == nil && len(rows) < maxLimit:
				w.settle(q)
				w.emit(message{}, w.client.noAnswer(q, errQuestionLost))
			}
		}
	}
	if failed == nil {
		w.checked = time.Now()
	}
	return failed
}
