package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// AnswerOptions configures [MeshClient.Answer]. The zero value is valid: it answers questions.
type AnswerOptions struct {
	ServeOptions
	// AllKinds answers messages of all kinds, which Kinds then cannot select. Two programs that answer answers exchange messages without
	// end.
	AllKinds bool
	// AllowRules lists numbers of scan rules that an answer may match, as in [SendRequest].
	AllowRules []int
	// OnAnswer receives the outcome of each attempt to send a text: the receipt, or the error. Both are nil if the gateway has another
	// answer to the message already, from before a crash or from another program that serves the node. It may be called from several
	// goroutines at the same time.
	OnAnswer func(message MeshMessage, receipt *MeshMessage, err error)
	// Spool is a folder for the finished answers, so that none is lost when the program ends, is killed, or crashes before it is
	// delivered. It is created if it does not exist, and only the owner can read its files. If others can write to the folder or to a file
	// of the node in it, or such a file is a link, the error is a *ValueError. The next Answer of the node, at the same
	// gateway and with the same folder, delivers them first, without another call of the function. A file has the text, and of the message
	// only what the delivery needs. It is removed when the message is marked read. An answer that a send would refuse, for a credential for
	// example, is not written. An answer that was delivered just before a crash is not delivered twice: it has an idempotency key, which
	// older gateways ignore.
	Spool string
}

// Answer is [MeshClient.Serve] for a function that returns the text of the answer, for example from a model that costs money. The text
// is sent to the sender of the message as KindAnswer, in its thread and with its task, and the message is marked read. An empty text
// sends nothing. Without kinds in the options only questions are answered.
//
// A finished answer is kept in memory, and only its delivery is repeated: the function is not called again for the message. It is given
// up after ServeOptions.MaxAttempts deliveries that failed; failures while the gateway cannot be reached do not count. Answers that wait,
// and messages that wait for another attempt, are kept within 32 MiB; beyond that, each occupies a worker. When ctx ends, the answers
// that wait are sent until the first failure, and OnError receives the others, with [ErrAnswerLost] or [ErrAnswerKept].
//
// If the credential scan refuses a text, or it cannot be a message, the sender receives an answer that states this, without the
// text. The message is then marked read, and OnError receives the error. AnswerOptions.AllowRules allows rules of the scan.
//
// With AnswerOptions.Spool a finished answer is also kept in a file until it is delivered, and the next start delivers it first. Without
// it, a program that is killed after the function has returned and before the text is delivered calls it again at the next start. If it
// is killed between the delivery and the mark, the function is called again too, but its text is dropped: a message has one answer, by
// its idempotency key, which older gateways ignore.
func (c *MeshClient) Answer(ctx context.Context, answer func(context.Context, MeshMessage) (string, error), opts AnswerOptions) error {
	given := len(opts.Kinds)+len(opts.Watch.Kinds) > 0
	switch {
	case answer == nil:
		return invalid("answer", "must not be nil")
	case given && opts.AllKinds:
		return invalid("AllKinds", "must be false if Kinds is not empty")
	case !given && !opts.AllKinds:
		opts.Kinds = []Kind{KindQuestion}
	}
	return c.serve(ctx, answer, opts)
}

// ErrAnswerLost and ErrAnswerKept match the errors that OnError receives for a finished answer of [MeshClient.Answer] that is not delivered
// when ctx ends. One that is kept is in AnswerOptions.Spool.
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
			s.markRead(ctx, mark{message: j.message, cause: "handled", saved: j.saved})
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
