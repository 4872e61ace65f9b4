package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Answer is [MeshClient.Serve] for a function that returns the text of the answer, for example from a model that costs money. The text
// is sent to the sender of the message as KindAnswer, in its thread and with its task, and the message is marked read. An empty text
// sends nothing. If opts.Kinds is nil and opts.Watch.Kind is "", only questions are answered; an empty Kinds that is not nil selects
// all kinds.
//
// A finished answer is kept in memory, and only its delivery is repeated: the function is not called again for the message. It is given
// up after ServeOptions.MaxAttempts deliveries that failed; failures while the gateway cannot be reached do not count. Answers that wait,
// and messages that wait for another attempt, are kept within 32 MiB; beyond that, each occupies a worker. When ctx ends, the answers
// that wait are sent until the first failure, and OnError receives the others, with [ErrAnswerLost] or [ErrAnswerKept].
//
// If the credential scan refuses a text, or it cannot be a message, the sender receives an answer that states this, without the
// text. The message is then marked read, and OnError receives the error. ServeOptions.AllowRules allows rules of the scan.
//
// With ServeOptions.Spool a finished answer is also kept in a file until it is delivered, and the next start delivers it first. Without it, a
// program that is killed after the function has returned and before the text is delivered calls it again at the next start. If it is killed between the delivery and the mark, the function is called again too, but its text is
// dropped: a message has one answer, by its idempotency key, which older gateways ignore.
func (c *MeshClient) Answer(ctx context.Context, answer func(context.Context, MeshMessage) (string, error), opts ServeOptions) error {
	if answer == nil {
		return &ValueError{Field: "answer", Reason: "must not be nil"}
	}
	if opts.Kinds == nil && opts.Watch.Kind == "" {
		opts.Kinds = []Kind{KindQuestion}
	}
	return c.serve(ctx, answer, opts)
}

// ErrAnswerLost and ErrAnswerKept match the errors that OnError receives for a finished answer of [MeshClient.Answer] that is not delivered
// when ctx ends. One that is kept is in ServeOptions.Spool.
var (
	ErrAnswerLost = errors.New("the answer is lost")
	ErrAnswerKept = errors.New("the answer is kept")
)

// deliver sends the answer of a job, or instead of one that is refused, a notice.
func (s *server) deliver(j *job) error {
	if j.answer == "" {
		return nil
	}
	receipt, err := s.sendAnswer(j.message, j.answer)
	if notice := refusalNotice(err); notice != "" && j.refused == nil {
		j.refused, j.answer = err, notice
		return s.deliver(j)
	}
	if err == nil {
		s.discard(j)
	}
	if s.opts.OnAnswer != nil {
		s.opts.OnAnswer(j.message, receipt, err)
	}
	if err == nil && j.refused != nil {
		s.report(j.message, fmt.Errorf("the answer was refused, and the sender was told so: %w", j.refused))
	}
	return err
}

// sendAnswer sends the one answer to a message. The receipt is nil if there is an answer already, or if it is invalid.
func (s *server) sendAnswer(to MeshMessage, text string) (*MeshMessage, error) {
	receipt, err := s.client.send(s.handling, to.FromNode, SendRequest{
		Kind:           KindAnswer,
		Content:        text,
		RelatedTaskID:  to.GetRelatedTaskID(),
		ThreadID:       to.GetThreadID(),
		AllowRules:     s.opts.AllowRules,
		IdempotencyKey: s.client.replyKey(to, KindAnswer, ""), // whatever the text is
	}, true)
	switch {
	case statusOf(err) == http.StatusConflict:
		s.answeredElsewhere(to)
		return nil, nil //nolint:nilnil // see above
	case isDelivered(err):
		return nil, nil //nolint:nilnil // see above
	}
	return receipt, err
}

// refusalNotice returns the answer in place of one that the checks before a send have refused for its text, or "".
func refusalNotice(err error) string {
	var leak *MeshSecretLeakError
	var invalid *ValueError
	switch {
	case errors.As(err, &leak):
		rule := leak.Finding.Rule
		return fmt.Sprintf("There is an answer, but it was not sent: it seems to contain a credential (rule %d, %s).", rule.Number, rule.Name)
	case errors.As(err, &invalid) && invalid.Field == "Content":
		return "There is an answer, but it was not sent: its text " + invalid.Reason + "."
	default:
		return ""
	}
}

// leave ends a job for which ctx leaves no time. A finished answer is sent once more, unless such a delivery has failed before.
func (s *server) leave(ctx context.Context, j *job, err error) {
	if !j.finished {
		return
	}
	s.ending.Lock()
	defer s.ending.Unlock()
	if !s.unreached {
		if err = s.deliver(j); err == nil {
			s.markRead(ctx, mark{message: j.message, cause: "handled"})
			return
		}
		s.unreached = isAway(err)
	}
	s.finish(j.message)
	if j.saved {
		err = fmt.Errorf("%w, and is delivered at the next start: %w", ErrAnswerKept, err)
	} else {
		err = fmt.Errorf("%w: %w", ErrAnswerLost, err)
	}
	s.report(j.message, err)
}
